/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UDP sockets of a network namespace, and what arrives on them. */
#ifndef URD_NET_H
#define URD_NET_H

#include <linux/net.h>
#include <linux/netlink.h>
#include <urd.h>

/**
 * struct urd_sock - one receiving UDP socket
 * @saved_data_ready: callback to restore before release
 * @lock: from dequeue of an skb until it is in its QP's inbox, so that two
 *	CPUs cannot swap the packets of one flow; held for no work beyond that
 */
struct urd_sock {
	struct socket *sock;
	struct urd_net *un;
	void (*saved_data_ready)(struct sock *sk);
	spinlock_t lock; /* order of arrival */
	bool v6;
};

/**
 * struct urd_net - namespace with at least one device
 * @net: namespace, not held: devices do not outlive it
 * @users: devices, under urd_dev_mutex
 * @devs: RCU list of devices that receive (urd_dev.link)
 * @link: in urd_nets, under urd_dev_mutex
 * @rcu: for freeing: receivers come here through their socket
 */
struct urd_net {
	struct net *net;
	u32 users;
	struct urd_sock s4;
	struct urd_sock s6;
	struct list_head devs;
	struct list_head link;
	struct rcu_head rcu;
};

/* All of them, under urd_dev_mutex (sock.c). */
extern struct list_head urd_nets;

/* sock.c: under urd_dev_mutex. Errors are explained in @extack, may be NULL. */
struct urd_net *urd_net_get(struct net *net, struct netlink_ext_ack *extack);
void urd_net_put(struct urd_net *un);

/* rx.c: sk_data_ready of both sockets; sk_user_data is the struct urd_sock. */
void urd_sock_ready(struct sock *sk);

/* mcast.c: held handles of the QPs attached to @mgid, at most @max. BH. */
u32 urd_mcast_find(struct urd_dev *dev, const union ib_gid *mgid,
		   struct urd_ref **refs, u32 max);

#endif /* URD_NET_H */
