// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups of a device, and their membership in the IP stack, which
 * sets the netdev's filter and speaks IGMP or MLD.
 *
 * Lookup runs in softirq under RCU. Changes are made under table->lock, RTNL
 * inside it. A QP leaves its groups before it is destroyed: the RDMA core
 * counts attachments.
 */
#include <linux/hashtable.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/jhash.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>

#include "device.h"
#include "net.h"

#define TABLE_BITS	8

/* A QP in a group. A kernel consumer may attach it more than once. */
struct member {
	struct hlist_node node;
	struct urd_ref *ref;
	u32 times;
	struct rcu_head rcu;
};

struct group {
	struct hlist_node node;
	union ib_gid mgid;
	struct hlist_head members;
	u32 count;
	struct rcu_head rcu;
};

struct urd_mcast_table {
	struct mutex lock; /* all changes */
	u32 groups;
	u32 attached;
	DECLARE_HASHTABLE(hash, TABLE_BITS);
};

int urd_mcast_init(struct urd_dev *dev)
{
	struct urd_mcast_table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	mutex_init(&t->lock);
	hash_init(t->hash);
	dev->mcast = t;
	return 0;
}

void urd_mcast_exit(struct urd_dev *dev)
{
	if (!dev->mcast)
		return;
	WARN_ON(dev->mcast->groups);
	mutex_destroy(&dev->mcast->lock);
	kfree(dev->mcast);
}

static u32 mgid_hash(const union ib_gid *mgid)
{
	return jhash2((const u32 *)mgid->raw, sizeof(mgid->raw) / sizeof(u32), 0);
}

/* Under RCU or table->lock. */
static struct group *find_group(struct urd_mcast_table *t, const union ib_gid *mgid)
{
	struct group *g;

	hash_for_each_possible_rcu(t->hash, g, node, mgid_hash(mgid),
				   lockdep_is_held(&t->lock)) {
		if (!memcmp(&g->mgid, mgid, sizeof(*mgid)))
			return g;
	}
	return NULL;
}

static struct member *find_member(const struct group *g, const struct urd_ref *ref)
{
	struct member *m;

	hlist_for_each_entry(m, &g->members, node) {
		if (m->ref == ref)
			return m;
	}
	return NULL;
}

u32 urd_mcast_find(struct urd_dev *dev, const union ib_gid *mgid,
		   struct urd_ref **refs, u32 max)
{
	struct member *m;
	struct group *g;
	u32 n = 0;

	rcu_read_lock();
	g = find_group(dev->mcast, mgid);
	if (g) {
		hlist_for_each_entry_rcu(m, &g->members, node) {
			if (n < max && refcount_inc_not_zero(&m->ref->count))
				refs[n++] = m->ref;
		}
	}
	rcu_read_unlock();
	return n;
}

/* ---- the IP stack --------------------------------------------------------- */

static int ip_join_locked(struct net_device *ndev, const struct in6_addr *addr)
{
	struct in_device *in_dev;

	if (ndev->reg_state != NETREG_REGISTERED)
		return -ENODEV;
	if (!ipv6_addr_v4mapped(addr))
		return ipv6_dev_mc_inc(ndev, addr);
	in_dev = __in_dev_get_rtnl(ndev);
	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, addr->s6_addr32[3]);
	return 0;
}

static int ip_join(struct net_device *ndev, const union ib_gid *mgid)
{
	int err;

	rtnl_lock();
	err = ip_join_locked(ndev, (const struct in6_addr *)mgid);
	rtnl_unlock();
	return err;
}

static void ip_leave(struct net_device *ndev, const union ib_gid *mgid)
{
	const struct in6_addr *addr = (const struct in6_addr *)mgid;
	struct in_device *in_dev;

	rtnl_lock();
	if (!ipv6_addr_v4mapped(addr)) {
		ipv6_dev_mc_dec(ndev, addr);
	} else {
		/* The stack drops all memberships with the in_device. */
		in_dev = __in_dev_get_rtnl(ndev);
		if (in_dev)
			ip_mc_dec_group(in_dev, addr->s6_addr32[3]);
	}
	rtnl_unlock();
}

/* ---- attach and detach ---------------------------------------------------- */

static struct group *get_group(struct urd_dev *dev, const union ib_gid *mgid)
{
	struct urd_mcast_table *t = dev->mcast;
	struct group *g = find_group(t, mgid);
	int err;

	if (g)
		return g;
	if (t->groups >= URD_MAX_MCAST_GRP)
		return ERR_PTR(-ENOMEM);
	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return ERR_PTR(-ENOMEM);
	g->mgid = *mgid;
	err = ip_join(dev->ndev, mgid);
	if (err) {
		kfree(g);
		return ERR_PTR(err);
	}
	t->groups++;
	hash_add_rcu(t->hash, &g->node, mgid_hash(mgid));
	return g;
}

static void put_group_if_empty(struct urd_dev *dev, struct group *g)
{
	if (g->count)
		return;
	hash_del_rcu(&g->node);
	dev->mcast->groups--;
	ip_leave(dev->ndev, &g->mgid);
	kfree_rcu(g, rcu);
}

static int add_member(struct urd_mcast_table *t, struct group *g, struct urd_ref *ref)
{
	struct member *m = find_member(g, ref);

	if (m) {
		m->times++;
		return 0;
	}
	if (g->count >= URD_MAX_MCAST_QP || t->attached >= URD_MAX_TOTAL_MCAST_QP)
		return -ENOMEM;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->ref = ref;
	m->times = 1;
	g->count++;
	t->attached++;
	hlist_add_head_rcu(&m->node, &g->members);
	return 0;
}

int urd_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct urd_dev *dev = to_urd_dev(ibqp->device);
	struct urd_mcast_table *t = dev->mcast;
	struct group *g;
	int err;

	mutex_lock(&t->lock);
	g = get_group(dev, mgid);
	if (IS_ERR(g)) {
		err = PTR_ERR(g);
	} else {
		err = add_member(t, g, to_urd_qp(ibqp)->ref);
		put_group_if_empty(dev, g);
	}
	mutex_unlock(&t->lock);
	return err;
}

int urd_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct urd_dev *dev = to_urd_dev(ibqp->device);
	struct urd_mcast_table *t = dev->mcast;
	struct member *m = NULL;
	struct group *g;

	mutex_lock(&t->lock);
	g = find_group(t, mgid);
	if (g)
		m = find_member(g, to_urd_qp(ibqp)->ref);
	if (m && !--m->times) {
		hlist_del_rcu(&m->node);
		g->count--;
		t->attached--;
		kfree_rcu(m, rcu);
		put_group_if_empty(dev, g);
	}
	mutex_unlock(&t->lock);
	return m ? 0 : -EINVAL;
}
