// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transport headers (IBTA volume 1, chapter 9; FLUSH: Annex A19), byte by byte:
 * the data may be unaligned and the CPU of any endianness.
 */
#include "packet.h"

#define BTH_SE		0x80
#define BTH_MIG		0x40
#define BTH_PAD_SHIFT	4
#define BTH_PAD_MASK	0x3
#define BTH_VERSION	0x0f
#define BTH_FECN	0x80
#define BTH_BECN	0x40
#define BTH_ACKREQ	0x80

#define FETH_TYPE_MASK		0x0f
#define FETH_LEVEL_SHIFT	4
#define FETH_LEVEL_MASK		0x3

static u32 get24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static u32 get32(const u8 *p)
{
	return (u32)p[0] << 24 | get24(p + 1);
}

static u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

static void put24(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 16);
	p[1] = (u8)(v >> 8);
	p[2] = (u8)v;
}

static void put32(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 24);
	put24(p + 1, v);
}

static void put64(u8 *p, u64 v)
{
	put32(p, (u32)(v >> 32));
	put32(p + 4, (u32)v);
}

static u8 bth_pad(const u8 *bth)
{
	return bth[1] >> BTH_PAD_SHIFT & BTH_PAD_MASK;
}

static void parse_bth(struct urd_packet *pkt, const u8 *p)
{
	pkt->opcode = p[0];
	pkt->se = p[1] & BTH_SE;
	pkt->mig = p[1] & BTH_MIG;
	pkt->pad = bth_pad(p);
	pkt->pkey = (u16)(p[2] << 8 | p[3]);
	pkt->fecn = p[4] & BTH_FECN;
	pkt->becn = p[4] & BTH_BECN;
	pkt->qpn = urd_bth_qpn(p);
	pkt->ackreq = p[8] & BTH_ACKREQ;
	pkt->psn = get24(p + 9);
}

/* DETH, FETH, RETH, AtomicETH: what a request carries before its payload. */
static const u8 *parse_request_hdrs(struct urd_packet *pkt, const u8 *p, u16 hdrs)
{
	if (hdrs & URD_HDR_DETH) {
		pkt->deth.qkey = get32(p);
		pkt->deth.src_qpn = get24(p + 5);
		p += URD_DETH_LEN;
	}
	if (hdrs & URD_HDR_FETH) {
		pkt->feth.type = p[3] & FETH_TYPE_MASK;
		pkt->feth.level = p[3] >> FETH_LEVEL_SHIFT & FETH_LEVEL_MASK;
		p += URD_FETH_LEN;
	}
	if (hdrs & URD_HDR_RETH) {
		pkt->reth.va = get64(p);
		pkt->reth.rkey = get32(p + 8);
		pkt->reth.len = get32(p + 12);
		p += URD_RETH_LEN;
	}
	if (hdrs & URD_HDR_ATOMIC) {
		pkt->atomic.va = get64(p);
		pkt->atomic.rkey = get32(p + 8);
		pkt->atomic.swap_add = get64(p + 12);
		pkt->atomic.compare = get64(p + 20);
		p += URD_ATOMICETH_LEN;
	}
	return p;
}

/* AETH, AtomicAckETH, ImmDt, IETH. */
static void parse_other_hdrs(struct urd_packet *pkt, const u8 *p, u16 hdrs)
{
	if (hdrs & URD_HDR_AETH) {
		pkt->aeth.syndrome = p[0];
		pkt->aeth.msn = get24(p + 1);
		p += URD_AETH_LEN;
	}
	if (hdrs & URD_HDR_ATOMIC_ACK) {
		pkt->atomic_orig = get64(p);
		p += URD_ATOMICACKETH_LEN;
	}
	if (hdrs & URD_HDR_IMM) {
		memcpy(&pkt->imm, p, sizeof(pkt->imm));
		p += URD_IMMDT_LEN;
	}
	if (hdrs & URD_HDR_IETH)
		pkt->inv_rkey = get32(p);
}

