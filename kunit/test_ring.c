// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Index arithmetic, and indices that the other side made up (fault A04). */
#include "urd_kunit.h"
#include "../drivers/urd/proto/ring.h"

static const u32 starts[] = {
	0, 1, 63, 64, 0x7fffffff, 0x80000000, 0xffffff00, 0xffffffc0, 0xffffffff,
};

static const u32 lies[] = {
	0x41, 0x80, 0x1000, 0x7fffffff, 0x80000000, 0xdeadbeef, 0xffff0000, 0xffffffff,
};

#define DEPTH	64u

static void honest_indices_count_over_the_wrap(struct kunit *test)
{
	unsigned int i;
	u32 used, n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		u32 cons = starts[i];

		for (used = 0; used <= DEPTH; used++) {
			u32 prod = cons + used;

			KUNIT_EXPECT_EQ(test, urd_ring_count(prod, cons), used);
			n = ~0u;
			KUNIT_EXPECT_TRUE(test, urd_ring_avail(prod, cons, DEPTH, &n));
			KUNIT_EXPECT_EQ(test, n, used);
			KUNIT_EXPECT_EQ(test, urd_ring_free(prod, cons, DEPTH), DEPTH - used);
		}
	}
}

static void lying_producer_is_refused(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(lies); j++) {
			u32 n = 0x5a5a;

			KUNIT_EXPECT_FALSE(test, urd_ring_avail(starts[i] + lies[j], starts[i],
								DEPTH, &n));
			KUNIT_EXPECT_EQ(test, n, 0x5a5a);
		}
	}
}

/* A consumer that claims to have taken what was never there, or gave back. */
static void lying_consumer_gets_no_room(struct kunit *test)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		for (j = 0; j < ARRAY_SIZE(lies); j++)
			KUNIT_EXPECT_EQ(test, urd_ring_free(starts[i], starts[i] - lies[j],
							    DEPTH), 0);
	/* one ahead of the producer */
	KUNIT_EXPECT_EQ(test, urd_ring_free(7, 8, DEPTH), 0);
}

static void producer_moved_backwards_is_refused(struct kunit *test)
{
	u32 n;

	KUNIT_EXPECT_FALSE(test, urd_ring_avail(99, 100, DEPTH, &n));
	KUNIT_EXPECT_FALSE(test, urd_ring_avail(0xffffffff, 0, DEPTH, &n));
}

static void smallest_and_biggest_ring(struct kunit *test)
{
	u32 n;

	KUNIT_EXPECT_EQ(test, urd_ring_free(0, 0, 1), 1);
	KUNIT_EXPECT_EQ(test, urd_ring_free(1, 0, 1), 0);
	KUNIT_EXPECT_TRUE(test, urd_ring_avail(1, 0, 1, &n));
	KUNIT_EXPECT_FALSE(test, urd_ring_avail(2, 0, 1, &n));
	KUNIT_EXPECT_TRUE(test, urd_ring_avail(0x80000000, 0, 0x80000000, &n));
	KUNIT_EXPECT_EQ(test, n, 0x80000000);
	KUNIT_EXPECT_FALSE(test, urd_ring_avail(0x80000001, 0, 0x80000000, &n));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(honest_indices_count_over_the_wrap),
	KUNIT_CASE(lying_producer_is_refused),
	KUNIT_CASE(lying_consumer_gets_no_room),
	KUNIT_CASE(producer_moved_backwards_is_refused),
	KUNIT_CASE(smallest_and_biggest_ring),
	{}
};

struct kunit_suite urd_ring_suite = {
	.name = "urd_ring",
	.test_cases = cases,
};
