// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets in: from the socket to the inbox of a QP.
 *
 * Runs in the softirq that delivered to the socket. us->lock is held from the
 * dequeue of an skb until it is in an inbox, because two CPUs that drain one
 * socket could otherwise swap the packets of a flow, which a responder takes
 * for a loss. QPs are run after it is released.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/udp.h>
#include <rdma/ib_cache.h>

#include "engine.h"
#include "net.h"

#define INBOX_MAX	512	/* skbs; a QP behind by more loses packets */
#define TOUCHED_MAX	16

/**
 * struct touched - QPs that got something and are to be run
 * @ref: held
 * @n: how many
 */
struct touched {
	struct urd_ref *ref[TOUCHED_MAX];
	u32 n;
};

static void run_touched(struct touched *t)
{
	while (t->n) {
		struct urd_ref *ref = t->ref[--t->n];

		urd_qp_kick(ref->obj);
		urd_ref_put(ref);
	}
}

/* Consumes the hold on @ref. A QP that finds no place is run by its work item. */
static void touch(struct touched *t, struct urd_ref *ref)
{
	struct urd_qp *qp = ref->obj;

	if (t->n < TOUCHED_MAX && !(t->n && t->ref[t->n - 1] == ref)) {
		t->ref[t->n++] = ref;
		return;
	}
	if (t->ref[t->n - 1] != ref)
		queue_work(urd_cpu_wq, &qp->eng.work);
	urd_ref_put(ref);
}

/* Consumes the skb and the hold on @ref. */
static void deliver(struct touched *t, struct urd_ref *ref, struct sk_buff *skb)
{
	struct urd_qp *qp = ref->obj;

	if (skb_queue_len_lockless(&qp->eng.inbox) >= INBOX_MAX) {
		urd_count(qp->dev, rx_drop_inbox_full);
		kfree_skb(skb);
	} else {
		if (skb_is_gso(skb))
			urd_count(qp->dev, rx_super_packets);
		skb_queue_tail(&qp->eng.inbox, skb);
	}
	touch(t, ref);
}

static void dst_gid(struct sk_buff *skb, union ib_gid *gid)
{
	struct in6_addr *addr = (struct in6_addr *)gid;

	if (urd_skb_cb(skb)->v6)
		*addr = ipv6_hdr(skb)->daddr;
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, addr);
}

static bool dev_has_gid(struct urd_dev *dev, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&dev->ibdev, gid, IB_GID_TYPE_ROCE_UDP_ENCAP,
				     1, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/* QP1 exists once per device: the destination address says which. */
static struct urd_ref *find_gsi(struct urd_net *un, struct sk_buff *skb)
{
	struct urd_ref *ref = NULL;
	struct urd_dev *dev;
	union ib_gid gid;

	dst_gid(skb, &gid);
	rcu_read_lock();
	list_for_each_entry_rcu(dev, &un->devs, link) {
		ref = rcu_dereference(dev->gsi);
		if (ref && dev_has_gid(dev, &gid) &&
		    refcount_inc_not_zero(&ref->count))
			break;
		ref = NULL;
	}
	rcu_read_unlock();
	return ref;
}

static void deliver_mcast(struct urd_net *un, struct touched *t, struct sk_buff *skb)
{
	struct urd_ref *refs[URD_MAX_MCAST_QP];
	struct sk_buff *copy;
	struct urd_dev *dev;
	union ib_gid gid;
	u32 n, i;

	dst_gid(skb, &gid);
	rcu_read_lock();
	list_for_each_entry_rcu(dev, &un->devs, link) {
		/* Each member netdev gets its own copy from the stack. */
		if (dev->ndev->ifindex != urd_skb_cb(skb)->iif)
			continue;
		n = urd_mcast_find(dev, &gid, refs, ARRAY_SIZE(refs));
		if (!n)
			urd_count(dev, rx_drop_mcast);
		for (i = 0; i < n; i++) {
			copy = skb_copy(skb, GFP_ATOMIC | __GFP_NOWARN);
			if (copy)
				deliver(t, refs[i], copy);
			else
				urd_ref_put(refs[i]);
		}
	}
	rcu_read_unlock();
	consume_skb(skb);
}

static struct urd_ref *find_qp(struct urd_net *un, struct sk_buff *skb, u32 qpn)
{
	struct urd_ref *ref;
	struct urd_qp *qp;

	if (qpn == URD_GSI_QPN)
		return find_gsi(un, skb);
	ref = urd_ref_find(&urd_qpns, qpn);
	if (!ref)
		return NULL;
	qp = ref->obj;
	if (qp->dev->net == un)
		return ref;
	urd_ref_put(ref);	/* of another namespace */
	return NULL;
}

/* A packet that belongs to no QP is counted at every device it could be for. */
static void count_no_qp(struct urd_net *un)
{
	struct urd_dev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &un->devs, link)
		urd_count(dev, rx_drop_no_qp);
	rcu_read_unlock();
}

