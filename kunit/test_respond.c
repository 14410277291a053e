// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Responder decisions as tables, and the packet sequences of the fault list. */
#include "urd_kunit.h"
#include "../drivers/urd/proto/respond.h"

#define MTU	1024

static const struct urd_resp_caps rc_caps = {
	.service = URD_SVC_RC, .mtu = MTU, .allow_write = true, .allow_read = true,
	.allow_atomic = true, .allow_flush = true, .max_rd_atomic = 1,
};

static const struct urd_resp_caps uc_caps = {
	.service = URD_SVC_UC, .mtu = MTU, .allow_write = true,
};

static const struct urd_resp_caps ud_caps = { .service = URD_SVC_UD, .mtu = MTU };

/* A legal packet of its own: only what the test is about gets changed. */
static struct urd_packet legal(u8 opcode, u32 psn)
{
	struct urd_packet pkt = {
		.op = &urd_opinfo[opcode], .opcode = opcode, .psn = psn,
	};

	switch (pkt.op->payload) {
	case URD_PAY_MTU:
		pkt.payload_len = MTU;
		break;
	case URD_PAY_1_MTU:
	case URD_PAY_0_MTU:
		pkt.payload_len = 5;
		break;
	case URD_PAY_8:
		pkt.payload_len = 8;
		pkt.reth.len = 8;
		break;
	}
	if (pkt.op->kind == URD_KIND_FLUSH)
		pkt.feth.type = URD_FLUSH_GLOBAL;
	return pkt;
}

static enum urd_verdict judge(const struct urd_resp_state *st,
			      const struct urd_resp_caps *caps,
			      const struct urd_packet *pkt)
{
	enum urd_verdict v = urd_respond_psn(st, caps, pkt);

	return v == URD_V_EXECUTE ? urd_respond_op(st, caps, pkt) : v;
}

struct step {
	u8 opcode;
	u32 psn;
	enum urd_verdict want;
	u32 read_len;
};

/* What an engine does with a verdict, as far as the state goes. */
static void play(struct kunit *test, const struct urd_resp_caps *caps, u32 epsn,
		 const struct step *steps, unsigned int n)
{
	struct urd_resp_state st = { .epsn = epsn };
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct urd_packet pkt = legal(steps[i].opcode, steps[i].psn);
		enum urd_verdict v;

		pkt.reth.len += steps[i].read_len;
		v = judge(&st, caps, &pkt);
		KUNIT_EXPECT_EQ_MSG(test, v, steps[i].want, "step %u, opcode %#x PSN %#x",
				    i, steps[i].opcode, steps[i].psn);
		if (v == URD_V_EXECUTE)
			urd_respond_accept(&st, caps, &pkt);
		else if (v == URD_V_NAK_SEQ)
			st.nak_sent = true;
		else if (v == URD_V_DROP_MESSAGE)
			urd_respond_forget(&st);
	}
}

