// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * IBTA volume 1, 9.2.1 (BTH opcodes and their headers) and 9.7.4.1.5 (payload
 * rules); FLUSH and ATOMIC WRITE from Annex A19, CNP from Annex A17. What has
 * no row (RD, XRC, RESYNC, reserved) is URD_KIND_NONE.
 */
#include "opcode.h"

const struct urd_opinfo urd_opinfo[256] = {
	/* reliable connection */
	[URD_SVC_RC | URD_OP_SEND_FIRST] = {
		.name = "RC SEND First",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC, .pos = URD_POS_FIRST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_SEND_MIDDLE] = {
		.name = "RC SEND Middle",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC, .pos = 0,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_SEND_LAST] = {
		.name = "RC SEND Last",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_SEND_LAST_IMM] = {
		.name = "RC SEND Last with Immediate",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_SEND_ONLY] = {
		.name = "RC SEND Only",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_SEND_ONLY_IMM] = {
		.name = "RC SEND Only with Immediate",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_FIRST] = {
		.name = "RC RDMA WRITE First",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC, .pos = URD_POS_FIRST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_MIDDLE] = {
		.name = "RC RDMA WRITE Middle",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC, .pos = 0,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_LAST] = {
		.name = "RC RDMA WRITE Last",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_LAST_IMM] = {
		.name = "RC RDMA WRITE Last with Immediate",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_ONLY] = {
		.name = "RC RDMA WRITE Only",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_WRITE_ONLY_IMM] = {
		.name = "RC RDMA WRITE Only with Immediate",
		.kind = URD_KIND_WRITE, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH | URD_HDR_IMM,
		.hdr_len = URD_BTH_LEN + URD_RETH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_READ_REQUEST] = {
		.name = "RC RDMA READ Request",
		.kind = URD_KIND_READ, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_NONE, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_READ_RESP_FIRST] = {
		.name = "RC RDMA READ response First",
		.kind = URD_KIND_READ_RESP, .service = URD_SVC_RC, .pos = URD_POS_FIRST,
		.hdrs = URD_HDR_AETH, .hdr_len = URD_BTH_LEN + URD_AETH_LEN,
		.payload = URD_PAY_MTU,
	},
	[URD_SVC_RC | URD_OP_READ_RESP_MIDDLE] = {
		.name = "RC RDMA READ response Middle",
		.kind = URD_KIND_READ_RESP, .service = URD_SVC_RC, .pos = 0,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU,
	},
	[URD_SVC_RC | URD_OP_READ_RESP_LAST] = {
		.name = "RC RDMA READ response Last",
		.kind = URD_KIND_READ_RESP, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_AETH, .hdr_len = URD_BTH_LEN + URD_AETH_LEN,
		.payload = URD_PAY_1_MTU,
	},
	[URD_SVC_RC | URD_OP_READ_RESP_ONLY] = {
		.name = "RC RDMA READ response Only",
		.kind = URD_KIND_READ_RESP, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_AETH, .hdr_len = URD_BTH_LEN + URD_AETH_LEN,
		.payload = URD_PAY_0_MTU,
	},
	[URD_SVC_RC | URD_OP_ACK] = {
		.name = "RC Acknowledge",
		.kind = URD_KIND_ACK, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_AETH, .hdr_len = URD_BTH_LEN + URD_AETH_LEN,
		.payload = URD_PAY_NONE,
	},
	[URD_SVC_RC | URD_OP_ATOMIC_ACK] = {
		.name = "RC ATOMIC Acknowledge",
		.kind = URD_KIND_ATOMIC_ACK, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_AETH | URD_HDR_ATOMIC_ACK,
		.hdr_len = URD_BTH_LEN + URD_AETH_LEN + URD_ATOMICACKETH_LEN,
		.payload = URD_PAY_NONE,
	},
	[URD_SVC_RC | URD_OP_CMP_SWP] = {
		.name = "RC CmpSwap",
		.kind = URD_KIND_ATOMIC, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_ATOMIC, .hdr_len = URD_BTH_LEN + URD_ATOMICETH_LEN,
		.payload = URD_PAY_NONE, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_FETCH_ADD] = {
		.name = "RC FetchAdd",
		.kind = URD_KIND_ATOMIC, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_ATOMIC, .hdr_len = URD_BTH_LEN + URD_ATOMICETH_LEN,
		.payload = URD_PAY_NONE, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_SEND_LAST_INV] = {
		.name = "RC SEND Last with Invalidate",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_IETH, .hdr_len = URD_BTH_LEN + URD_IETH_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_SEND_ONLY_INV] = {
		.name = "RC SEND Only with Invalidate",
		.kind = URD_KIND_SEND, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_IETH, .hdr_len = URD_BTH_LEN + URD_IETH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_RC | URD_OP_FLUSH] = {
		.name = "RC FLUSH",
		.kind = URD_KIND_FLUSH, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_FETH | URD_HDR_RETH,
		.hdr_len = URD_BTH_LEN + URD_FETH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_NONE, .is_request = true,
	},
	[URD_SVC_RC | URD_OP_ATOMIC_WRITE] = {
		.name = "RC ATOMIC WRITE",
		.kind = URD_KIND_ATOMIC_WRITE, .service = URD_SVC_RC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_8, .is_request = true,
	},

	/* unreliable connection: SEND and RDMA WRITE, no invalidate */
	[URD_SVC_UC | URD_OP_SEND_FIRST] = {
		.name = "UC SEND First",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC, .pos = URD_POS_FIRST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_SEND_MIDDLE] = {
		.name = "UC SEND Middle",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC, .pos = 0,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_SEND_LAST] = {
		.name = "UC SEND Last",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC, .pos = URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UC | URD_OP_SEND_LAST_IMM] = {
		.name = "UC SEND Last with Immediate",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UC | URD_OP_SEND_ONLY] = {
		.name = "UC SEND Only",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UC | URD_OP_SEND_ONLY_IMM] = {
		.name = "UC SEND Only with Immediate",
		.kind = URD_KIND_SEND, .service = URD_SVC_UC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_FIRST] = {
		.name = "UC RDMA WRITE First",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC, .pos = URD_POS_FIRST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_MIDDLE] = {
		.name = "UC RDMA WRITE Middle",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC, .pos = 0,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_LAST] = {
		.name = "UC RDMA WRITE Last",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC, .pos = URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_LAST_IMM] = {
		.name = "UC RDMA WRITE Last with Immediate",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC, .pos = URD_POS_LAST,
		.hdrs = URD_HDR_IMM, .hdr_len = URD_BTH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_1_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_ONLY] = {
		.name = "UC RDMA WRITE Only",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH, .hdr_len = URD_BTH_LEN + URD_RETH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true,
	},
	[URD_SVC_UC | URD_OP_WRITE_ONLY_IMM] = {
		.name = "UC RDMA WRITE Only with Immediate",
		.kind = URD_KIND_WRITE, .service = URD_SVC_UC,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_RETH | URD_HDR_IMM,
		.hdr_len = URD_BTH_LEN + URD_RETH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},

	/* unreliable datagram */
	[URD_SVC_UD | URD_OP_SEND_ONLY] = {
		.name = "UD SEND Only",
		.kind = URD_KIND_SEND, .service = URD_SVC_UD,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_DETH, .hdr_len = URD_BTH_LEN + URD_DETH_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},
	[URD_SVC_UD | URD_OP_SEND_ONLY_IMM] = {
		.name = "UD SEND Only with Immediate",
		.kind = URD_KIND_SEND, .service = URD_SVC_UD,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdrs = URD_HDR_DETH | URD_HDR_IMM,
		.hdr_len = URD_BTH_LEN + URD_DETH_LEN + URD_IMMDT_LEN,
		.payload = URD_PAY_0_MTU, .is_request = true, .needs_rwqe = true,
	},

	/* congestion notification: no service of its own, 16 reserved bytes */
	[URD_OP_CNP] = {
		.name = "CNP",
		.kind = URD_KIND_CNP, .service = URD_OP_CNP & URD_SVC_MASK,
		.pos = URD_POS_FIRST | URD_POS_LAST,
		.hdr_len = URD_BTH_LEN,
		.payload = URD_PAY_ANY,
	},
};
