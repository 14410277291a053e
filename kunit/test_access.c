// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Keys, domains, rights and ranges that try to wrap (faults M02, M04, M05). */
#include "urd_kunit.h"
#include "../drivers/urd/proto/access.h"

#define TOP	0xffffffffffffffffull

static const u64 edges[] = {
	0, 1, 2, 7, 8, 0x400, 0xfff, 0x1000, 0x7fffffff, 0x80000000, 0xffffffff,
	0x100000000ull, 0x7fffffffffffffffull, 0x8000000000000000ull,
	TOP - 0x1000, TOP - 0x3ff, TOP - 8, TOP - 7, TOP - 1, TOP,
};

/* Does start + size pass 2^64? Exactly 2^64 is a legal end. */
static bool wraps(u64 start, u64 size)
{
	u64 last;

	return size && __builtin_add_overflow(start, size - 1, &last);
}

/* Inside, by the last bytes instead of distances; neither range wraps. */
static bool inside(u64 base, u64 size, u64 addr, u64 len)
{
	if (!len)
		return addr >= base && addr - base <= size;
	return size && addr >= base && addr + (len - 1) <= base + (size - 1);
}

static void check_range(struct kunit *test, u64 base, u64 size, u64 addr, u64 len)
{
	bool want = !wraps(addr, len) && inside(base, size, addr, len);

	KUNIT_EXPECT_EQ_MSG(test, urd_range_ok(base, size, addr, len), want,
			    "%#llx+%#llx in %#llx+%#llx", addr, len, base, size);
}

/* No registered region wraps, so those are left out. */
static void range_against_other_arithmetic(struct kunit *test)
{
	unsigned int b, s, a, l;

	for (b = 0; b < ARRAY_SIZE(edges); b++) {
		for (s = 0; s < ARRAY_SIZE(edges); s++) {
			if (wraps(edges[b], edges[s]))
				continue;
			for (a = 0; a < ARRAY_SIZE(edges); a++)
				for (l = 0; l < ARRAY_SIZE(edges); l++)
					check_range(test, edges[b], edges[s], edges[a], edges[l]);
		}
	}
}

struct range_case {
	const char *name;
	u64 base, size, addr, len;
	bool ok;
};

static const struct range_case range_cases[] = {
	{ "all of it", 0x1000, 0x400, 0x1000, 0x400, true },
	{ "first byte", 0x1000, 0x400, 0x1000, 1, true },
	{ "last byte", 0x1000, 0x400, 0x13ff, 1, true },
	{ "one before", 0x1000, 0x400, 0xfff, 1, false },
	{ "one behind", 0x1000, 0x400, 0x1400, 1, false },
	{ "one too long", 0x1000, 0x400, 0x1000, 0x401, false },
	{ "straddles the end", 0x1000, 0x400, 0x13ff, 2, false },
	{ "nothing, at the start", 0x1000, 0x400, 0x1000, 0, true },
	{ "nothing, at the end", 0x1000, 0x400, 0x1400, 0, true },
	{ "nothing, behind", 0x1000, 0x400, 0x1401, 0, false },
	{ "empty region", 0x1000, 0, 0x1000, 1, false },
	{ "M02: end wraps to 0", 0x1000, 0x400, TOP - 0x3ff, 0x400, false },
	{ "M02: end wraps into the region", 0x1000, 0x400, TOP - 0x3ff, 0x1400 + 0x400, false },
	{ "M04: window over the wrap", 0x1000, 0x400, TOP - 0x3ff, 0x1400, false },
	{ "length of everything", 0x1000, 0x400, 0x1000, TOP, false },
	{ "address of everything", 0x1000, 0x400, TOP, 1, false },
	{ "iova that ends at 2^64", TOP - 0x3ff, 0x400, TOP - 0x3ff, 0x400, true },
	{ "its last byte", TOP - 0x3ff, 0x400, TOP, 1, true },
	{ "one more wraps", TOP - 0x3ff, 0x400, TOP, 2, false },
	{ "whole address space but one", 0, TOP, 0, TOP, true },
	{ "the one", 0, TOP, TOP, 1, false },
};

