/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bytes to struct urd_packet and back. */
#ifndef URD_PACKET_H
#define URD_PACKET_H

#include "portable.h"
#include "opcode.h"

/* Why a packet was dropped before any QP saw it; also counter names. */
enum urd_drop {
	URD_DROP_NONE,
	URD_DROP_SHORT,		/* shorter than its headers, pad and ICRC */
	URD_DROP_OPCODE,	/* unknown or unsupported opcode */
	URD_DROP_VERSION,	/* transport header version not 0 */
	URD_DROP_PAD,		/* payload and pad are no multiple of 4 bytes */
};

/**
 * struct urd_packet - a transport packet in host order
 * @op: row of the opcode table, never NULL after a successful parse
 * @opcode: BTH opcode
 * @pad: pad count, 0..3
 * @se: solicited event bit
 * @mig: MigReq bit
 * @ackreq: AckReq bit
 * @fecn: FECN bit
 * @becn: BECN bit
 * @pkey: partition key
 * @qpn: destination QP number
 * @psn: packet sequence number
 * @payload_off: offset of the payload from the start of the BTH
 * @payload_len: bytes of payload without pad and ICRC
 * @reth: of WRITE FIRST/ONLY, READ REQUEST, FLUSH, ATOMIC WRITE
 * @atomic: of CMP_SWP, FETCH_ADD
 * @aeth: of ACK, ATOMIC ACK, READ RESPONSE FIRST/LAST/ONLY
 * @atomic_orig: value before the atomic (ATOMIC ACK)
 * @deth: of UD packets
 * @imm: immediate data as on the wire
 * @inv_rkey: key of SEND with invalidate
 * @feth: of FLUSH
 *
 * Fields of headers that the opcode does not have are zero.
 */
struct urd_packet {
	const struct urd_opinfo *op;
	u8 opcode;
	u8 pad;
	bool se;
	bool mig;
	bool ackreq;
	bool fecn;
	bool becn;
	u16 pkey;
	u32 qpn;
	u32 psn;
	u32 payload_off;
	u32 payload_len;
	struct {
		u64 va;
		u32 rkey;
		u32 len;
	} reth;
	struct {
		u64 va;
		u64 swap_add;
		u64 compare;
		u32 rkey;
	} atomic;
	struct {
		u8 syndrome;
		u32 msn;
	} aeth;
	u64 atomic_orig;
	struct {
		u32 qkey;
		u32 src_qpn;
	} deth;
	__be32 imm;
	u32 inv_rkey;
	struct {
		u8 type;
		u8 level;
	} feth;
};

/**
 * urd_packet_parse - decode and validate the headers of one packet
 * @pkt: result
 * @data: start of the BTH
 * @avail: contiguous bytes at @data, at least min(@len, URD_MAX_HDR_LEN)
 * @len: bytes of the packet from BTH to ICRC, both included
 *
 * Order of checks: minimum size, known opcode, version, headers + pad + ICRC
 * within @len. Only then is a length computed (faults W01, W02). A packet is a
 * multiple of 4 bytes long, so an empty payload has no pad (9.2.4).
 *
 * Return: URD_DROP_NONE, or the reason to drop the packet.
 */
enum urd_drop urd_packet_parse(struct urd_packet *pkt, const u8 *data,
			       u32 avail, u32 len);

/**
 * urd_packet_build - write BTH and extension headers
 * @buf: room for URD_MAX_HDR_LEN bytes
 * @pkt: opcode and the fields that its headers need; @op is not looked at
 *
 * The version is 0. Bits that the specification reserves are 0.
 *
 * Return: bytes written, which is urd_opinfo[opcode].hdr_len.
 */
u32 urd_packet_build(u8 *buf, const struct urd_packet *pkt);

/* Does the payload length obey the opcode's rule (9.7.4.1.5) for this path MTU? */
bool urd_packet_payload_ok(const struct urd_packet *pkt, u32 mtu);

/* Destination QPN of a packet, of which at least URD_BTH_LEN bytes exist. */
static inline u32 urd_bth_qpn(const u8 *bth)
{
	return (u32)bth[5] << 16 | (u32)bth[6] << 8 | bth[7];
}

#endif /* URD_PACKET_H */
