// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Routes. An address vector keeps the route it used last; dst_check() and its
 * cookie say whether it still holds. Writers serialize on av->dst_lock, readers
 * run under RCU, which is what dst entries are freed after.
 */
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/route.h>

#include "net.h"
#include "route.h"

static struct dst_entry *lookup_v4(struct urd_av *av, struct urd_dev *dev)
{
	struct net *net = dev->net->net;
	struct flowi4 fl = {
		.daddr = av->daddr.s6_addr32[3],
		.saddr = av->saddr.s6_addr32[3],
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = av->sport,
		.fl4_dport = htons(URD_UDP_PORT),
	};
	struct rtable *rt;

	/* An address of this host is reached through lo, whatever its netdev. */
	if (inet_addr_type(net, fl.daddr) != RTN_LOCAL)
		fl.flowi4_oif = dev->ndev->ifindex;
	rt = ip_route_output_key(net, &fl);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *lookup_v6(struct urd_av *av, struct urd_dev *dev)
{
	struct net *net = dev->net->net;
	struct flowi6 fl = {
		.daddr = av->daddr,
		.saddr = av->saddr,
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = av->sport,
		.fl6_dport = htons(URD_UDP_PORT),
	};
	struct dst_entry *dst;

	if (!ipv6_chk_addr(net, &fl.daddr, NULL, 0) ||
	    ipv6_addr_type(&fl.daddr) & IPV6_ADDR_LINKLOCAL)
		fl.flowi6_oif = dev->ndev->ifindex;
	dst = ip6_dst_lookup_flow(net, dev->net->s6.sock->sk, &fl, NULL);
	return IS_ERR(dst) ? NULL : dst;
}

static struct dst_entry *lookup(struct urd_av *av, struct urd_dev *dev)
{
	if (!av->v6)
		return lookup_v4(av, dev);
	return dev->net->s6.sock ? lookup_v6(av, dev) : NULL;
}

static struct dst_entry *cached(struct urd_av *av)
{
	struct dst_entry *dst;

	rcu_read_lock();
	dst = rcu_dereference(av->dst);
	if (dst && !dst_check(dst, READ_ONCE(av->dst_cookie)))
		dst = NULL;
	if (dst && !dst_hold_safe(dst))
		dst = NULL;
	rcu_read_unlock();
	return dst;
}

static void replace(struct urd_av *av, struct dst_entry *dst, u32 cookie)
{
	struct dst_entry *old;

	spin_lock_bh(&av->dst_lock);
	old = rcu_dereference_protected(av->dst, lockdep_is_held(&av->dst_lock));
	WRITE_ONCE(av->dst_cookie, cookie);
	rcu_assign_pointer(av->dst, dst);
	spin_unlock_bh(&av->dst_lock);
	dst_release(old);
}

struct dst_entry *urd_route(struct urd_av *av, struct urd_dev *dev)
{
	struct dst_entry *dst = cached(av);
	u32 cookie = 0;

	if (dst)
		return dst;
	dst = lookup(av, dev);
	if (!dst)
		return NULL;
	if (av->v6)
		cookie = rt6_get_cookie((struct rt6_info *)dst);
	dst_hold(dst);
	replace(av, dst, cookie);
	return dst;
}

void urd_route_drop(struct urd_av *av)
{
	replace(av, NULL, 0);
}