static void range_desc(const struct range_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(range, range_cases, range_desc);

static void range(struct kunit *test)
{
	const struct range_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, urd_range_ok(c->base, c->size, c->addr, c->len), c->ok);
}

static const char pd_a, pd_b;

static const struct urd_region region = {
	.valid = true, .key = 0x1234ab, .pd = &pd_a, .qpn = 0,
	.base = 0x10000, .len = 0x1000,
	.rights = URD_RIGHT_REMOTE_READ | URD_RIGHT_LOCAL_WRITE,
};

struct check_case {
	const char *name;
	bool invalid;
	u32 key;
	bool other_pd;
	u32 region_qpn, qpn;
	u32 need;
	u64 addr;
	enum urd_access want;
};

#define KEY	0x1234ab
#define RD	URD_RIGHT_REMOTE_READ
#define WR	URD_RIGHT_REMOTE_WRITE

static const struct check_case check_cases[] = {
	{ "allowed", false, KEY, false, 0, 5, RD, 0x10000, URD_ACCESS_OK },
	{ "no right needed", false, KEY, false, 0, 5, 0, 0x10000, URD_ACCESS_OK },
	{ "invalidated", true, KEY, false, 0, 5, RD, 0x10000, URD_ACCESS_STATE },
	{ "old variant", false, KEY ^ 1, false, 0, 5, RD, 0x10000, URD_ACCESS_KEY },
	{ "other index", false, KEY ^ 0x100, false, 0, 5, RD, 0x10000, URD_ACCESS_KEY },
	{ "other PD", false, KEY, true, 0, 5, RD, 0x10000, URD_ACCESS_PD },
	{ "window of this QP", false, KEY, false, 5, 5, RD, 0x10000, URD_ACCESS_OK },
	{ "window of another QP", false, KEY, false, 6, 5, RD, 0x10000, URD_ACCESS_PD },
	{ "own window, other PD", false, KEY, true, 5, 5, RD, 0x10000, URD_ACCESS_PD },
	{ "right missing", false, KEY, false, 0, 5, WR, 0x10000, URD_ACCESS_RIGHTS },
	{ "one of two rights", false, KEY, false, 0, 5, RD | WR, 0x10000,
	  URD_ACCESS_RIGHTS },
	{ "outside", false, KEY, false, 0, 5, RD, 0x10ff9, URD_ACCESS_RANGE },
	{ "state before key", true, 0, false, 0, 5, RD, 0x10000, URD_ACCESS_STATE },
	{ "key before PD", false, 0, true, 0, 5, RD, 0x10000, URD_ACCESS_KEY },
	{ "PD before rights", false, KEY, true, 0, 5, WR, 0x10000, URD_ACCESS_PD },
	{ "rights before range", false, KEY, false, 0, 5, WR, 0, URD_ACCESS_RIGHTS },
};

static void check_desc(const struct check_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(check, check_cases, check_desc);

/* Eight bytes at addr. */
static void check(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	struct urd_region r = region;

	r.valid = !c->invalid;
	r.qpn = c->region_qpn;
	KUNIT_EXPECT_EQ(test, urd_access_check(&r, c->key, c->other_pd ? &pd_b : &pd_a,
					       c->qpn, c->addr, 8, c->need), c->want);
}

/* A right opens exactly the accesses that need no other one. */
static void every_right_stands_alone(struct kunit *test)
{
	struct urd_region r = region;
	u32 have, need;

	for (have = 0; have < 64; have++) {
		for (need = 0; need < 64; need++) {
			enum urd_access want = (have & need) == need ? URD_ACCESS_OK :
						URD_ACCESS_RIGHTS;

			r.rights = have;
			KUNIT_EXPECT_EQ_MSG(test, urd_access_check(&r, KEY, &pd_a, 1, 0x10000,
								   1, need),
					    want, "have %#x need %#x", have, need);
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(range_against_other_arithmetic),
	KUNIT_CASE_PARAM(range, range_gen_params),
	KUNIT_CASE_PARAM(check, check_gen_params),
	KUNIT_CASE(every_right_stands_alone),
	{}
};

struct kunit_suite urd_access_suite = {
	.name = "urd_access",
	.test_cases = cases,
};
