// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Must not compile: otherwise no answer of the other probes means anything. */
#include <rdma/rdma_netlink.h>

static int newlink(struct net_device *ndev, int no_such_argument)
{
	return 0;
}

struct rdma_link_ops probe_link_ops = { .newlink = newlink };
