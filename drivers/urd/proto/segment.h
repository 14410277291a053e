/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A work request and a path MTU give the n-th packet of the message. */
#ifndef URD_SEGMENT_H
#define URD_SEGMENT_H

#include "portable.h"
#include "wire.h"

/* Packets of a message (or PSNs of a READ response): at least one. */
static inline u32 urd_seg_count(u32 len, u32 mtu)
{
	return len ? (u32)(((u64)len + mtu - 1) / mtu) : 1;
}

/* Pad bytes after a payload. */
static inline u32 urd_pad(u32 payload)
{
	return (0u - payload) & 3;
}

/**
 * urd_seg_opcode - BTH opcode of one packet of a request
 * @service: URD_SVC_RC, URD_SVC_UC or URD_SVC_UD
 * @wr_op: enum urd_wr_op of include/uapi/rdma/urd-abi.h, not a local operation
 * @first: the packet is the first of the message
 * @last: the packet is the last of the message
 *
 * READ, atomics, FLUSH and ATOMIC WRITE are one request packet, whatever
 * @first and @last say. A UD message is one packet: it has to be both.
 *
 * Return: the opcode, or -1 where the service has no such operation.
 */
int urd_seg_opcode(u8 service, u8 wr_op, bool first, bool last);

/* Opcode of the n-th READ response packet. */
u8 urd_seg_read_resp_opcode(bool first, bool last);

#endif /* URD_SEGMENT_H */
