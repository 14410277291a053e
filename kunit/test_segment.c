// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packets per message, opcodes per packet, and that a responder takes them. */
#include <rdma/urd-abi.h>

#include "urd_kunit.h"
#include "../drivers/urd/proto/respond.h"
#include "../drivers/urd/proto/segment.h"

static void packets_of_a_message(struct kunit *test)
{
	static const struct {
		u32 len, mtu, packets;
	} want[] = {
		{ 0, 256, 1 }, { 1, 256, 1 }, { 255, 256, 1 }, { 256, 256, 1 },
		{ 257, 256, 2 }, { 512, 256, 2 }, { 513, 256, 3 },
		{ 1023, 1024, 1 }, { 1024, 1024, 1 }, { 1025, 1024, 2 },
		{ 4095, 4096, 1 }, { 4096, 4096, 1 }, { 4097, 4096, 2 },
		{ 0x7fffffff, 256, 0x800000 }, { 0x80000000, 256, 0x800000 },
		{ 0x80000000, 4096, 0x80000 }, { 0xffffffff, 256, 0x1000000 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, urd_seg_count(want[i].len, want[i].mtu),
				    want[i].packets, "%u bytes, MTU %u", want[i].len,
				    want[i].mtu);
}

static void pad_fills_four_bytes(struct kunit *test)
{
	u32 len;

	for (len = 0; len < 64; len++) {
		KUNIT_EXPECT_LE(test, urd_pad(len), 3);
		KUNIT_EXPECT_EQ(test, (len + urd_pad(len)) % 4, 0);
	}
}

struct opcode_case {
	u8 wr_op;
	int rc[4], uc[4], ud[4];	/* first, middle, last, only */
};

#define NONE		{ -1, -1, -1, -1 }

static const struct opcode_case opcode_cases[] = {
	{ URD_WR_NONE, NONE, NONE, NONE },
	{ URD_WR_SEND, { 0x00, 0x01, 0x02, 0x04 }, { 0x20, 0x21, 0x22, 0x24 },
	  { -1, -1, -1, 0x64 } },
	{ URD_WR_SEND_IMM, { 0x00, 0x01, 0x03, 0x05 }, { 0x20, 0x21, 0x23, 0x25 },
	  { -1, -1, -1, 0x65 } },
	{ URD_WR_SEND_INV, { 0x00, 0x01, 0x16, 0x17 }, NONE, NONE },
	{ URD_WR_WRITE, { 0x06, 0x07, 0x08, 0x0a }, { 0x26, 0x27, 0x28, 0x2a }, NONE },
	{ URD_WR_WRITE_IMM, { 0x06, 0x07, 0x09, 0x0b }, { 0x26, 0x27, 0x29, 0x2b }, NONE },
	{ URD_WR_READ, { 0x0c, 0x0c, 0x0c, 0x0c }, NONE, NONE },
	{ URD_WR_CMP_SWP, { 0x13, 0x13, 0x13, 0x13 }, NONE, NONE },
	{ URD_WR_FETCH_ADD, { 0x14, 0x14, 0x14, 0x14 }, NONE, NONE },
	{ URD_WR_LOCAL_INV, NONE, NONE, NONE },
	{ URD_WR_BIND_MW, NONE, NONE, NONE },
	{ URD_WR_FLUSH, { 0x1c, 0x1c, 0x1c, 0x1c }, NONE, NONE },
	{ URD_WR_ATOMIC_WRITE, { 0x1d, 0x1d, 0x1d, 0x1d }, NONE, NONE },
	{ URD_WR_REG_MR, NONE, NONE, NONE },
	{ URD_WR_OP_COUNT, NONE, NONE, NONE },
	{ 0x7f, NONE, NONE, NONE },
	{ 0xff, NONE, NONE, NONE },
};

static void opcode_desc(const struct opcode_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "WR opcode %u", c->wr_op);
}

KUNIT_ARRAY_PARAM(opcode, opcode_cases, opcode_desc);

static void opcode_of_each_packet(struct kunit *test)
{
	const struct opcode_case *c = test->param_value;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool first = i == 0 || i == 3;
		bool last = i >= 2;

		KUNIT_EXPECT_EQ_MSG(test, urd_seg_opcode(URD_SVC_RC, c->wr_op, first, last),
				    c->rc[i], "RC %u", i);
		KUNIT_EXPECT_EQ_MSG(test, urd_seg_opcode(URD_SVC_UC, c->wr_op, first, last),
				    c->uc[i], "UC %u", i);
		KUNIT_EXPECT_EQ_MSG(test, urd_seg_opcode(URD_SVC_UD, c->wr_op, first, last),
				    c->ud[i], "UD %u", i);
		KUNIT_EXPECT_EQ(test, urd_seg_opcode(0x40, c->wr_op, first, last), -1);
	}
}

