// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP sockets of the namespaces that have devices: one for IPv4, one for IPv6,
 * opened with the first device and closed with the last (urd_dev_mutex).
 *
 * They are plain sockets with a callback of ours instead of encapsulation
 * sockets: only to a plain one, with UDP_GRO on, does the stack hand whole
 * super-packets.
 */
#include <linux/udp.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "link.h"
#include "net.h"

/*
 * What may wait while another CPU drains, as truesize. Only packets that came
 * in during one drain are ever queued.
 */
#define RCVBUF_BYTES	(8 << 20)

LIST_HEAD(urd_nets);

/*
 * Classes of their own: lockdep shall not take what is done under these locks
 * for what user sockets do. sock_lock_init_class_and_name() would do the same
 * but pin the module for the life of the socket.
 */
static void set_lock_class(struct sock *sk, bool v6)
{
	static struct lock_class_key keys[2], slock_keys[2];

	lockdep_set_class_and_name(&sk->sk_lock.slock, &slock_keys[v6],
				   v6 ? "slock-AF_INET6-URD" : "slock-AF_INET-URD");
	lockdep_init_map(&sk->sk_lock.dep_map,
			 v6 ? "sk_lock-AF_INET6-URD" : "sk_lock-AF_INET-URD",
			 &keys[v6], 0);
}

static int accept_super_packets(struct socket *sock)
{
	int on = 1;

	return sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&on),
				     sizeof(on));
}

static void close_sock(struct urd_sock *us)
{
	struct sock *sk;

	if (!us->sock)
		return;
	sk = us->sock->sk;
	write_lock_bh(&sk->sk_callback_lock);
	if (us->saved_data_ready) {
		WRITE_ONCE(sk->sk_data_ready, us->saved_data_ready);
		rcu_assign_sk_user_data(sk, NULL);
	}
	write_unlock_bh(&sk->sk_callback_lock);
	kernel_sock_shutdown(us->sock, SHUT_RDWR);
	sock_release(us->sock);
	us->sock = NULL;
}

/* Packets may arrive from the end of this on. */
static void publish(struct urd_sock *us, struct urd_net *un)
{
	struct sock *sk = us->sock->sk;

	us->un = un;
	write_lock_bh(&sk->sk_callback_lock);
	us->saved_data_ready = sk->sk_data_ready;
	rcu_assign_sk_user_data(sk, us);
	WRITE_ONCE(sk->sk_data_ready, urd_sock_ready);
	write_unlock_bh(&sk->sk_callback_lock);
}

static int open_sock(struct urd_sock *us, struct urd_net *un, bool v6)
{
	struct udp_port_cfg cfg = {
		.family = v6 ? AF_INET6 : AF_INET,
		.local_udp_port = htons(URD_UDP_PORT),
		/* The ICRC covers what the checksum would; peers send none. */
		.use_udp6_rx_checksums = false,
		.ipv6_v6only = v6,
	};
	int err;

	spin_lock_init(&us->lock);
	us->v6 = v6;
	err = udp_sock_create(un->net, &cfg, &us->sock);
	if (err)
		return err;
	set_lock_class(us->sock->sk, v6);
	sock_set_rcvbuf(us->sock->sk, RCVBUF_BYTES);
	err = accept_super_packets(us->sock);
	if (err) {
		close_sock(us);
		return err;
	}
	publish(us, un);
	return 0;
}

static int open_both(struct urd_net *un, struct netlink_ext_ack *extack)
{
	int err;

	err = open_sock(&un->s4, un, false);
	if (!err) {
		err = open_sock(&un->s6, un, true);
		/* No IPv6: not compiled in, not loaded, or ipv6.disable=1. */
		if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
			err = 0;
	}
	if (!err)
		return 0;
	if (err == -EADDRINUSE)
		NL_SET_ERR_MSG(extack,
			       "UDP port 4791 is in use in this network namespace; rdma_rxe, if loaded, is the likely owner");
	else
		NL_SET_ERR_MSG(extack, "cannot open UDP port 4791");
	close_sock(&un->s4);
	return err;
}

struct urd_net *urd_net_get(struct net *net, struct netlink_ext_ack *extack)
{
	struct urd_net *un;
	int err;

	lockdep_assert_held(&urd_dev_mutex);
	list_for_each_entry(un, &urd_nets, link) {
		if (net_eq(un->net, net)) {
			un->users++;
			return un;
		}
	}
	un = kzalloc(sizeof(*un), GFP_KERNEL);
	if (!un)
		return ERR_PTR(-ENOMEM);
	un->net = net;
	un->users = 1;
	INIT_LIST_HEAD(&un->devs);
	err = open_both(un, extack);
	if (err) {
		kfree_rcu(un, rcu);
		return ERR_PTR(err);
	}
	list_add(&un->link, &urd_nets);
	return un;
}

void urd_net_put(struct urd_net *un)
{
	lockdep_assert_held(&urd_dev_mutex);
	if (--un->users)
		return;
	list_del(&un->link);
	close_sock(&un->s4);
	close_sock(&un->s6);
	kfree_rcu(un, rcu);
}
