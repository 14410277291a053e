// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Parser and builder: foreign packets, round trips, hostile lengths. */
#include "urd_kunit.h"
#include "vectors.h"

#define SWEEP_LEN	96	/* longer than any header, pad and ICRC */

static void vector_desc(const struct urd_vector *v, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", v->name);
}

KUNIT_ARRAY_PARAM(vector, urd_vectors, vector_desc);

/* The UDP payload of a vector in memory of just its size. */
static u8 *transport(struct kunit *test, const struct urd_vector *v, u32 *len)
{
	u8 *data;

	*len = v->len - v->ip_len - 8;
	data = kunit_kzalloc(test, *len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, v->data + v->ip_len + 8, *len);
	return data;
}

static void foreign_packet_is_understood(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;
	struct urd_packet pkt;
	const char *diff;
	u32 len;
	u8 *data = transport(test, v, &len);

	KUNIT_ASSERT_EQ(test, urd_packet_parse(&pkt, data, len, len), URD_DROP_NONE);
	diff = urd_packet_diff(&pkt, &v->pkt);
	KUNIT_EXPECT_TRUE_MSG(test, !diff, "field %s", diff);
	KUNIT_EXPECT_TRUE(test, pkt.op == &urd_opinfo[v->pkt.opcode]);
	KUNIT_EXPECT_EQ(test, urd_bth_qpn(data), v->pkt.qpn);
}

static void foreign_packet_is_built_alike(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;
	u8 buf[URD_MAX_HDR_LEN];
	u32 len;
	u8 *data = transport(test, v, &len);

	KUNIT_ASSERT_EQ(test, urd_packet_build(buf, &v->pkt), v->pkt.payload_off);
	KUNIT_EXPECT_EQ(test, memcmp(buf, data, v->pkt.payload_off), 0);
}

/* Every prefix of a packet is refused, or is itself a whole packet. */
static void truncated_packet_is_dropped(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;
	u32 need = v->pkt.payload_off + v->pkt.pad + URD_ICRC_LEN;
	u32 len, cut;
	u8 *data = transport(test, v, &len);

	for (cut = 0; cut < len; cut++) {
		enum urd_drop want = cut < need ? URD_DROP_SHORT :
				     cut & 3 ? URD_DROP_PAD : URD_DROP_NONE;
		struct urd_packet pkt;

		/* at the end of the block: reading on would be seen */
		memmove(data + len - cut, v->data + v->ip_len + 8, cut);
		KUNIT_EXPECT_EQ_MSG(test, urd_packet_parse(&pkt, data + len - cut, cut, cut),
				    want, "%u of %u bytes", cut, len);
	}
}

/* What the parser has to say, said another way: by subtraction in s32. */
static enum urd_drop expected(u8 opcode, u32 pad, u32 len)
{
	s32 payload = (s32)len - urd_opinfo[opcode].hdr_len - (s32)pad - 4;

	if (len < 16)
		return URD_DROP_SHORT;
	if (!urd_op_known(opcode))
		return URD_DROP_OPCODE;
	if (payload < 0)
		return URD_DROP_SHORT;
	return (payload + pad) % 4 ? URD_DROP_PAD : URD_DROP_NONE;
}

static void sweep_opcode(struct kunit *test, u8 *block, u8 opcode)
{
	struct urd_packet pkt;
	u32 pad, len;

	for (pad = 0; pad < 4; pad++) {
		for (len = 0; len <= SWEEP_LEN; len++) {
			u8 *data = block + SWEEP_LEN - len;
			enum urd_drop got;

			if (len > 0)
				data[0] = opcode;
			if (len > 1)
				data[1] = pad << 4;
			got = urd_packet_parse(&pkt, data, len, len);
			KUNIT_ASSERT_EQ_MSG(test, got, expected(opcode, pad, len),
					    "opcode %#x pad %u len %u", opcode, pad, len);
			if (got == URD_DROP_NONE)
				KUNIT_ASSERT_EQ(test, pkt.payload_off + pkt.payload_len +
						pkt.pad + URD_ICRC_LEN, len);
			memset(data, 0, len);
		}
	}
}

/* Faults W01, W02: all opcodes, pads and lengths; 256 * 4 * 97 packets. */
static void no_length_leads_astray(struct kunit *test)
{
	u8 *block = kunit_kzalloc(test, SWEEP_LEN, GFP_KERNEL);
	unsigned int opcode;

	KUNIT_ASSERT_NOT_NULL(test, block);
	for (opcode = 0; opcode < 256; opcode++)
		sweep_opcode(test, block, opcode);
}

