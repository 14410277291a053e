// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: FLUSH in the verbs enums. */
#include <rdma/ib_verbs.h>

u64 probe(struct ib_send_wr *wr);
u64 probe(struct ib_send_wr *wr)
{
	wr->opcode = IB_WR_FLUSH;
	return IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT |
	       IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT |
	       IB_WC_FLUSH;
}
