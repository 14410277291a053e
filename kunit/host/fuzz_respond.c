// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Input: what the QP allows, then packets. Each is judged, and the state is
 * taken on as an engine would. Beside it runs a model that knows messages only
 * as "a start, then rests of the same kind, up to an end".
 */
#include "fuzz.h"
#include "../../drivers/urd/proto/respond.h"
#include "../../drivers/urd/proto/segment.h"

static const u8 services[] = { URD_SVC_RC, URD_SVC_UC, URD_SVC_UD, URD_SVC_RC };

struct model {
	u8 in_message;	/* kind of the message whose end has not come */
	u32 next;	/* PSN after the last executed packet */
	bool started;	/* something was executed */
};

static struct urd_resp_caps take_caps(struct input *in)
{
	u32 bits = take(in, 1);
	struct urd_resp_caps caps = {
		.service = services[bits & 3],
		.mtu = URD_MIN_MTU << take(in, 1) % 5,
		.allow_write = bits & 0x04,
		.allow_read = bits & 0x08,
		.allow_atomic = bits & 0x10,
		.allow_flush = bits & 0x20,
		.max_rd_atomic = bits >> 6,
	};

	return caps;
}

/* A packet as the parser could have delivered it. */
static bool take_packet(struct input *in, const struct urd_resp_state *st, u32 mtu,
			struct urd_packet *pkt)
{
	u8 opcode = take(in, 1);
	s32 ahead = (s32)(take(in, 1) ^ 0x80) - 0x80;	/* 0 is in order */
	u32 shape = take(in, 1);

	*pkt = (struct urd_packet){
		.op = &urd_opinfo[opcode],
		.opcode = opcode,
		.psn = urd_psn_add(st->epsn, ahead),
		.payload_len = shape & 0x80 ? mtu : shape & 0x1f,
	};
	if (shape & 0x40)
		pkt->psn = take(in, 3);
	if (shape & 0x20)
		pkt->payload_len = take(in, 2);
	if (pkt->op->hdrs & URD_HDR_RETH) {
		pkt->reth.len = take(in, 4);
		pkt->reth.va = take(in, 1);
	}
	if (pkt->op->hdrs & URD_HDR_ATOMIC)
		pkt->atomic.va = take(in, 1);
	if (pkt->op->hdrs & URD_HDR_FETH) {
		pkt->feth.type = take(in, 1) & 0xf;
		pkt->feth.level = take(in, 1) & 0x3;
	}
	return urd_op_known(opcode);
}

static void check_contents(const struct urd_resp_caps *caps, const struct urd_packet *pkt)
{
	u8 kind = pkt->op->kind;

	CHECK(pkt->op->is_request && pkt->op->service == caps->service);
	CHECK(pkt->payload_len <= caps->mtu);
	CHECK(pkt->reth.len <= URD_MAX_MSG);
	CHECK(urd_respond_psn_span(pkt, caps->mtu) <= 1u << 23);
	CHECK(kind != URD_KIND_WRITE || caps->allow_write);
	CHECK(kind != URD_KIND_READ || (caps->allow_read && caps->max_rd_atomic));
	CHECK(kind != URD_KIND_ATOMIC || (caps->allow_atomic && !(pkt->atomic.va & 7)));
	CHECK(kind != URD_KIND_ATOMIC_WRITE ||
	      (pkt->payload_len == 8 && pkt->reth.len == 8 && !(pkt->reth.va & 7)));
	CHECK(kind != URD_KIND_FLUSH || caps->allow_flush);
}

/* A packet that is to be executed, against the model. */
static void check_executed(struct model *m, const struct urd_resp_caps *caps,
			   const struct urd_packet *pkt)
{
	bool starts = pkt->op->pos & URD_POS_FIRST;
	bool ends = pkt->op->pos & URD_POS_LAST;

	check_contents(caps, pkt);
	if (caps->service == URD_SVC_RC) {
		CHECK(!m->started || pkt->psn == m->next);
		CHECK(starts == (m->in_message == URD_KIND_NONE));
	}
	if (!starts)
		CHECK(m->in_message == pkt->op->kind);
	if (!starts && caps->service == URD_SVC_UC)
		CHECK(pkt->psn == m->next);
	if (!ends)
		CHECK(pkt->payload_len == caps->mtu);
	m->in_message = ends ? URD_KIND_NONE : pkt->op->kind;
	m->next = urd_psn_add(pkt->psn, urd_respond_psn_span(pkt, caps->mtu));
	m->started = true;
}

static bool verdict_allowed(u8 service, enum urd_verdict v)
{
	switch (v) {
	case URD_V_EXECUTE:
	case URD_V_DROP:
		return true;
	case URD_V_DUPLICATE:
	case URD_V_NAK_SEQ:
	case URD_V_NAK_INVALID:
		return service == URD_SVC_RC;
	case URD_V_DROP_MESSAGE:
		return service == URD_SVC_UC;
	default:
		return false;
	}
}

int urd_fuzz_one(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct urd_resp_caps caps = take_caps(&in);
	struct urd_resp_state st = { .epsn = take(&in, 3) };
	struct model m = {};

	while (in.left) {
		struct urd_packet pkt;
		enum urd_verdict v;

		if (!take_packet(&in, &st, caps.mtu, &pkt))
			continue;
		v = urd_respond_psn(&st, &caps, &pkt);
		CHECK(verdict_allowed(caps.service, v));
		if (v == URD_V_EXECUTE)
			v = urd_respond_op(&st, &caps, &pkt);
		CHECK(verdict_allowed(caps.service, v));
		if (v == URD_V_NAK_INVALID)
			break;	/* the QP is in the error state */
		if (v == URD_V_NAK_SEQ) {
			CHECK(!st.nak_sent);
			st.nak_sent = true;
		}
		if (v == URD_V_DROP_MESSAGE) {
			urd_respond_forget(&st);
			m.in_message = URD_KIND_NONE;
		}
		if (v == URD_V_EXECUTE) {
			check_executed(&m, &caps, &pkt);
			urd_respond_accept(&st, &caps, &pkt);
			CHECK(st.epsn == m.next && !st.nak_sent);
		}
		CHECK(st.msg_kind == m.in_message);
	}
	return 0;
}
