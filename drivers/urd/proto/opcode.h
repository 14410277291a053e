/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The opcode table: one row per BTH opcode, the only truth about it. */
#ifndef URD_OPCODE_H
#define URD_OPCODE_H

#include "portable.h"
#include "wire.h"

/* Extension headers after the BTH, in wire order. */
enum urd_hdr {
	URD_HDR_DETH		= 1 << 0,
	URD_HDR_FETH		= 1 << 1,
	URD_HDR_RETH		= 1 << 2,
	URD_HDR_ATOMIC		= 1 << 3,
	URD_HDR_AETH		= 1 << 4,
	URD_HDR_ATOMIC_ACK	= 1 << 5,
	URD_HDR_IMM		= 1 << 6,
	URD_HDR_IETH		= 1 << 7,
};

enum urd_op_kind {
	URD_KIND_NONE,		/* opcode not assigned, or not supported */
	URD_KIND_SEND,
	URD_KIND_WRITE,
	URD_KIND_READ,		/* request */
	URD_KIND_ATOMIC,	/* CMP_SWP, FETCH_ADD */
	URD_KIND_FLUSH,
	URD_KIND_ATOMIC_WRITE,
	URD_KIND_READ_RESP,
	URD_KIND_ACK,
	URD_KIND_ATOMIC_ACK,
	URD_KIND_CNP,
};

enum urd_op_pos {
	URD_POS_FIRST		= 1 << 0,
	URD_POS_LAST		= 1 << 1,	/* FIRST|LAST is ONLY, 0 is MIDDLE */
};

/* What the payload length of a packet of this opcode has to be (9.7.4.1.5). */
enum urd_payload_rule {
	URD_PAY_NONE,		/* no payload */
	URD_PAY_MTU,		/* exactly the path MTU: FIRST, MIDDLE */
	URD_PAY_1_MTU,		/* 1 .. path MTU: LAST */
	URD_PAY_0_MTU,		/* 0 .. path MTU: ONLY */
	URD_PAY_8,		/* ATOMIC WRITE */
	URD_PAY_ANY,		/* CNP: 16 reserved bytes, not looked at */
};

/**
 * struct urd_opinfo - properties of one BTH opcode
 * @name: as in the specification, for traces
 * @kind: operation
 * @service: URD_SVC_*
 * @pos: enum urd_op_pos bits
 * @hdrs: enum urd_hdr bits
 * @hdr_len: BTH and extension headers, bytes
 * @payload: enum urd_payload_rule
 * @is_request: goes to the responder; otherwise to the requester
 * @needs_rwqe: this packet completes a receive WQE: last one of a SEND or of a
 *	WRITE with immediate
 */
struct urd_opinfo {
	const char *name;
	u8 kind;
	u8 service;
	u8 pos;
	u8 hdr_len;
	u16 hdrs;
	u8 payload;
	bool is_request;
	bool needs_rwqe;
};

extern const struct urd_opinfo urd_opinfo[256];

/* False for an opcode that the table does not know. */
static inline bool urd_op_known(u8 opcode)
{
	return urd_opinfo[opcode].kind != URD_KIND_NONE;
}

#endif /* URD_OPCODE_H */
