// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.11: udev shall not rename a device that the admin named. */
#include <rdma/ib_verbs.h>

void probe(struct ib_device *dev);
void probe(struct ib_device *dev)
{
	ib_mark_name_assigned_by_user(dev);
}
