// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets out: builds skbs, finds routes, hands skbs to the IP stack.
 *
 * Payload is copied and the ICRC is taken over the copy, because the owner of
 * a buffer may change it while the packet is under way (fault Q16). The copy
 * goes to page fragments cut from per-CPU 32 KiB pages, so that a super-packet
 * costs one skb allocation.
 */
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "net.h"
#include "tx.h"
#include "route.h"
#include "proto/icrc.h"
#include "proto/segment.h"

#define LINEAR_PAYLOAD	512	/* a small packet needs no fragment */
#define SUPER_BYTES	62000	/* UDP payload of a super-packet, below 64 KiB */
#define SUPER_SEGS	64	/* UDP_MAX_SEGMENTS of 6.1 */
#define SK_BYTES	(1 << 20)	/* a QP's share of the queues below us */

static DEFINE_PER_CPU(struct page_frag, tx_frag);

void urd_txb_init(struct urd_txb *b, struct urd_qp *qp, struct urd_av *av)
{
	b->qp = qp;
	b->av = av;
	b->skb = NULL;
	b->sent = 0;
}

static u32 hdrs_len(const struct urd_txb *b)
{
	return b->av->v6 ? sizeof(b->v6) : sizeof(b->v4);
}

static void fill_v4(struct urd_txb *b)
{
	const struct urd_av *av = b->av;

	b->v4.ip = (struct iphdr){
		.version = 4,
		.ihl = sizeof(struct iphdr) / 4,
		.tos = av->tos,
		.id = htons(b->id),
		.frag_off = htons(IP_DF),
		.ttl = av->ttl,
		.protocol = IPPROTO_UDP,
		.saddr = av->saddr.s6_addr32[3],
		.daddr = av->daddr.s6_addr32[3],
	};
	b->v4.udp = (struct udphdr){
		.source = av->sport,
		.dest = htons(URD_UDP_PORT),
	};
}

static void fill_v6(struct urd_txb *b)
{
	const struct urd_av *av = b->av;

	b->v6.ip = (struct ipv6hdr){
		.nexthdr = IPPROTO_UDP,
		.hop_limit = av->ttl,
		.saddr = av->saddr,
		.daddr = av->daddr,
	};
	ip6_flow_hdr(&b->v6.ip, av->tos, htonl(av->flow_label));
	b->v6.udp = (struct udphdr){
		.source = av->sport,
		.dest = htons(URD_UDP_PORT),
	};
}

/* Start the ICRC of a segment of @len bytes with the headers it will have. */
static u32 start_icrc(struct urd_txb *b, const u8 *bth, u32 len)
{
	u32 udp_len = len + sizeof(struct udphdr);

	if (b->av->v6) {
		b->v6.ip.payload_len = htons(udp_len);
		b->v6.udp.len = htons(udp_len);
		return urd_icrc_start_v6((u8 *)&b->v6.ip, (u8 *)&b->v6.udp, bth);
	}
	b->v4.ip.tot_len = htons(udp_len + sizeof(struct iphdr));
	/* Software GSO and a NIC count the identification up per segment. */
	b->v4.ip.id = htons(b->id + b->segs);
	b->v4.udp.len = htons(udp_len);
	return urd_icrc_start_v4((u8 *)&b->v4.ip, (u8 *)&b->v4.udp, bth);
}

static int open_skb(struct urd_txb *b, u32 seg_len)
{
	struct sk_buff *skb;

	skb = alloc_skb(LL_MAX_HEADER + sizeof(b->v6) + LINEAR_PAYLOAD,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, LL_MAX_HEADER + hdrs_len(b));
	b->skb = skb;
	b->at = skb->data;
	/* Larger packets go to pages whole: no segment starts with a stump. */
	b->room = seg_len <= LINEAR_PAYLOAD ? LINEAR_PAYLOAD : 0;
	b->in_page = false;
	b->seg_len = seg_len;
	b->segs = 0;
	b->bytes = 0;
	b->short_tail = false;
	b->id = b->qp->eng.ip_id;
	if (b->av->v6)
		fill_v6(b);
	else
		fill_v4(b);
	return 0;
}

/* Make @room non-zero: go on in the page fragment of this CPU. */
static int more_room(struct urd_txb *b)
{
	struct page_frag *pf = this_cpu_ptr(&tx_frag);

	if (skb_shinfo(b->skb)->nr_frags == MAX_SKB_FRAGS)
		return -ENOMEM;
	if (!skb_page_frag_refill(SMP_CACHE_BYTES, pf, GFP_ATOMIC | __GFP_NOWARN))
		return -ENOMEM;
	b->at = page_address(pf->page) + pf->offset;
	b->room = pf->size - pf->offset;
	b->in_page = true;
	return 0;
}

