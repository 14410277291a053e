// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The numbers and the bits of the wire, written down a second time. */
#include "urd_kunit.h"

/* One field set, all others zero: bytes of the BTH. */
struct bit_case {
	const char *name;
	struct urd_packet pkt;
	u8 bytes[URD_BTH_LEN];
};

static const struct bit_case bit_cases[] = {
	{ "nothing", {}, { 0 } },
	{ "opcode", { .opcode = 0x04 }, { 0x04 } },
	{ "solicited event", { .se = true }, { 0, 0x80 } },
	{ "MigReq", { .mig = true }, { 0, 0x40 } },
	{ "pad 1", { .pad = 1 }, { 0, 0x10 } },
	{ "pad 3", { .pad = 3 }, { 0, 0x30 } },
	{ "pkey", { .pkey = 0x1234 }, { 0, 0, 0x12, 0x34 } },
	{ "FECN", { .fecn = true }, { 0, 0, 0, 0, 0x80 } },
	{ "BECN", { .becn = true }, { 0, 0, 0, 0, 0x40 } },
	{ "QPN", { .qpn = 0x123456 }, { 0, 0, 0, 0, 0, 0x12, 0x34, 0x56 } },
	{ "AckReq", { .ackreq = true }, { 0, 0, 0, 0, 0, 0, 0, 0, 0x80 } },
	{ "PSN", { .psn = 0x789abc }, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x78, 0x9a, 0xbc } },
};

static void bit_desc(const struct bit_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(bit, bit_cases, bit_desc);

static void bth_bits_are_where_the_spec_has_them(struct kunit *test)
{
	const struct bit_case *c = test->param_value;
	u8 buf[URD_MAX_HDR_LEN];

	memset(buf, 0xa5, sizeof(buf));
	KUNIT_ASSERT_EQ(test, urd_packet_build(buf, &c->pkt), URD_BTH_LEN);
	KUNIT_EXPECT_EQ(test, memcmp(buf, c->bytes, URD_BTH_LEN), 0);
	KUNIT_EXPECT_EQ(test, buf[URD_BTH_LEN], 0xa5);
}

static void values_wider_than_their_field_are_cut(struct kunit *test)
{
	struct urd_packet pkt = { .qpn = 0xff000001, .psn = 0xff000002, .pad = 0xfc };
	static const u8 want[URD_BTH_LEN] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2 };
	u8 buf[URD_MAX_HDR_LEN];

	urd_packet_build(buf, &pkt);
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, URD_BTH_LEN), 0);
}

static void header_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, URD_BTH_LEN, 12);
	KUNIT_EXPECT_EQ(test, URD_RETH_LEN, 16);
	KUNIT_EXPECT_EQ(test, URD_ATOMICETH_LEN, 28);
	KUNIT_EXPECT_EQ(test, URD_AETH_LEN, 4);
	KUNIT_EXPECT_EQ(test, URD_ATOMICACKETH_LEN, 8);
	KUNIT_EXPECT_EQ(test, URD_DETH_LEN, 8);
	KUNIT_EXPECT_EQ(test, URD_IMMDT_LEN, 4);
	KUNIT_EXPECT_EQ(test, URD_IETH_LEN, 4);
	KUNIT_EXPECT_EQ(test, URD_FETH_LEN, 4);
	KUNIT_EXPECT_EQ(test, URD_ICRC_LEN, 4);
	KUNIT_EXPECT_EQ(test, URD_GRH_LEN, 40);
	KUNIT_EXPECT_EQ(test, URD_MIN_PACKET, 16);
}

static void max_hdr_len_holds_every_header(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		KUNIT_EXPECT_LE_MSG(test, urd_opinfo[i].hdr_len, URD_MAX_HDR_LEN,
				    "opcode %#x", i);
}

static void limits_and_well_known_numbers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, URD_UDP_PORT, 4791);
	KUNIT_EXPECT_EQ(test, URD_MAX_MSG, 1u << 31);
	KUNIT_EXPECT_EQ(test, URD_MULTICAST_QPN, 0xffffff);
	KUNIT_EXPECT_EQ(test, URD_GSI_QKEY, 0x80010000);
	KUNIT_EXPECT_EQ(test, URD_DEFAULT_PKEY, 0xffff);
}

static void syndromes_belong_to_their_class(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, URD_AETH_CLASS_MASK | URD_AETH_VALUE_MASK, 0x7f);
	KUNIT_EXPECT_EQ(test, URD_AETH_CLASS_MASK & URD_AETH_VALUE_MASK, 0);
	KUNIT_EXPECT_EQ(test, URD_NAK_PSN_SEQ, URD_AETH_NAK | 0);
	KUNIT_EXPECT_EQ(test, URD_NAK_INVALID_REQ, URD_AETH_NAK | 1);
	KUNIT_EXPECT_EQ(test, URD_NAK_REM_ACCESS, URD_AETH_NAK | 2);
	KUNIT_EXPECT_EQ(test, URD_NAK_REM_OP, URD_AETH_NAK | 3);
	KUNIT_EXPECT_EQ(test, URD_NAK_INVALID_RD, URD_AETH_NAK | 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(bth_bits_are_where_the_spec_has_them, bit_gen_params),
	KUNIT_CASE(values_wider_than_their_field_are_cut),
	KUNIT_CASE(header_sizes),
	KUNIT_CASE(max_hdr_len_holds_every_header),
	KUNIT_CASE(limits_and_well_known_numbers),
	KUNIT_CASE(syndromes_belong_to_their_class),
	{}
};

struct kunit_suite urd_wire_suite = {
	.name = "urd_wire",
	.test_cases = cases,
};