static void rc_psn_regions(struct kunit *test)
{
	static const struct {
		u32 epsn, psn;
		enum urd_verdict want;
	} c[] = {
		{ 0, 0, URD_V_EXECUTE },
		{ 0, 1, URD_V_NAK_SEQ },
		{ 0, 0x7fffff, URD_V_NAK_SEQ },
		{ 0, 0x800000, URD_V_DUPLICATE },
		{ 0, 0xffffff, URD_V_DUPLICATE },
		{ 0xffffff, 0, URD_V_NAK_SEQ },
		{ 0xffffff, 0xffffff, URD_V_EXECUTE },
		{ 0xffffff, 0xfffffe, URD_V_DUPLICATE },
		{ 0x800000, 0, URD_V_DUPLICATE },
		{ 0x800000, 0xffffff, URD_V_NAK_SEQ },
		{ 0x7ffff0, 0x7fffef, URD_V_DUPLICATE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct urd_resp_state st = { .epsn = c[i].epsn };
		struct urd_packet pkt = legal(URD_OP_SEND_ONLY, c[i].psn);

		KUNIT_EXPECT_EQ_MSG(test, urd_respond_psn(&st, &rc_caps, &pkt), c[i].want,
				    "PSN %#x, expected %#x", c[i].psn, c[i].epsn);
		st.nak_sent = true;
		KUNIT_EXPECT_EQ_MSG(test, urd_respond_psn(&st, &rc_caps, &pkt),
				    c[i].want == URD_V_NAK_SEQ ? URD_V_DROP : c[i].want,
				    "PSN %#x, expected %#x, NAK sent", c[i].psn, c[i].epsn);
	}
}

static void one_nak_per_gap(struct kunit *test)
{
	static const struct step steps[] = {
		{ URD_OP_SEND_ONLY, 10, URD_V_EXECUTE },
		{ URD_OP_SEND_ONLY, 12, URD_V_NAK_SEQ },
		{ URD_OP_SEND_ONLY, 13, URD_V_DROP },
		{ URD_OP_SEND_ONLY, 9, URD_V_DUPLICATE },
		{ URD_OP_SEND_ONLY, 14, URD_V_DROP },
		{ URD_OP_SEND_ONLY, 11, URD_V_EXECUTE },
		{ URD_OP_SEND_ONLY, 13, URD_V_NAK_SEQ },
		{ URD_OP_SEND_ONLY, 12, URD_V_EXECUTE },
	};

	play(test, &rc_caps, 10, steps, ARRAY_SIZE(steps));
}

/* Fault R02: 12 KB READ, a WRITE begun, the READ once more, the WRITE goes on. */
static void duplicate_read_within_a_write(struct kunit *test)
{
	static const struct step steps[] = {
		{ URD_OP_READ_REQUEST, 20, URD_V_EXECUTE, 3 * MTU },
		{ URD_OP_WRITE_FIRST, 23, URD_V_EXECUTE },
		{ URD_OP_READ_REQUEST, 20, URD_V_DUPLICATE, 3 * MTU },
		{ URD_OP_WRITE_MIDDLE, 24, URD_V_EXECUTE },
		{ URD_OP_CMP_SWP, 19, URD_V_DUPLICATE },
		{ URD_OP_WRITE_LAST, 25, URD_V_EXECUTE },
		{ URD_OP_SEND_ONLY, 26, URD_V_EXECUTE },
	};

	play(test, &rc_caps, 20, steps, ARRAY_SIZE(steps));
}

/* Message in progress x every request: 9.7.4.1.3 spelt out by opcode number. */
static bool may_follow(u8 msg_kind, u8 op)
{
	bool send_rest = (op >= 0x01 && op <= 0x03) || op == 0x16;
	bool write_rest = op >= 0x07 && op <= 0x09;

	if (msg_kind == URD_KIND_SEND)
		return send_rest;
	if (msg_kind == URD_KIND_WRITE)
		return write_rest;
	return !send_rest && !write_rest;
}

static void rc_opcode_sequence(struct kunit *test)
{
	static const u8 kinds[] = { URD_KIND_NONE, URD_KIND_SEND, URD_KIND_WRITE };
	unsigned int i, op;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (op = 0; op < 0x20; op++) {
			struct urd_resp_state st = { .msg_kind = kinds[i] };
			struct urd_packet pkt = legal(op, 0);

			if (!urd_op_known(op) || !pkt.op->is_request)
				continue;
			KUNIT_EXPECT_EQ_MSG(test, judge(&st, &rc_caps, &pkt),
					    may_follow(kinds[i], op) ? URD_V_EXECUTE :
					    URD_V_NAK_INVALID,
					    "in message %u, opcode %#x", kinds[i], op);
		}
	}
}

static void uc_opcode_sequence(struct kunit *test)
{
	static const u8 kinds[] = { URD_KIND_NONE, URD_KIND_SEND, URD_KIND_WRITE };
	unsigned int i, op;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (op = 0; op < 0x0c; op++) {
			struct urd_resp_state st = { .msg_kind = kinds[i] };
			struct urd_packet pkt = legal(0x20 | op, 0);
			bool first = pkt.op->pos & URD_POS_FIRST;

			KUNIT_EXPECT_EQ_MSG(test, judge(&st, &uc_caps, &pkt),
					    first || may_follow(kinds[i], op) ? URD_V_EXECUTE :
					    URD_V_DROP_MESSAGE,
					    "in message %u, opcode %#x", kinds[i], op);
		}
	}
}

