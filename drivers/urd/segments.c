// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An skb from the socket, packet by packet: a GRO or GSO super-packet carries
 * many, of equal length but for the last. Nothing of a packet is used before
 * its ICRC was found right, and every reason to drop one has a counter.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "engine.h"
#include "sg.h"
#include "proto/icrc.h"

static const enum urd_counter drop_counter[] = {
	[URD_DROP_SHORT] = URD_CNT_rx_drop_short,
	[URD_DROP_OPCODE] = URD_CNT_rx_drop_opcode,
	[URD_DROP_VERSION] = URD_CNT_rx_drop_version,
	[URD_DROP_PAD] = URD_CNT_rx_drop_pad,
};

static void count(struct urd_qp *qp, enum urd_counter counter)
{
	this_cpu_inc(qp->dev->stats->v[counter]);
}

/* CRC state after the masked headers, as segment @index had them on the wire. */
static u32 start_icrc(const struct urd_rx *rx, u32 index, const u8 *bth)
{
	u16 udp_len = rx->len + sizeof(struct udphdr);
	struct udphdr udp = *udp_hdr(rx->skb);

	udp.len = htons(udp_len);
	if (urd_skb_cb(rx->skb)->v6) {
		struct ipv6hdr ip = *ipv6_hdr(rx->skb);

		ip.payload_len = htons(udp_len);
		return urd_icrc_start_v6((u8 *)&ip, (u8 *)&udp, bth);
	} else {
		struct iphdr ip = *ip_hdr(rx->skb);

		ip.tot_len = htons(udp_len + sizeof(ip));
		/* GSO counts the identification up, GRO merges such only. */
		ip.id = htons(ntohs(ip.id) + index);
		return urd_icrc_start_v4((u8 *)&ip, (u8 *)&udp, bth);
	}
}

static bool icrc_ok(const struct urd_rx *rx, u32 index, const u8 *bth)
{
	u32 crc = start_icrc(rx, index, bth);
	__le32 wire;

	crc = urd_skb_crc(rx->skb, rx->off + URD_BTH_LEN,
			  rx->len - URD_BTH_LEN - URD_ICRC_LEN, crc);
	if (skb_copy_bits(rx->skb, rx->off + rx->len - URD_ICRC_LEN, &wire,
			  sizeof(wire)))
		return false;
	return wire == urd_icrc_finish(crc);
}

/* The peer of a connected QP is one address; of a datagram QP anybody. */
static bool address_ok(const struct urd_qp *qp, struct sk_buff *skb)
{
	const struct urd_av *av = qp->av;

	if (qp->service == URD_SVC_UD)
		return true;
	if (!av || av->v6 != urd_skb_cb(skb)->v6)
		return false;
	if (av->v6)
		return ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &av->daddr) &&
		       ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &av->saddr);
	return ip_hdr(skb)->saddr == av->daddr.s6_addr32[3] &&
	       ip_hdr(skb)->daddr == av->saddr.s6_addr32[3];
}

static bool qkey_ok(const struct urd_qp *qp, const struct urd_packet *pkt)
{
	if (qp->service != URD_SVC_UD)
		return true;
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		return pkt->deth.qkey == URD_GSI_QKEY;
	return pkt->deth.qkey == qp->attr.qkey;
}

/* States in which a packet of this direction is looked at (10.3.1). */
bool urd_rx_state_ok(const struct urd_qp *qp, bool is_request)
{
	switch (qp->state) {
	case IB_QPS_RTR:
		return is_request;
	case IB_QPS_RTS:
	case IB_QPS_SQD:
		return true;
	case IB_QPS_SQE:
		return is_request;
	default:
		return false;
	}
}

static bool examine(struct urd_qp *qp, struct urd_rx *rx, u32 index)
{
	u8 buf[URD_MAX_HDR_LEN];
	u32 avail = min_t(u32, rx->len, sizeof(buf));
	enum urd_drop drop;
	const u8 *hdr;

	hdr = skb_header_pointer(rx->skb, rx->off, avail, buf);
	if (!hdr)
		return false;
	drop = urd_packet_parse(&rx->pkt, hdr, avail, rx->len);
	if (drop != URD_DROP_NONE) {
		count(qp, drop_counter[drop]);
		return false;
	}
	if (!icrc_ok(rx, index, hdr)) {
		count(qp, URD_CNT_rx_icrc_error);
		return false;
	}
	if (rx->pkt.op->kind == URD_KIND_CNP)
		count(qp, URD_CNT_rx_cnp);
	else if (rx->pkt.op->service != qp->service)
		count(qp, URD_CNT_rx_drop_qp_type);
	else if (!urd_rx_state_ok(qp, rx->pkt.op->is_request))
		count(qp, URD_CNT_rx_drop_qp_state);
	else if ((rx->pkt.pkey & URD_PKEY_MASK) != URD_PKEY_MASK)
		count(qp, URD_CNT_rx_drop_pkey);
	else if (!qkey_ok(qp, &rx->pkt))
		count(qp, URD_CNT_rx_drop_qkey);
	else if (!address_ok(qp, rx->skb))
		count(qp, URD_CNT_rx_drop_address);
	else
		return true;
	return false;
}

bool urd_rx_next(struct urd_qp *qp, struct urd_rx *rx, struct sk_buff *skb)
{
	struct urd_skb_cb *cb = urd_skb_cb(skb);
	u32 seg = skb_shinfo(skb)->gso_size;

	while (cb->off < cb->end) {
		u32 index = seg ? cb->off / seg : 0;

		rx->skb = skb;
		rx->off = cb->off;
		rx->len = cb->end - cb->off;
		if (seg)
			rx->len = min(rx->len, seg);
		cb->off += rx->len;
		urd_count(qp->dev, rx_packets);
		urd_count_n(qp->dev, rx_bytes, rx->len);
		if (examine(qp, rx, index))
			return true;
	}
	return false;
}
