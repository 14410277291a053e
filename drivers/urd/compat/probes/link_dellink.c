// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.1: rdma_link_ops.dellink, optional. */
#include <rdma/rdma_netlink.h>

static int probe(struct ib_device *dev)
{
	return 0;
}

struct rdma_link_ops probe_ops = { .dellink = probe };