static void uc_gap_drops_the_message_until_the_next(struct kunit *test)
{
	static const struct step steps[] = {
		{ 0x20, 0xfffffe, URD_V_EXECUTE },	/* SEND first */
		{ 0x21, 0, URD_V_DROP_MESSAGE },	/* 0xffffff is lost */
		{ 0x21, 1, URD_V_DROP },
		{ 0x22, 2, URD_V_DROP },
		{ 0x26, 7, URD_V_EXECUTE },		/* WRITE first, any PSN */
		{ 0x28, 8, URD_V_EXECUTE },
		{ 0x24, 3, URD_V_EXECUTE },		/* SEND only, from the past */
		{ 0x24, 4, URD_V_EXECUTE },
	};

	play(test, &uc_caps, 0xfffffe, steps, ARRAY_SIZE(steps));
}

static void uc_lost_start_and_lost_end(struct kunit *test)
{
	static const struct step steps[] = {
		{ 0x21, 5, URD_V_DROP_MESSAGE },	/* never saw a FIRST */
		{ 0x22, 6, URD_V_DROP },
		{ 0x20, 7, URD_V_EXECUTE },
		{ 0x20, 9, URD_V_EXECUTE },		/* LAST 8 lost: starts anew */
		{ 0x22, 10, URD_V_EXECUTE },
		{ 0x22, 11, URD_V_DROP_MESSAGE },
	};

	play(test, &uc_caps, 5, steps, ARRAY_SIZE(steps));
}

static void uc_bad_packet_drops_without_a_nak(struct kunit *test)
{
	struct urd_resp_state st = { .epsn = 3 };
	struct urd_resp_caps caps = uc_caps;
	struct urd_packet pkt = legal(0x20, 3);

	pkt.payload_len = MTU - 1;
	KUNIT_EXPECT_EQ(test, judge(&st, &caps, &pkt), URD_V_DROP_MESSAGE);
	pkt = legal(0x2a, 3);
	pkt.reth.len = URD_MAX_MSG + 1;
	KUNIT_EXPECT_EQ(test, judge(&st, &caps, &pkt), URD_V_DROP_MESSAGE);
	pkt = legal(0x2a, 3);
	caps.allow_write = false;
	KUNIT_EXPECT_EQ(test, judge(&st, &caps, &pkt), URD_V_DROP_MESSAGE);
}

static void ud_knows_no_order(struct kunit *test)
{
	struct urd_resp_state st = { .epsn = 100 };
	struct urd_packet pkt = legal(0x64, 0x555555);

	KUNIT_EXPECT_EQ(test, judge(&st, &ud_caps, &pkt), URD_V_EXECUTE);
	pkt.payload_len = MTU + 1;
	KUNIT_EXPECT_EQ(test, judge(&st, &ud_caps, &pkt), URD_V_DROP);
}

/* Requests of another service and responses are not for this responder. */
static void what_is_no_request_of_the_service_is_dropped(struct kunit *test)
{
	static const struct urd_resp_caps *const all[] = { &rc_caps, &uc_caps, &ud_caps };
	unsigned int i, op;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		for (op = 0; op < 256; op++) {
			struct urd_resp_state st = { .epsn = 0 };
			struct urd_packet pkt = legal(op, 0);

			if (!urd_op_known(op) ||
			    (pkt.op->is_request && (op & 0xe0) == all[i]->service))
				continue;
			KUNIT_EXPECT_EQ_MSG(test, urd_respond_psn(&st, all[i], &pkt),
					    URD_V_DROP, "service %#x opcode %#x",
					    all[i]->service, op);
		}
	}
}

struct field_case {
	const char *name;
	u8 opcode;
	u32 payload_len, reth_len;
	u64 va;
	u8 type, level;
	enum urd_verdict want;
};

#define OK	URD_V_EXECUTE
#define INV	URD_V_NAK_INVALID

