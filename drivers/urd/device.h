/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the RDMA core is told about a device and its port. */
#ifndef URD_DEVICE_H
#define URD_DEVICE_H

#include <urd.h>

/* Ops, names and numbers of a fresh ib_device; nothing that can fail. */
void urd_device_setup(struct urd_dev *dev);
/* GUID from the netdev; @salt tells netdevs with one MAC address apart. */
__be64 urd_device_guid(const struct net_device *ndev, u16 salt);

/* counters.c */
struct rdma_hw_stats *urd_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int urd_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index);
u64 urd_counter_sum(const struct urd_dev *dev, enum urd_counter counter);

/* mcast.c */
int urd_mcast_init(struct urd_dev *dev);
void urd_mcast_exit(struct urd_dev *dev);
int urd_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid);
int urd_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid);

/* gsi.c */
int urd_process_mad(struct ib_device *ibdev, int flags, u32 port,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

#endif /* URD_DEVICE_H */