static void unknown_opcode_is_dropped_however_long(struct kunit *test)
{
	u8 data[URD_MAX_HDR_LEN] = { 0xff };
	struct urd_packet pkt;

	KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, sizeof(data), 64), URD_DROP_OPCODE);
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, sizeof(data), ~0u & ~3u),
			URD_DROP_OPCODE);
	data[0] = 0xa4;	/* XRC SEND only */
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, sizeof(data), 64), URD_DROP_OPCODE);
}

static void other_transport_version_is_dropped(struct kunit *test)
{
	u8 data[16] = { URD_OP_SEND_ONLY };
	struct urd_packet pkt;
	u8 version;

	for (version = 1; version < 16; version++) {
		data[1] = version;
		KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, 16, 16), URD_DROP_VERSION);
	}
	data[1] = 0;
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, 16, 16), URD_DROP_NONE);
}

/* A long packet of which only the headers are in contiguous memory. */
static void only_the_headers_need_be_contiguous(struct kunit *test)
{
	struct urd_packet pkt = { .opcode = URD_OP_CMP_SWP }, got;
	u8 *data = kunit_kzalloc(test, 40, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_ASSERT_EQ(test, urd_packet_build(data, &pkt), 40);
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&got, data, 40, 4096), URD_DROP_NONE);
	KUNIT_EXPECT_EQ(test, got.payload_len, 4096 - 40 - 4);
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&got, data, 39, 4096), URD_DROP_SHORT);
	KUNIT_EXPECT_EQ(test, urd_packet_parse(&got, data, 11, 4096), URD_DROP_SHORT);
}

static void biggest_length_does_not_wrap(struct kunit *test)
{
	u8 data[URD_MAX_HDR_LEN] = { URD_OP_SEND_ONLY, 0x30 };
	struct urd_packet pkt;

	KUNIT_EXPECT_EQ(test, urd_packet_parse(&pkt, data, sizeof(data), 0xfffffffc),
			URD_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0xfffffffc - 12 - 3 - 4);
}

/* Different in every byte of every field. */
static const struct urd_packet full = {
	.pad = 0, .se = true, .mig = true, .ackreq = true, .fecn = true, .becn = true,
	.pkey = 0x8182, .qpn = 0x838485, .psn = 0x868788,
	.reth = { 0x898a8b8c8d8e8f90ull, 0x91929394, 0x95969798 },
	.atomic = { .va = 0x999a9b9c9d9e9fa0ull, .rkey = 0xa1a2a3a4,
		    .swap_add = 0xa5a6a7a8a9aaabacull, .compare = 0xadaeafb0b1b2b3b4ull },
	.aeth = { 0xb5, 0xb6b7b8 },
	.atomic_orig = 0xb9babbbcbdbebfc0ull,
	.deth = { 0xc1c2c3c4, 0xc5c6c7 },
	.imm = cpu_to_be32(0xc8c9cacb),
	.inv_rkey = 0xcccdcecf,
	.feth = { 0x0d, 2 },
};

/* @full without the headers that the opcode does not have. */
static struct urd_packet only_its_fields(u8 opcode)
{
	struct urd_packet pkt = full;
	u16 hdrs = urd_opinfo[opcode].hdrs;

	pkt.opcode = opcode;
	pkt.payload_off = urd_opinfo[opcode].hdr_len;
	if (!(hdrs & URD_HDR_DETH))
		memset(&pkt.deth, 0, sizeof(pkt.deth));
	if (!(hdrs & URD_HDR_FETH))
		memset(&pkt.feth, 0, sizeof(pkt.feth));
	if (!(hdrs & URD_HDR_RETH))
		memset(&pkt.reth, 0, sizeof(pkt.reth));
	if (!(hdrs & URD_HDR_ATOMIC))
		memset(&pkt.atomic, 0, sizeof(pkt.atomic));
	if (!(hdrs & URD_HDR_AETH))
		memset(&pkt.aeth, 0, sizeof(pkt.aeth));
	if (!(hdrs & URD_HDR_ATOMIC_ACK))
		pkt.atomic_orig = 0;
	if (!(hdrs & URD_HDR_IMM))
		pkt.imm = 0;
	if (!(hdrs & URD_HDR_IETH))
		pkt.inv_rkey = 0;
	return pkt;
}

