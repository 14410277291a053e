// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Serial arithmetic over the wrap (fault Q01). */
#include "urd_kunit.h"
#include "../drivers/urd/proto/psn.h"

static const u32 bases[] = {
	0, 1, 2, 0x123456, 0x7ffff0, 0x7fffff, 0x800000, 0x800001, 0xfffff0,
	0xfffffe, 0xffffff,
};

static const s32 steps[] = {
	-0x800000, -0x7fffff, -0x10000, -256, -2, -1, 0, 1, 2, 255, 0x10000,
	0x7ffffe, 0x7fffff,
};

static void difference_undoes_addition(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		for (j = 0; j < ARRAY_SIZE(steps); j++) {
			u32 psn = urd_psn_add(bases[i], steps[j]);

			KUNIT_EXPECT_LE(test, psn, URD_PSN_MASK);
			KUNIT_EXPECT_EQ_MSG(test, urd_psn_diff(psn, bases[i]), steps[j],
					    "%#x to %#x", bases[i], psn);
			KUNIT_EXPECT_EQ_MSG(test, urd_psn_before(psn, bases[i]), steps[j] < 0,
					    "%#x to %#x", bases[i], psn);
		}
	}
}

static void addition_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, urd_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, urd_psn_add(0xfffff0, 0x20), 0x10);
	KUNIT_EXPECT_EQ(test, urd_psn_add(0, 0xffffffff), 0xffffff);
	KUNIT_EXPECT_EQ(test, urd_psn_add(0x123456, 0x1000000), 0x123456);
}

static void before_is_the_preceding_half(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, urd_psn_before(0xffffff, 0));
	KUNIT_EXPECT_FALSE(test, urd_psn_before(0, 0xffffff));
	KUNIT_EXPECT_TRUE(test, urd_psn_before(0x800000, 0));
	KUNIT_EXPECT_TRUE(test, urd_psn_before(0, 0x800000));
	KUNIT_EXPECT_FALSE(test, urd_psn_before(0, 0x800001));
	KUNIT_EXPECT_FALSE(test, urd_psn_before(5, 5));
}

static void count_of_a_range(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, urd_psn_count(7, 7), 1);
	KUNIT_EXPECT_EQ(test, urd_psn_count(7, 9), 3);
	KUNIT_EXPECT_EQ(test, urd_psn_count(0xffffff, 0), 2);
	KUNIT_EXPECT_EQ(test, urd_psn_count(0xfffff0, 0x0f), 32);
	KUNIT_EXPECT_EQ(test, urd_psn_count(0, 0x7fffff), 0x800000);
}

/* Every PSN near every base, by walking from first to last. */
static bool walk_finds(u32 psn, u32 first, u32 last)
{
	while (first != psn && first != last)
		first = (first + 1) & 0xffffff;
	return first == psn;
}

static void membership_equals_a_walk(struct kunit *test)
{
	unsigned int i, len, off;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		for (len = 0; len < 5; len++) {
			u32 last = urd_psn_add(bases[i], len);

			for (off = 0; off < 12; off++) {
				u32 psn = urd_psn_add(bases[i], off - 4);

				KUNIT_EXPECT_EQ_MSG(test, urd_psn_in(psn, bases[i], last),
						    walk_finds(psn, bases[i], last),
						    "%#x in %#x .. %#x", psn, bases[i], last);
			}
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(difference_undoes_addition),
	KUNIT_CASE(addition_wraps),
	KUNIT_CASE(before_is_the_preceding_half),
	KUNIT_CASE(count_of_a_range),
	KUNIT_CASE(membership_equals_a_walk),
	{}
};

struct kunit_suite urd_psn_suite = {
	.name = "urd_psn",
	.test_cases = cases,
};
