/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Coming and going of devices. */
#ifndef URD_LINK_H
#define URD_LINK_H

#include <urd.h>

/*
 * Guards the lists of namespaces and devices, sockets, and the announced port
 * state. Taken inside RTNL; never held over ib_register_device() or
 * ib_unregister_device(), whose own lock is outside.
 */
extern struct mutex urd_dev_mutex;

/* Device on @ndev or NULL; urd_dev_mutex. */
struct urd_dev *urd_link_find(const struct net_device *ndev);

/* The netdev of @dev leaves: get unregistration going; urd_dev_mutex. */
void urd_link_doom(struct urd_dev *dev);

/* Unregister the devices of a namespace, or all with NULL, and wait. */
void urd_link_remove_all(const struct net *net);

/* Last call from the RDMA core for a device, however far it came. */
void urd_dealloc_driver(struct ib_device *ibdev);

int urd_link_init(void);
void urd_link_exit(void);

#endif /* URD_LINK_H */