/* Account for @n bytes that were written at the cursor. */
static void advance(struct urd_txb *b, u32 n)
{
	struct sk_buff *skb = b->skb;

	if (b->in_page) {
		struct page_frag *pf = this_cpu_ptr(&tx_frag);
		int i = skb_shinfo(skb)->nr_frags;

		if (skb_can_coalesce(skb, i, pf->page, pf->offset)) {
			skb_frag_size_add(&skb_shinfo(skb)->frags[i - 1], n);
		} else {
			get_page(pf->page);
			skb_fill_page_desc(skb, i, pf->page, pf->offset, n);
		}
		pf->offset += n;
		skb->len += n;
		skb->data_len += n;
		skb->truesize += n;
	} else {
		__skb_put(skb, n);
	}
	b->at += n;
	b->room -= n;
	b->bytes += n;
}

/* Copy to the cursor; @crc: and add what was copied to the ICRC. */
static int put_raw(struct urd_txb *b, const void *p, u32 len, bool crc)
{
	while (len) {
		u32 n;

		if (!b->room && more_room(b))
			return -ENOMEM;
		n = min(len, b->room);
		memcpy(b->at, p, n);
		if (crc)
			b->crc = urd_icrc_update(b->crc, b->at, n);
		advance(b, n);
		p += n;
		len -= n;
	}
	return 0;
}

static bool fits(const struct urd_txb *b, u32 seg_len)
{
	return !b->short_tail && seg_len <= b->seg_len && b->segs < SUPER_SEGS &&
	       b->bytes + seg_len <= SUPER_BYTES &&
	       skb_shinfo(b->skb)->nr_frags < MAX_SKB_FRAGS - 2;
}

int urd_txb_begin(struct urd_txb *b, struct urd_packet *pkt, u32 payload)
{
	u8 hdr[URD_MAX_HDR_LEN];
	u32 hdr_len, seg_len;
	int ret;

	pkt->pad = urd_pad(payload);
	hdr_len = urd_packet_build(hdr, pkt);
	seg_len = hdr_len + payload + pkt->pad + URD_ICRC_LEN;
	if (b->skb && !fits(b, seg_len))
		urd_txb_flush(b);
	if (!b->skb) {
		ret = open_skb(b, seg_len);
		if (ret)
			return ret;
	}
	b->seg_at = b->bytes;
	b->crc = start_icrc(b, hdr, seg_len);
	b->crc = urd_icrc_update(b->crc, hdr + URD_BTH_LEN, hdr_len - URD_BTH_LEN);
	return put_raw(b, hdr, hdr_len, false);
}

int urd_txb_put(struct urd_txb *b, const void *p, u32 len)
{
	return put_raw(b, p, len, true);
}

int urd_txb_end(struct urd_txb *b, u32 pad)
{
	static const u8 zero[4];
	__le32 icrc;
	int ret;

	ret = put_raw(b, zero, pad, true);
	if (ret)
		return ret;
	icrc = urd_icrc_finish(b->crc);
	ret = put_raw(b, &icrc, sizeof(icrc), false);
	if (ret)
		return ret;
	b->short_tail = b->bytes - b->seg_at < b->seg_len;
	b->segs++;
	return 0;
}

static void drop_skb(struct urd_txb *b)
{
	kfree_skb(b->skb);
	b->skb = NULL;
}

void urd_txb_abort(struct urd_txb *b)
{
	if (!b->skb)
		return;
	if (!b->segs || ___pskb_trim(b->skb, b->seg_at)) {
		drop_skb(b);
		return;
	}
	b->bytes = b->seg_at;
	/* The cursor is not wound back: what follows opens a new fragment. */
	b->short_tail = true;
}

static void set_gso(struct urd_txb *b)
{
	struct skb_shared_info *shinfo = skb_shinfo(b->skb);

	if (b->segs < 2)
		return;
	shinfo->gso_type = SKB_GSO_UDP_L4;
	shinfo->gso_size = b->seg_len;
	shinfo->gso_segs = b->segs;
	urd_count(b->qp->dev, tx_super_packets);
}

static void set_partial_csum(struct sk_buff *skb)
{
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

static void push_v4(struct urd_txb *b)
{
	u32 udp_len = b->bytes + sizeof(struct udphdr);
	struct sk_buff *skb = b->skb;

	b->v4.udp.len = htons(udp_len);
	b->v4.udp.check = 0;
	b->v4.ip.id = htons(b->id);
	/* One packet needs no UDP checksum, it has the ICRC (A17.3.1.1). */
	if (b->segs > 1)
		b->v4.udp.check = ~csum_tcpudp_magic(b->v4.ip.saddr, b->v4.ip.daddr,
						     udp_len, IPPROTO_UDP, 0);
	memcpy(skb_push(skb, sizeof(b->v4)), &b->v4, sizeof(b->v4));
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct iphdr));
	if (b->segs > 1)
		set_partial_csum(skb);
	skb->protocol = htons(ETH_P_IP);
}