enum urd_drop urd_packet_parse(struct urd_packet *pkt, const u8 *data,
			       u32 avail, u32 len)
{
	const struct urd_opinfo *op;
	u32 overhead;

	if (len < URD_MIN_PACKET || avail < URD_BTH_LEN)
		return URD_DROP_SHORT;
	op = &urd_opinfo[data[0]];
	if (op->kind == URD_KIND_NONE)
		return URD_DROP_OPCODE;
	if (data[1] & BTH_VERSION)
		return URD_DROP_VERSION;
	overhead = op->hdr_len + bth_pad(data) + URD_ICRC_LEN;
	if (len < overhead || avail < op->hdr_len)
		return URD_DROP_SHORT;
	if (len & 3)
		return URD_DROP_PAD;

	*pkt = (struct urd_packet){
		.op = op,
		.payload_off = op->hdr_len,
		.payload_len = len - overhead,
	};
	parse_bth(pkt, data);
	if (op->hdrs) {
		const u8 *p = parse_request_hdrs(pkt, data + URD_BTH_LEN, op->hdrs);

		parse_other_hdrs(pkt, p, op->hdrs);
	}
	return URD_DROP_NONE;
}

static void build_bth(u8 *p, const struct urd_packet *pkt)
{
	p[0] = pkt->opcode;
	p[1] = (u8)((pkt->pad & BTH_PAD_MASK) << BTH_PAD_SHIFT);
	if (pkt->se)
		p[1] |= BTH_SE;
	if (pkt->mig)
		p[1] |= BTH_MIG;
	p[2] = (u8)(pkt->pkey >> 8);
	p[3] = (u8)pkt->pkey;
	p[4] = (u8)((pkt->fecn ? BTH_FECN : 0) | (pkt->becn ? BTH_BECN : 0));
	put24(p + 5, pkt->qpn);
	p[8] = pkt->ackreq ? BTH_ACKREQ : 0;
	put24(p + 9, pkt->psn);
}

static u8 *build_request_hdrs(u8 *p, const struct urd_packet *pkt, u16 hdrs)
{
	if (hdrs & URD_HDR_DETH) {
		put32(p, pkt->deth.qkey);
		p[4] = 0;
		put24(p + 5, pkt->deth.src_qpn);
		p += URD_DETH_LEN;
	}
	if (hdrs & URD_HDR_FETH) {
		put24(p, 0);
		p[3] = (u8)((pkt->feth.type & FETH_TYPE_MASK) |
			    (pkt->feth.level & FETH_LEVEL_MASK) << FETH_LEVEL_SHIFT);
		p += URD_FETH_LEN;
	}
	if (hdrs & URD_HDR_RETH) {
		put64(p, pkt->reth.va);
		put32(p + 8, pkt->reth.rkey);
		put32(p + 12, pkt->reth.len);
		p += URD_RETH_LEN;
	}
	if (hdrs & URD_HDR_ATOMIC) {
		put64(p, pkt->atomic.va);
		put32(p + 8, pkt->atomic.rkey);
		put64(p + 12, pkt->atomic.swap_add);
		put64(p + 20, pkt->atomic.compare);
		p += URD_ATOMICETH_LEN;
	}
	return p;
}

static void build_other_hdrs(u8 *p, const struct urd_packet *pkt, u16 hdrs)
{
	if (hdrs & URD_HDR_AETH) {
		p[0] = pkt->aeth.syndrome;
		put24(p + 1, pkt->aeth.msn);
		p += URD_AETH_LEN;
	}
	if (hdrs & URD_HDR_ATOMIC_ACK) {
		put64(p, pkt->atomic_orig);
		p += URD_ATOMICACKETH_LEN;
	}
	if (hdrs & URD_HDR_IMM) {
		memcpy(p, &pkt->imm, sizeof(pkt->imm));
		p += URD_IMMDT_LEN;
	}
	if (hdrs & URD_HDR_IETH)
		put32(p, pkt->inv_rkey);
}

u32 urd_packet_build(u8 *buf, const struct urd_packet *pkt)
{
	const struct urd_opinfo *op = &urd_opinfo[pkt->opcode];

	build_bth(buf, pkt);
	if (op->hdrs) {
		u8 *p = build_request_hdrs(buf + URD_BTH_LEN, pkt, op->hdrs);

		build_other_hdrs(p, pkt, op->hdrs);
	}
	return op->hdr_len;
}

bool urd_packet_payload_ok(const struct urd_packet *pkt, u32 mtu)
{
	u32 len = pkt->payload_len;

	switch (pkt->op->payload) {
	case URD_PAY_NONE:
		return len == 0;
	case URD_PAY_MTU:
		return len == mtu;
	case URD_PAY_1_MTU:
		return len >= 1 && len <= mtu;
	case URD_PAY_0_MTU:
		return len <= mtu;
	case URD_PAY_8:
		return len == 8;
	case URD_PAY_ANY:
		return true;
	}
	return false;
}
