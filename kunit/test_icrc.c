// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The ICRC of packets that others built, and what it has to cover. */
#include "urd_kunit.h"
#include "vectors.h"
#include "../drivers/urd/proto/icrc.h"

static void vector_desc(const struct urd_vector *v, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", v->name);
}

KUNIT_ARRAY_PARAM(vector, urd_vectors, vector_desc);

static u32 start(const u8 *data, u32 ip_len)
{
	const u8 *udp = data + ip_len;

	return ip_len == 20 ? urd_icrc_start_v4(data, udp, udp + 8) :
			      urd_icrc_start_v6(data, udp, udp + 8);
}

/* ICRC of the packet at @data, whose last four bytes are not looked at. */
static __le32 icrc(const u8 *data, u32 ip_len, u32 len)
{
	u32 body = ip_len + 8 + URD_BTH_LEN;
	u32 crc = start(data, ip_len);

	return urd_icrc_finish(urd_icrc_update(crc, data + body, len - body - 4));
}

static bool icrc_matches(const u8 *data, u32 ip_len, u32 len)
{
	__le32 crc = icrc(data, ip_len, len);

	return !memcmp(&crc, data + len - 4, 4);
}

static void known_answer(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;

	KUNIT_EXPECT_TRUE(test, icrc_matches(v->data, v->ip_len, v->len));
}

/* Variant fields: IP TOS/class, label, TTL/hop limit, checksums, BTH byte 4. */
static bool is_variant(u32 ip_len, u32 byte, u32 bit)
{
	if (byte == ip_len + 6 || byte == ip_len + 7 || byte == ip_len + 8 + 4)
		return true;
	if (ip_len == 20)
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	return (byte == 0 && bit < 4) || (byte >= 1 && byte <= 3) || byte == 7;
}

/* Flip each bit before the ICRC: noticed, but where the field is variant. */
static void every_invariant_bit_counts(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;
	u8 *data = kunit_kzalloc(test, v->len, GFP_KERNEL);
	u32 i, bit;

	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, v->data, v->len);
	for (i = 0; i < v->len - 4; i++) {
		for (bit = 0; bit < 8; bit++) {
			data[i] ^= 1 << bit;
			KUNIT_EXPECT_EQ_MSG(test, icrc_matches(data, v->ip_len, v->len),
					    is_variant(v->ip_len, i, bit),
					    "byte %u bit %u", i, bit);
			data[i] ^= 1 << bit;
		}
	}
	KUNIT_EXPECT_EQ(test, memcmp(data, v->data, v->len), 0);
}

/* Fault W07: leaving out the pad, or an odd cut of the payload. */
static void pieces_make_the_whole(struct kunit *test)
{
	const struct urd_vector *v = test->param_value;
	u32 body = v->ip_len + 8 + URD_BTH_LEN;
	u32 len = v->len - body - 4;
	u32 cut;

	for (cut = 0; cut <= len; cut++) {
		u32 crc = start(v->data, v->ip_len);
		__le32 end;

		crc = urd_icrc_update(crc, v->data + body, cut);
		crc = urd_icrc_update(crc, v->data + body + cut, len - cut);
		end = urd_icrc_finish(crc);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&end, v->data + v->len - 4, 4), 0,
				    "cut at %u", cut);
	}
}

/* The check value that every description of CRC-32 gives. */
static void crc_check_value(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ~urd_crc32_le(~0u, "123456789", 9), 0xcbf43926u);
}

/* 8 bytes of ones and a header of ones only: start from first principles. */
static void start_covers_the_dummy_lrh(struct kunit *test)
{
	u8 ones[8 + 20 + 8 + 12];

	memset(ones, 0xff, sizeof(ones));
	KUNIT_EXPECT_EQ(test, urd_icrc_start_v4(ones + 8, ones + 28, ones + 36),
			urd_crc32_le(~0u, ones, sizeof(ones)));
}

static void finish_stores_the_low_byte_first(struct kunit *test)
{
	__le32 crc = urd_icrc_finish(~0x04030201u);
	static const u8 want[] = { 1, 2, 3, 4 };

	KUNIT_EXPECT_EQ(test, memcmp(&crc, want, 4), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(known_answer, vector_gen_params),
	KUNIT_CASE_PARAM(every_invariant_bit_counts, vector_gen_params),
	KUNIT_CASE_PARAM(pieces_make_the_whole, vector_gen_params),
	KUNIT_CASE(crc_check_value),
	KUNIT_CASE(start_covers_the_dummy_lrh),
	KUNIT_CASE(finish_stores_the_low_byte_first),
	{}
};

struct kunit_suite urd_icrc_suite = {
	.name = "urd_icrc",
	.test_cases = cases,
};