static void push_v6(struct urd_txb *b)
{
	u32 udp_len = b->bytes + sizeof(struct udphdr);
	struct sk_buff *skb = b->skb;

	b->v6.udp.len = htons(udp_len);
	b->v6.udp.check = ~csum_ipv6_magic(&b->v6.ip.saddr, &b->v6.ip.daddr,
					   udp_len, IPPROTO_UDP, 0);
	memcpy(skb_push(skb, sizeof(b->v6)), &b->v6, sizeof(b->v6));
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	set_partial_csum(skb);
	skb->protocol = htons(ETH_P_IPV6);
}

static void xmit(struct urd_txb *b, struct dst_entry *dst)
{
	struct urd_qp *qp = b->qp;
	struct sk_buff *skb = b->skb;
	struct net *net = dev_net(dst->dev);
	u32 bytes = b->bytes, segs = b->segs;
	int ret;

	qp->eng.tx_cpu = smp_processor_id();
	skb_dst_set(skb, dst);
	skb->dev = dst->dev;
	skb_set_owner_w(skb, qp->sk->sk);
	memset(skb->cb, 0, sizeof(skb->cb));
	if (b->av->v6)
		ret = ip6_local_out(net, skb->sk, skb);
	else
		ret = ip_local_out(net, skb->sk, skb);
	if (unlikely(net_xmit_eval(ret)))
		urd_count(qp->dev, tx_dropped);
	urd_count_n(qp->dev, tx_packets, segs);
	urd_count_n(qp->dev, tx_bytes, bytes);
}

void urd_txb_flush(struct urd_txb *b)
{
	struct dst_entry *dst;

	if (!b->skb)
		return;
	dst = urd_route(b->av, b->qp->dev);
	if (!dst || !b->qp->sk) {
		dst_release(dst);
		urd_count(b->qp->dev, tx_no_route);
		drop_skb(b);
		return;
	}
	b->qp->eng.ip_id = b->id + b->segs;
	set_gso(b);
	if (b->av->v6)
		push_v6(b);
	else
		push_v4(b);
	xmit(b, dst);
	b->skb = NULL;
	b->sent++;
}

/* From the skb destructor, in any softirq: only leave a mark and a work item. */
static void write_space(struct sock *sk)
{
	struct urd_qp *qp;

	read_lock_bh(&sk->sk_callback_lock);
	qp = sk->sk_user_data;
	if (qp && test_bit(URD_ENG_TX_FULL, &qp->eng.flags) &&
	    sk_wmem_alloc_get(sk) <= SK_BYTES / 2 &&
	    test_and_clear_bit(URD_ENG_TX_FULL, &qp->eng.flags))
		queue_work(urd_cpu_wq, &qp->eng.work);
	read_unlock_bh(&sk->sk_callback_lock);
}

bool urd_tx_ready(struct urd_qp *qp)
{
	struct sock *sk = qp->sk ? qp->sk->sk : NULL;

	if (!sk || sk_wmem_alloc_get(sk) <= SK_BYTES)
		return true;
	set_bit(URD_ENG_TX_FULL, &qp->eng.flags);
	/* Pairs with the atomic sub in sock_wfree(): mark, then look again. */
	smp_mb__after_atomic();
	if (sk_wmem_alloc_get(sk) > SK_BYTES / 2)
		return false;
	clear_bit(URD_ENG_TX_FULL, &qp->eng.flags);
	return true;
}

int urd_tx_open(struct urd_qp *qp)
{
	int ret;

	ret = sock_create_kern(qp->dev->net->net, AF_INET, SOCK_DGRAM,
			       IPPROTO_UDP, &qp->sk);
	if (ret)
		return ret;
	write_lock_bh(&qp->sk->sk->sk_callback_lock);
	qp->sk->sk->sk_user_data = qp;
	qp->eng.sk_write_space = qp->sk->sk->sk_write_space;
	qp->sk->sk->sk_write_space = write_space;
	write_unlock_bh(&qp->sk->sk->sk_callback_lock);
	return 0;
}

/* skbs still queued below keep the sock, not the QP (fault T05). */
void urd_tx_close(struct urd_qp *qp)
{
	struct socket *sock;
	struct sock *sk;

	spin_lock_bh(&qp->lock);
	sock = qp->sk;
	qp->sk = NULL;
	spin_unlock_bh(&qp->lock);
	if (!sock)
		return;
	sk = sock->sk;
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_write_space = qp->eng.sk_write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	sock_release(sock);
}

void urd_tx_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct page_frag *pf = per_cpu_ptr(&tx_frag, cpu);

		if (pf->page)
			put_page(pf->page);
		pf->page = NULL;
	}
}