static void count_bad_header(struct urd_net *un, bool is_short)
{
	struct urd_dev *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &un->devs, link) {
		if (is_short)
			urd_count(dev, rx_drop_short);
		else
			urd_count(dev, rx_drop_ip_header);
	}
	rcu_read_unlock();
}

static void route_one(struct urd_sock *us, struct touched *t, struct sk_buff *skb,
		      u32 qpn)
{
	struct urd_ref *ref;

	if (qpn == URD_MULTICAST_QPN) {
		deliver_mcast(us->un, t, skb);
		return;
	}
	ref = find_qp(us->un, skb, qpn);
	if (!ref) {
		count_no_qp(us->un);
		kfree_skb(skb);
		return;
	}
	deliver(t, ref, skb);
}

/*
 * Bytes from @off whose packets all go to one QP. Two QPs of a host pair may
 * have the same UDP source port, and GRO does not look further.
 */
static u32 same_qpn_run(struct sk_buff *skb, u32 off, u32 *qpn)
{
	u32 seg = skb_shinfo(skb)->gso_size;
	u8 buf[URD_BTH_LEN];
	u32 start = off;
	const u8 *bth;

	bth = skb_header_pointer(skb, off, URD_BTH_LEN, buf);
	if (!bth || !seg) {
		*qpn = bth ? urd_bth_qpn(bth) : 0;
		return skb->len - start;
	}
	*qpn = urd_bth_qpn(bth);
	for (off += seg; off < skb->len; off += seg) {
		bth = skb_header_pointer(skb, off, URD_BTH_LEN, buf);
		if (!bth || urd_bth_qpn(bth) != *qpn)
			return off - start;
	}
	return skb->len - start;
}

/* No IP options, no extension headers: the ICRC knows neither. */
static bool ip_header_ok(const struct sk_buff *skb, bool v6)
{
	u32 len = skb_transport_offset(skb) - skb_network_offset(skb);

	return len == (v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
}

static void route(struct urd_sock *us, struct touched *t, struct sk_buff *skb)
{
	struct urd_skb_cb *cb = urd_skb_cb(skb);
	u32 qpn, run;

	if (!ip_header_ok(skb, us->v6) ||
	    skb->len < URD_MIN_PACKET) {
		count_bad_header(us->un, ip_header_ok(skb, us->v6));
		kfree_skb(skb);
		return;
	}
	skb->dev = NULL;	/* the UDP queue kept notes in its place */
	cb->v6 = us->v6;
	cb->iif = skb->skb_iif;
	cb->off = 0;	/* the UDP header was pulled on the way to the queue */
	run = same_qpn_run(skb, cb->off, &qpn);
	while (cb->off + run < skb->len) {
		struct sk_buff *part = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);

		if (part) {
			urd_skb_cb(part)->end = cb->off + run;
			route_one(us, t, part, qpn);
		}
		cb->off += run;
		run = same_qpn_run(skb, cb->off, &qpn);
	}
	cb->end = skb->len;
	route_one(us, t, skb, qpn);
}

/* BH is off. Return: true when the socket may hold more. */
static bool drain(struct urd_sock *us, struct sock *sk, struct touched *t)
{
	struct sk_buff *skb = NULL;
	int off = 0, err;

	spin_lock(&us->lock);
	while (t->n < TOUCHED_MAX) {
		off = 0;
		skb = __skb_recv_udp(sk, MSG_DONTWAIT, &off, &err);
		if (!skb)
			break;
		route(us, t, skb);
	}
	spin_unlock(&us->lock);
	return skb;
}

void urd_sock_ready(struct sock *sk)
{
	struct touched t = {};
	struct urd_sock *us;
	bool more;

	rcu_read_lock();
	us = rcu_dereference_sk_user_data(sk);
	if (us) {
		do {
			local_bh_disable();
			more = drain(us, sk, &t);
			run_touched(&t);
			local_bh_enable();
		} while (more);
	}
	rcu_read_unlock();
}