static void opcode_of_each_read_response(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, urd_seg_read_resp_opcode(true, false), 0x0d);
	KUNIT_EXPECT_EQ(test, urd_seg_read_resp_opcode(false, false), 0x0e);
	KUNIT_EXPECT_EQ(test, urd_seg_read_resp_opcode(false, true), 0x0f);
	KUNIT_EXPECT_EQ(test, urd_seg_read_resp_opcode(true, true), 0x10);
}

struct message_case {
	u8 service;
	u8 wr_op;
	u32 mtu, len;
};

static const struct message_case message_cases[] = {
	{ URD_SVC_RC, URD_WR_SEND, 1024, 0 },
	{ URD_SVC_RC, URD_WR_SEND, 1024, 1 },
	{ URD_SVC_RC, URD_WR_SEND_IMM, 1024, 1023 },
	{ URD_SVC_RC, URD_WR_SEND_INV, 1024, 1024 },
	{ URD_SVC_RC, URD_WR_SEND_INV, 1024, 1025 },
	{ URD_SVC_RC, URD_WR_WRITE, 256, 0 },
	{ URD_SVC_RC, URD_WR_WRITE, 256, 257 },
	{ URD_SVC_RC, URD_WR_WRITE_IMM, 4096, 4096 * 3 },
	{ URD_SVC_RC, URD_WR_WRITE_IMM, 4096, 4096 * 3 + 1 },
	{ URD_SVC_UC, URD_WR_SEND, 512, 511 },
	{ URD_SVC_UC, URD_WR_SEND_IMM, 512, 5000 },
	{ URD_SVC_UC, URD_WR_WRITE, 512, 512 },
	{ URD_SVC_UC, URD_WR_WRITE_IMM, 512, 513 },
	{ URD_SVC_UD, URD_WR_SEND, 2048, 2048 },
	{ URD_SVC_UD, URD_WR_SEND_IMM, 2048, 0 },
};

static void message_desc(const struct message_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "service %#x WR opcode %u, %u bytes, MTU %u",
		 c->service, c->wr_op, c->len, c->mtu);
}

KUNIT_ARRAY_PARAM(message, message_cases, message_desc);

static void responder_takes_the_packets(struct kunit *test)
{
	const struct message_case *c = test->param_value;
	struct urd_resp_caps caps = {
		.service = c->service, .mtu = c->mtu, .allow_write = true,
	};
	struct urd_resp_state st = { .epsn = 0xffffff };
	u32 n = urd_seg_count(c->len, c->mtu), i, left = c->len;

	for (i = 0; i < n; i++) {
		int opcode = urd_seg_opcode(c->service, c->wr_op, i == 0, i == n - 1);
		struct urd_packet pkt = { .psn = urd_psn_add(0xffffff, i) };

		KUNIT_ASSERT_TRUE(test, opcode >= 0);
		pkt.opcode = opcode;
		pkt.op = &urd_opinfo[opcode];
		pkt.payload_len = left < c->mtu ? left : c->mtu;
		left -= pkt.payload_len;
		KUNIT_EXPECT_EQ(test, urd_respond_psn(&st, &caps, &pkt), URD_V_EXECUTE);
		KUNIT_EXPECT_EQ(test, urd_respond_op(&st, &caps, &pkt), URD_V_EXECUTE);
		urd_respond_accept(&st, &caps, &pkt);
	}
	KUNIT_EXPECT_EQ(test, left, 0);
	KUNIT_EXPECT_EQ(test, st.msg_kind, URD_KIND_NONE);
	KUNIT_EXPECT_EQ(test, st.epsn, urd_psn_add(0xffffff, n));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(packets_of_a_message),
	KUNIT_CASE(pad_fills_four_bytes),
	KUNIT_CASE_PARAM(opcode_of_each_packet, opcode_gen_params),
	KUNIT_CASE(opcode_of_each_read_response),
	KUNIT_CASE_PARAM(responder_takes_the_packets, message_gen_params),
	{}
};

struct kunit_suite urd_segment_suite = {
	.name = "urd_segment",
	.test_cases = cases,
};
