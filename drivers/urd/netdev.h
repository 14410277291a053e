/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Port state as the netdev dictates it. */
#ifndef URD_NETDEV_H
#define URD_NETDEV_H

#include <urd.h>

/* Smallest netdev MTU that carries the smallest path MTU. */
#define URD_MIN_NETDEV_MTU	(URD_MIN_MTU + URD_MTU_RESERVE)
/* The longest headers around a full payload: IPv6, UDP, WRITE with immediate. */
#define URD_MTU_RESERVE		(40 + 8 + URD_BTH_LEN + URD_RETH_LEN + \
				 URD_IMMDT_LEN + URD_ICRC_LEN)

enum ib_port_state urd_port_state(const struct urd_dev *dev);
enum ib_mtu urd_active_mtu(const struct urd_dev *dev);

/*
 * Look at the netdev again and tell consumers what changed. RTNL and
 * urd_dev_mutex are held.
 */
void urd_netdev_refresh(struct urd_dev *dev);

int urd_netdev_init(void);
void urd_netdev_exit(void);

#endif /* URD_NETDEV_H */
