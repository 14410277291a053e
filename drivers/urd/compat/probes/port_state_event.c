// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.14: the core raises PORT_ACTIVE and PORT_ERR on netdev events itself. */
#include <rdma/ib_verbs.h>

void probe(struct ib_device *dev, struct net_device *ndev);
void probe(struct ib_device *dev, struct net_device *ndev)
{
	ib_dispatch_port_state_event(dev, ndev);
}
