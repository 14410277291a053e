// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The opcode table against one written in plain numbers, all 256 rows. */
#include "urd_kunit.h"

#define F	URD_POS_FIRST
#define L	URD_POS_LAST
#define REQ	true
#define RESP	false

/* Numbers, not names: this has to be able to disagree with wire.h. */
struct row {
	u8 opcode;
	u8 kind;
	u8 pos;
	u8 hdr_len;
	u8 payload;
	bool is_request;
	bool needs_rwqe;
};

static const struct row rows[] = {
	{ 0x00, URD_KIND_SEND, F, 12, URD_PAY_MTU, REQ, false },
	{ 0x01, URD_KIND_SEND, 0, 12, URD_PAY_MTU, REQ, false },
	{ 0x02, URD_KIND_SEND, L, 12, URD_PAY_1_MTU, REQ, true },
	{ 0x03, URD_KIND_SEND, L, 16, URD_PAY_1_MTU, REQ, true },
	{ 0x04, URD_KIND_SEND, F | L, 12, URD_PAY_0_MTU, REQ, true },
	{ 0x05, URD_KIND_SEND, F | L, 16, URD_PAY_0_MTU, REQ, true },
	{ 0x06, URD_KIND_WRITE, F, 28, URD_PAY_MTU, REQ, false },
	{ 0x07, URD_KIND_WRITE, 0, 12, URD_PAY_MTU, REQ, false },
	{ 0x08, URD_KIND_WRITE, L, 12, URD_PAY_1_MTU, REQ, false },
	{ 0x09, URD_KIND_WRITE, L, 16, URD_PAY_1_MTU, REQ, true },
	{ 0x0a, URD_KIND_WRITE, F | L, 28, URD_PAY_0_MTU, REQ, false },
	{ 0x0b, URD_KIND_WRITE, F | L, 32, URD_PAY_0_MTU, REQ, true },
	{ 0x0c, URD_KIND_READ, F | L, 28, URD_PAY_NONE, REQ, false },
	{ 0x0d, URD_KIND_READ_RESP, F, 16, URD_PAY_MTU, RESP, false },
	{ 0x0e, URD_KIND_READ_RESP, 0, 12, URD_PAY_MTU, RESP, false },
	{ 0x0f, URD_KIND_READ_RESP, L, 16, URD_PAY_1_MTU, RESP, false },
	{ 0x10, URD_KIND_READ_RESP, F | L, 16, URD_PAY_0_MTU, RESP, false },
	{ 0x11, URD_KIND_ACK, F | L, 16, URD_PAY_NONE, RESP, false },
	{ 0x12, URD_KIND_ATOMIC_ACK, F | L, 24, URD_PAY_NONE, RESP, false },
	{ 0x13, URD_KIND_ATOMIC, F | L, 40, URD_PAY_NONE, REQ, false },
	{ 0x14, URD_KIND_ATOMIC, F | L, 40, URD_PAY_NONE, REQ, false },
	{ 0x16, URD_KIND_SEND, L, 16, URD_PAY_1_MTU, REQ, true },
	{ 0x17, URD_KIND_SEND, F | L, 16, URD_PAY_0_MTU, REQ, true },
	{ 0x1c, URD_KIND_FLUSH, F | L, 32, URD_PAY_NONE, REQ, false },
	{ 0x1d, URD_KIND_ATOMIC_WRITE, F | L, 28, URD_PAY_8, REQ, false },
	{ 0x64, URD_KIND_SEND, F | L, 20, URD_PAY_0_MTU, REQ, true },
	{ 0x65, URD_KIND_SEND, F | L, 24, URD_PAY_0_MTU, REQ, true },
	{ 0x81, URD_KIND_CNP, F | L, 12, URD_PAY_ANY, RESP, false },
};

/* The expected row, or NULL; UC has RC's SEND and WRITE without invalidate. */
static const struct row *find_row(u8 opcode)
{
	unsigned int i;
	u8 key = opcode >= 0x20 && opcode <= 0x2b ? opcode - 0x20 : opcode;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == key)
			return &rows[i];
	return NULL;
}

