// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: ib_umem_get() was renamed, with the same arguments. */
#include <rdma/ib_umem.h>

struct ib_umem *probe(struct ib_device *dev);
struct ib_umem *probe(struct ib_device *dev)
{
	return ib_umem_get_va(dev, 0ul, (size_t)0, 0);
}
