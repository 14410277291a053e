// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "respond.h"
#include "segment.h"

static bool starts_message(const struct urd_packet *pkt)
{
	return pkt->op->pos & URD_POS_FIRST;
}

static enum urd_verdict rc_psn(const struct urd_resp_state *st, u32 psn)
{
	s32 diff = urd_psn_diff(psn, st->epsn);

	if (diff == 0)
		return URD_V_EXECUTE;
	if (diff < 0)
		return URD_V_DUPLICATE;
	return st->nak_sent ? URD_V_DROP : URD_V_NAK_SEQ;
}

static enum urd_verdict uc_psn(const struct urd_resp_state *st,
			       const struct urd_packet *pkt)
{
	if (starts_message(pkt))
		return URD_V_EXECUTE;
	if (st->psn_lost)
		return URD_V_DROP;
	return pkt->psn == st->epsn ? URD_V_EXECUTE : URD_V_DROP_MESSAGE;
}

enum urd_verdict urd_respond_psn(const struct urd_resp_state *st,
				 const struct urd_resp_caps *caps,
				 const struct urd_packet *pkt)
{
	if (!pkt->op->is_request || pkt->op->service != caps->service)
		return URD_V_DROP;
	switch (caps->service) {
	case URD_SVC_RC:
		return rc_psn(st, pkt->psn);
	case URD_SVC_UC:
		return uc_psn(st, pkt);
	case URD_SVC_UD:
		return URD_V_EXECUTE;
	}
	return URD_V_DROP;
}

/* 9.7.4.1.3: a message is not interrupted, and nothing continues without one. */
static bool sequence_ok(const struct urd_resp_state *st,
			const struct urd_packet *pkt)
{
	if (starts_message(pkt))
		return st->msg_kind == URD_KIND_NONE;
	return st->msg_kind == pkt->op->kind;
}

static bool enabled(const struct urd_resp_caps *caps, u8 kind)
{
	switch (kind) {
	case URD_KIND_SEND:
		return true;
	case URD_KIND_WRITE:
		return caps->allow_write;
	case URD_KIND_READ:
		return caps->allow_read && caps->max_rd_atomic;
	case URD_KIND_ATOMIC:
		return caps->allow_atomic && caps->max_rd_atomic;
	case URD_KIND_ATOMIC_WRITE:
		return caps->allow_write && caps->max_rd_atomic;
	case URD_KIND_FLUSH:
		return caps->allow_flush;
	}
	return false;
}

static bool atomic_aligned(u64 va)
{
	return (va & 7) == 0;
}

static bool flush_ok(const struct urd_packet *pkt)
{
	u8 known = URD_FLUSH_GLOBAL | URD_FLUSH_PERSISTENT;

	return pkt->feth.type && !(pkt->feth.type & ~known) &&
	       pkt->feth.level <= URD_FLUSH_MR;
}

/* Fields of the extension headers. Those that the packet lacks are zero. */
static bool fields_ok(const struct urd_packet *pkt)
{
	if (pkt->reth.len > URD_MAX_MSG)
		return false;
	switch (pkt->op->kind) {
	case URD_KIND_ATOMIC:
		return atomic_aligned(pkt->atomic.va);
	case URD_KIND_ATOMIC_WRITE:
		return pkt->reth.len == 8 && atomic_aligned(pkt->reth.va);
	case URD_KIND_FLUSH:
		return flush_ok(pkt);
	}
	return true;
}

static bool contents_ok(const struct urd_resp_caps *caps, const struct urd_packet *pkt)
{
	return urd_packet_payload_ok(pkt, caps->mtu) &&
	       enabled(caps, pkt->op->kind) && fields_ok(pkt);
}

enum urd_verdict urd_respond_op(const struct urd_resp_state *st,
				const struct urd_resp_caps *caps,
				const struct urd_packet *pkt)
{
	bool ok;

	switch (caps->service) {
	case URD_SVC_RC:
		ok = sequence_ok(st, pkt) && contents_ok(caps, pkt);
		return ok ? URD_V_EXECUTE : URD_V_NAK_INVALID;
	case URD_SVC_UC:
		ok = (starts_message(pkt) || sequence_ok(st, pkt)) && contents_ok(caps, pkt);
		return ok ? URD_V_EXECUTE : URD_V_DROP_MESSAGE;
	case URD_SVC_UD:
		return contents_ok(caps, pkt) ? URD_V_EXECUTE : URD_V_DROP;
	}
	return URD_V_DROP;
}

u32 urd_respond_psn_span(const struct urd_packet *pkt, u32 mtu)
{
	return pkt->op->kind == URD_KIND_READ ? urd_seg_count(pkt->reth.len, mtu) : 1;
}

void urd_respond_accept(struct urd_resp_state *st, const struct urd_resp_caps *caps,
			const struct urd_packet *pkt)
{
	const struct urd_opinfo *op = pkt->op;

	st->epsn = urd_psn_add(pkt->psn, urd_respond_psn_span(pkt, caps->mtu));
	st->msg_kind = op->pos & URD_POS_LAST ? URD_KIND_NONE : op->kind;
	st->nak_sent = false;
	st->psn_lost = false;
}

void urd_respond_forget(struct urd_resp_state *st)
{
	st->msg_kind = URD_KIND_NONE;
	st->psn_lost = true;
}