static const struct field_case field_cases[] = {
	{ "SEND first short", 0x00, MTU - 1, 0, 0, 0, 0, INV },
	{ "SEND first long", 0x00, MTU + 4, 0, 0, 0, 0, INV },
	{ "SEND only empty", 0x04, 0, 0, 0, 0, 0, OK },
	{ "SEND only full", 0x04, MTU, 0, 0, 0, 0, OK },
	{ "SEND only too long", 0x04, MTU + 1, 0, 0, 0, 0, INV },
	{ "WRITE of 2^31", 0x06, MTU, 0x80000000, 0, 0, 0, OK },
	{ "WRITE of 2^31 + 1", 0x06, MTU, 0x80000001, 0, 0, 0, INV },
	{ "WRITE of 2^32 - 1", 0x06, MTU, 0xffffffff, 0, 0, 0, INV },
	{ "READ of nothing", 0x0c, 0, 0, 0, 0, 0, OK },
	{ "READ of 2^31", 0x0c, 0, 0x80000000, 0, 0, 0, OK },
	{ "READ of 2^31 + 1", 0x0c, 0, 0x80000001, 0, 0, 0, INV },
	{ "READ with payload", 0x0c, 4, 4, 0, 0, 0, INV },
	{ "READ of odd address", 0x0c, 0, 4, 3, 0, 0, OK },
	{ "CmpSwap aligned", 0x13, 0, 0, 0x1008, 0, 0, OK },
	{ "CmpSwap at 4", 0x13, 0, 0, 0x1004, 0, 0, INV },
	{ "FetchAdd at 1", 0x14, 0, 0, 0x1001, 0, 0, INV },
	{ "FetchAdd at 7", 0x14, 0, 0, 0x1007, 0, 0, INV },
	{ "FetchAdd with payload", 0x14, 8, 0, 0x1008, 0, 0, INV },
	{ "ATOMIC WRITE", 0x1d, 8, 8, 0x1008, 0, 0, OK },
	{ "W04: RETH of 0, no payload", 0x1d, 0, 0, 0x1008, 0, 0, INV },
	{ "W04: RETH of 0", 0x1d, 8, 0, 0x1008, 0, 0, INV },
	{ "W04: RETH of 4", 0x1d, 8, 4, 0x1008, 0, 0, INV },
	{ "W04: RETH of 9", 0x1d, 8, 9, 0x1008, 0, 0, INV },
	{ "W04: RETH of 16", 0x1d, 8, 16, 0x1008, 0, 0, INV },
	{ "W04: payload of 7", 0x1d, 7, 8, 0x1008, 0, 0, INV },
	{ "W04: payload of 16", 0x1d, 16, 8, 0x1008, 0, 0, INV },
	{ "ATOMIC WRITE at 4", 0x1d, 8, 8, 0x1004, 0, 0, INV },
	{ "FLUSH global", 0x1c, 0, 100, 1, 1, 0, OK },
	{ "FLUSH both, MR", 0x1c, 0, 0, 1, 3, 1, OK },
	{ "FLUSH of no type", 0x1c, 0, 100, 1, 0, 0, INV },
	{ "FLUSH of reserved type", 0x1c, 0, 100, 1, 5, 0, INV },
	{ "FLUSH of reserved level", 0x1c, 0, 100, 1, 1, 2, INV },
	{ "FLUSH of 2^31 + 1", 0x1c, 0, 0x80000001, 1, 1, 0, INV },
};

static void field_desc(const struct field_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(field, field_cases, field_desc);

static void rc_fields(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	struct urd_resp_state st = { .epsn = 0 };
	struct urd_packet pkt = {
		.op = &urd_opinfo[c->opcode], .opcode = c->opcode,
		.payload_len = c->payload_len,
		.feth = { c->type, c->level },
	};

	if (pkt.op->hdrs & URD_HDR_RETH) {
		pkt.reth.va = c->va;
		pkt.reth.len = c->reth_len;
	}
	if (pkt.op->hdrs & URD_HDR_ATOMIC)
		pkt.atomic.va = c->va;
	KUNIT_EXPECT_EQ(test, judge(&st, &rc_caps, &pkt), c->want);
}

/* Each operation with only its own permission taken away. */
static void disabled_operation_is_invalid(struct kunit *test)
{
	unsigned int op;

	for (op = 0; op < 0x20; op++) {
		struct urd_packet pkt = legal(op, 0);
		struct urd_resp_state st = { .epsn = 0 };
		struct urd_resp_caps caps = rc_caps;
		u8 kind = pkt.op->kind;

		if (!urd_op_known(op) || !pkt.op->is_request || !(pkt.op->pos & URD_POS_FIRST))
			continue;
		caps.allow_write = kind != URD_KIND_WRITE && kind != URD_KIND_ATOMIC_WRITE;
		caps.allow_read = kind != URD_KIND_READ;
		caps.allow_atomic = kind != URD_KIND_ATOMIC;
		caps.allow_flush = kind != URD_KIND_FLUSH;
		KUNIT_EXPECT_EQ_MSG(test, judge(&st, &caps, &pkt),
				    kind == URD_KIND_SEND ? OK : INV, "opcode %#x", op);
	}
}

/* Fault A18: no resources means no READ and no atomic, and nothing else. */
static void no_read_resources(struct kunit *test)
{
	static const struct {
		u8 opcode;
		enum urd_verdict want;
	} c[] = {
		{ URD_OP_READ_REQUEST, INV }, { URD_OP_CMP_SWP, INV },
		{ URD_OP_FETCH_ADD, INV }, { URD_OP_ATOMIC_WRITE, INV },
		{ URD_OP_WRITE_ONLY, OK }, { URD_OP_SEND_ONLY, OK },
		{ URD_OP_FLUSH, OK },
	};
	struct urd_resp_caps caps = rc_caps;
	struct urd_resp_state st = { .epsn = 0 };
	unsigned int i;

	caps.max_rd_atomic = 0;
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct urd_packet pkt = legal(c[i].opcode, 0);

		KUNIT_EXPECT_EQ_MSG(test, judge(&st, &caps, &pkt), c[i].want,
				    "opcode %#x", c[i].opcode);
	}
}

