// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: ATOMIC WRITE in the verbs enums. */
#include <rdma/ib_verbs.h>

u64 probe(struct ib_send_wr *wr);
u64 probe(struct ib_send_wr *wr)
{
	wr->opcode = IB_WR_ATOMIC_WRITE;
	return IB_DEVICE_ATOMIC_WRITE | IB_WC_ATOMIC_WRITE;
}