static void check_row(struct kunit *test, u8 opcode, const struct row *row)
{
	const struct urd_opinfo *op = &urd_opinfo[opcode];

	KUNIT_EXPECT_EQ_MSG(test, op->kind, row->kind, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->pos, row->pos, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->hdr_len, row->hdr_len, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->payload, row->payload, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->is_request, row->is_request, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->needs_rwqe, row->needs_rwqe, "opcode %#x", opcode);
	KUNIT_EXPECT_EQ_MSG(test, op->service, opcode & 0xe0, "opcode %#x", opcode);
}

static void every_opcode_is_as_expected(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 256; i++) {
		const struct row *row = find_row(i);

		KUNIT_ASSERT_EQ_MSG(test, urd_op_known(i), !!row, "opcode %#x", i);
		if (row)
			check_row(test, i, row);
	}
}

static void unknown_rows_are_empty(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 256; i++) {
		const struct urd_opinfo *op = &urd_opinfo[i];

		if (urd_op_known(i))
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, !op->name && !op->hdr_len && !op->hdrs &&
				      !op->is_request && !op->needs_rwqe,
				      "opcode %#x", i);
	}
}

static u32 sum_of_headers(u16 hdrs)
{
	static const u8 len[] = { 8, 4, 16, 28, 4, 8, 4, 4 };	/* enum urd_hdr */
	u32 sum = 12;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(len); i++)
		if (hdrs & 1 << i)
			sum += len[i];
	return sum;
}

static void header_length_is_the_sum_of_the_headers(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		if (urd_op_known(i))
			KUNIT_EXPECT_EQ_MSG(test, urd_opinfo[i].hdr_len,
					    sum_of_headers(urd_opinfo[i].hdrs),
					    "opcode %#x", i);
}

static void which_opcodes_have_which_headers(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u16 hdrs;
	} want[] = {
		{ 0x03, URD_HDR_IMM }, { 0x05, URD_HDR_IMM },
		{ 0x06, URD_HDR_RETH }, { 0x09, URD_HDR_IMM },
		{ 0x0a, URD_HDR_RETH }, { 0x0b, URD_HDR_RETH | URD_HDR_IMM },
		{ 0x0c, URD_HDR_RETH }, { 0x0d, URD_HDR_AETH }, { 0x0e, 0 },
		{ 0x0f, URD_HDR_AETH }, { 0x10, URD_HDR_AETH }, { 0x11, URD_HDR_AETH },
		{ 0x12, URD_HDR_AETH | URD_HDR_ATOMIC_ACK },
		{ 0x13, URD_HDR_ATOMIC }, { 0x14, URD_HDR_ATOMIC },
		{ 0x16, URD_HDR_IETH }, { 0x17, URD_HDR_IETH },
		{ 0x1c, URD_HDR_FETH | URD_HDR_RETH }, { 0x1d, URD_HDR_RETH },
		{ 0x29, URD_HDR_IMM }, { 0x2b, URD_HDR_RETH | URD_HDR_IMM },
		{ 0x64, URD_HDR_DETH }, { 0x65, URD_HDR_DETH | URD_HDR_IMM },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, urd_opinfo[want[i].opcode].hdrs, want[i].hdrs,
				    "opcode %#x", want[i].opcode);
}

static void names_are_there_and_unique(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < 256; i++) {
		if (!urd_op_known(i))
			continue;
		KUNIT_ASSERT_NOT_NULL(test, urd_opinfo[i].name);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_FALSE_MSG(test, urd_op_known(j) &&
					       !strcmp(urd_opinfo[i].name, urd_opinfo[j].name),
					       "opcodes %#x and %#x", i, j);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_opcode_is_as_expected),
	KUNIT_CASE(unknown_rows_are_empty),
	KUNIT_CASE(header_length_is_the_sum_of_the_headers),
	KUNIT_CASE(which_opcodes_have_which_headers),
	KUNIT_CASE(names_are_there_and_unique),
	{}
};

struct kunit_suite urd_opcode_suite = {
	.name = "urd_opcode",
	.test_cases = cases,
};