static void psns_of_a_request(struct kunit *test)
{
	struct urd_packet pkt = legal(URD_OP_READ_REQUEST, 0);

	KUNIT_EXPECT_EQ(test, urd_respond_psn_span(&pkt, MTU), 1);
	pkt.reth.len = MTU;
	KUNIT_EXPECT_EQ(test, urd_respond_psn_span(&pkt, MTU), 1);
	pkt.reth.len = MTU + 1;
	KUNIT_EXPECT_EQ(test, urd_respond_psn_span(&pkt, MTU), 2);
	pkt.reth.len = URD_MAX_MSG;
	KUNIT_EXPECT_EQ(test, urd_respond_psn_span(&pkt, 256), 0x800000);
	pkt = legal(URD_OP_WRITE_FIRST, 0);
	pkt.reth.len = URD_MAX_MSG;
	KUNIT_EXPECT_EQ(test, urd_respond_psn_span(&pkt, 256), 1);
}

static void accept_advances_over_the_wrap(struct kunit *test)
{
	struct urd_resp_state st = { .epsn = 0xffffff, .nak_sent = true };
	struct urd_packet pkt = legal(URD_OP_READ_REQUEST, 0xffffff);

	pkt.reth.len = 3 * MTU;
	urd_respond_accept(&st, &rc_caps, &pkt);
	KUNIT_EXPECT_EQ(test, st.epsn, 2);
	KUNIT_EXPECT_FALSE(test, st.nak_sent);
	KUNIT_EXPECT_EQ(test, st.msg_kind, URD_KIND_NONE);
	pkt = legal(URD_OP_SEND_FIRST, 2);
	urd_respond_accept(&st, &rc_caps, &pkt);
	KUNIT_EXPECT_EQ(test, st.epsn, 3);
	KUNIT_EXPECT_EQ(test, st.msg_kind, URD_KIND_SEND);
	pkt = legal(URD_OP_SEND_LAST_INV, 3);
	urd_respond_accept(&st, &rc_caps, &pkt);
	KUNIT_EXPECT_EQ(test, st.msg_kind, URD_KIND_NONE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rc_psn_regions),
	KUNIT_CASE(one_nak_per_gap),
	KUNIT_CASE(duplicate_read_within_a_write),
	KUNIT_CASE(rc_opcode_sequence),
	KUNIT_CASE(uc_opcode_sequence),
	KUNIT_CASE(uc_gap_drops_the_message_until_the_next),
	KUNIT_CASE(uc_lost_start_and_lost_end),
	KUNIT_CASE(uc_bad_packet_drops_without_a_nak),
	KUNIT_CASE(ud_knows_no_order),
	KUNIT_CASE(what_is_no_request_of_the_service_is_dropped),
	KUNIT_CASE_PARAM(rc_fields, field_gen_params),
	KUNIT_CASE(disabled_operation_is_invalid),
	KUNIT_CASE(no_read_resources),
	KUNIT_CASE(psns_of_a_request),
	KUNIT_CASE(accept_advances_over_the_wrap),
	{}
};

struct kunit_suite urd_respond_suite = {
	.name = "urd_respond",
	.test_cases = cases,
};