static void what_is_built_is_parsed_again(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		struct urd_packet want = only_its_fields(opcode), got;
		u8 buf[URD_MAX_HDR_LEN + URD_ICRC_LEN] = {};
		const char *diff;
		u32 len;

		if (!urd_op_known(opcode))
			continue;
		len = urd_packet_build(buf, &want) + URD_ICRC_LEN;
		KUNIT_ASSERT_EQ(test, urd_packet_parse(&got, buf, len, len), URD_DROP_NONE);
		diff = urd_packet_diff(&got, &want);
		KUNIT_EXPECT_TRUE_MSG(test, !diff, "opcode %#x field %s", opcode, diff);
	}
}

static void reserved_bits_are_ignored_and_sent_as_zero(struct kunit *test)
{
	u8 ud[24] = { 0x64 }, flush[36] = { URD_OP_FLUSH }, buf[URD_MAX_HDR_LEN];
	struct urd_packet pkt;

	ud[4] = 0x3f;
	ud[8] = 0x7f;
	ud[16] = 0xff;	/* between Q_Key and source QPN */
	KUNIT_ASSERT_EQ(test, urd_packet_parse(&pkt, ud, 24, 24), URD_DROP_NONE);
	KUNIT_EXPECT_FALSE(test, pkt.fecn || pkt.becn || pkt.ackreq || pkt.deth.src_qpn);
	urd_packet_build(buf, &pkt);
	KUNIT_EXPECT_TRUE(test, !buf[4] && !buf[8] && !buf[16]);

	memset(flush + 12, 0xff, 3);
	flush[15] = 0xc0;
	KUNIT_ASSERT_EQ(test, urd_packet_parse(&pkt, flush, 36, 36), URD_DROP_NONE);
	KUNIT_EXPECT_TRUE(test, !pkt.feth.type && !pkt.feth.level);
}

struct payload_case {
	u8 opcode;
	u32 len;
	bool ok;
};

static const struct payload_case payload_cases[] = {
	{ 0x00, 0, false }, { 0x00, 1023, false }, { 0x00, 1024, true }, { 0x00, 1025, false },
	{ 0x07, 1020, false }, { 0x07, 1024, true }, { 0x07, 2048, false },
	{ 0x02, 0, false }, { 0x02, 1, true }, { 0x02, 1024, true }, { 0x02, 1025, false },
	{ 0x04, 0, true }, { 0x04, 1, true }, { 0x04, 1024, true }, { 0x04, 1025, false },
	{ 0x0c, 0, true }, { 0x0c, 1, false }, { 0x11, 0, true }, { 0x11, 4, false },
	{ 0x13, 0, true }, { 0x13, 8, false }, { 0x1c, 0, true }, { 0x1c, 8, false },
	{ 0x1d, 0, false }, { 0x1d, 4, false }, { 0x1d, 7, false }, { 0x1d, 8, true },
	{ 0x1d, 9, false }, { 0x1d, 16, false },
	{ 0x64, 0, true }, { 0x64, 1024, true }, { 0x64, 1025, false },
	{ 0x81, 0, true }, { 0x81, 16, true }, { 0x81, 2000, true },
};

static void payload_rule(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(payload_cases); i++) {
		const struct payload_case *c = &payload_cases[i];
		struct urd_packet pkt = {
			.op = &urd_opinfo[c->opcode], .payload_len = c->len,
		};

		KUNIT_EXPECT_EQ_MSG(test, urd_packet_payload_ok(&pkt, 1024), c->ok,
				    "opcode %#x, %u bytes", c->opcode, c->len);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(foreign_packet_is_understood, vector_gen_params),
	KUNIT_CASE_PARAM(foreign_packet_is_built_alike, vector_gen_params),
	KUNIT_CASE_PARAM(truncated_packet_is_dropped, vector_gen_params),
	KUNIT_CASE(no_length_leads_astray),
	KUNIT_CASE(unknown_opcode_is_dropped_however_long),
	KUNIT_CASE(other_transport_version_is_dropped),
	KUNIT_CASE(only_the_headers_need_be_contiguous),
	KUNIT_CASE(biggest_length_does_not_wrap),
	KUNIT_CASE(what_is_built_is_parsed_again),
	KUNIT_CASE(reserved_bits_are_ignored_and_sent_as_zero),
	KUNIT_CASE(payload_rule),
	{}
};

struct kunit_suite urd_packet_suite = {
	.name = "urd_packet",
	.test_cases = cases,
};
