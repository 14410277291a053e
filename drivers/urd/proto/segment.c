// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/urd-abi.h>

#include "segment.h"

/* A message of several packets: its opcodes by position, service bits clear. */
struct multi_op {
	u8 first;
	u8 middle;
	u8 last;
	u8 only;
	bool valid;
	bool uc;
	bool ud;
};

static const struct multi_op multi_ops[URD_WR_OP_COUNT] = {
	[URD_WR_SEND] = {
		.first = URD_OP_SEND_FIRST,
		.middle = URD_OP_SEND_MIDDLE,
		.last = URD_OP_SEND_LAST,
		.only = URD_OP_SEND_ONLY,
		.valid = true, .uc = true, .ud = true,
	},
	[URD_WR_SEND_IMM] = {
		.first = URD_OP_SEND_FIRST,
		.middle = URD_OP_SEND_MIDDLE,
		.last = URD_OP_SEND_LAST_IMM,
		.only = URD_OP_SEND_ONLY_IMM,
		.valid = true, .uc = true, .ud = true,
	},
	[URD_WR_SEND_INV] = {
		.first = URD_OP_SEND_FIRST,
		.middle = URD_OP_SEND_MIDDLE,
		.last = URD_OP_SEND_LAST_INV,
		.only = URD_OP_SEND_ONLY_INV,
		.valid = true,
	},
	[URD_WR_WRITE] = {
		.first = URD_OP_WRITE_FIRST,
		.middle = URD_OP_WRITE_MIDDLE,
		.last = URD_OP_WRITE_LAST,
		.only = URD_OP_WRITE_ONLY,
		.valid = true, .uc = true,
	},
	[URD_WR_WRITE_IMM] = {
		.first = URD_OP_WRITE_FIRST,
		.middle = URD_OP_WRITE_MIDDLE,
		.last = URD_OP_WRITE_LAST_IMM,
		.only = URD_OP_WRITE_ONLY_IMM,
		.valid = true, .uc = true,
	},
};

/* Requests of one packet, RC only; zero: no such operation. */
static const u8 single_ops[URD_WR_OP_COUNT] = {
	[URD_WR_READ]		= URD_OP_READ_REQUEST,
	[URD_WR_CMP_SWP]	= URD_OP_CMP_SWP,
	[URD_WR_FETCH_ADD]	= URD_OP_FETCH_ADD,
	[URD_WR_FLUSH]		= URD_OP_FLUSH,
	[URD_WR_ATOMIC_WRITE]	= URD_OP_ATOMIC_WRITE,
};

static bool has_multi(u8 service, const struct multi_op *op, bool only)
{
	if (!op->valid)
		return false;
	switch (service) {
	case URD_SVC_RC:
		return true;
	case URD_SVC_UC:
		return op->uc;
	case URD_SVC_UD:
		return op->ud && only;
	}
	return false;
}

int urd_seg_opcode(u8 service, u8 wr_op, bool first, bool last)
{
	const struct multi_op *op;

	if (wr_op >= URD_WR_OP_COUNT)
		return -1;
	if (single_ops[wr_op])
		return service == URD_SVC_RC ? single_ops[wr_op] : -1;
	op = &multi_ops[wr_op];
	if (!has_multi(service, op, first && last))
		return -1;
	if (first)
		return service | (last ? op->only : op->first);
	return service | (last ? op->last : op->middle);
}

u8 urd_seg_read_resp_opcode(bool first, bool last)
{
	if (first)
		return last ? URD_OP_READ_RESP_ONLY : URD_OP_READ_RESP_FIRST;
	return last ? URD_OP_READ_RESP_LAST : URD_OP_READ_RESP_MIDDLE;
}
