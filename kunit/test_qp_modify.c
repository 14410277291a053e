// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP transitions: every pair of states, every class, every attribute, against
 * a table of letters and, in the kernel, against the table of ib_core.
 */
#include "urd_kunit.h"
#include "../drivers/urd/proto/qp_table.h"

/* The letter of attribute mask bit 1 << n is attrs[n]. */
static const char attrs[] =
	"."	/* state itself, always allowed */
	"s"	/* current state */
	"n"	/* SQD event wanted */
	"a"	/* access flags */
	"p"	/* P_Key index */
	"o"	/* port */
	"q"	/* Q_Key */
	"v"	/* address vector */
	"m"	/* path MTU */
	"t"	/* local ACK timeout */
	"r"	/* retry count */
	"R"	/* RNR retry count */
	"P"	/* RQ PSN */
	"d"	/* READs and atomics as initiator */
	"l"	/* alternate path */
	"T"	/* minimum RNR NAK timer */
	"S"	/* SQ PSN */
	"D"	/* READs and atomics as destination */
	"g"	/* path migration state */
	"c"	/* capabilities */
	"Q";	/* destination QPN */

#define ATTR_COUNT	(sizeof(attrs) - 1)

struct rule_case {
	const char *from, *to;
	const char *required[URD_QPC_COUNT];	/* RC, UC, UD, GSI */
	const char *optional[URD_QPC_COUNT];
};

static const char *const states[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

static const struct rule_case rule_cases[] = {
	{ "RESET", "INIT", { "pao", "pao", "pqo", "pq" }, { "", "", "", "" } },
	{ "INIT", "INIT", { "", "", "", "" }, { "pao", "pao", "pqo", "pq" } },
	{ "INIT", "RTR", { "vmQPDT", "vmQP", "", "" }, { "lap", "lap", "pq", "pq" } },
	{ "RTR", "RTS", { "StrRd", "S", "S", "S" }, { "slagT", "slag", "sq", "sq" } },
	{ "RTS", "RTS", { "", "", "", "" }, { "slagT", "slag", "sq", "sq" } },
	{ "RTS", "SQD", { "", "", "", "" }, { "n", "n", "n", "n" } },
	{ "SQD", "SQD", { "", "", "", "" }, { "vlapgotrRdDT", "vlapg", "pq", "pq" } },
	{ "SQD", "RTS", { "", "", "", "" }, { "slagT", "slag", "sq", "sq" } },
	{ "SQE", "RTS", { "", "", "", "" }, { "", "sa", "sq", "sq" } },
};

static u32 mask_of(const char *letters)
{
	u32 mask = 0;

	for (; *letters; letters++)
		mask |= 1u << (strchr(attrs, *letters) - attrs);
	return mask;
}

/* Any state may be left for RESET, and any but RESET for ERR, with nothing set. */
static bool free_transition(u32 from, u32 to)
{
	return to == URD_QPS_RESET || (to == URD_QPS_ERR && from != URD_QPS_RESET);
}

static const struct rule_case *find_rule(u32 from, u32 to)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rule_cases); i++)
		if (!strcmp(rule_cases[i].from, states[from]) &&
		    !strcmp(rule_cases[i].to, states[to]))
			return &rule_cases[i];
	return NULL;
}

static bool expected_ok(u32 class, u32 from, u32 to, u32 mask)
{
	const struct rule_case *rule = find_rule(from, to);
	u32 required, allowed;

	if (!rule && !free_transition(from, to))
		return false;
	required = rule ? mask_of(rule->required[class]) : 0;
	allowed = required | 1 | (rule ? mask_of(rule->optional[class]) : 0);
	return (mask & required) == required && !(mask & ~allowed);
}

struct pair {
	u32 class, from, to;
};

static void check_pair(struct kunit *test, const struct pair *p,
		       bool (*want)(u32 class, u32 from, u32 to, u32 mask))
{
	const struct urd_qp_rule rule = urd_qp_rule(p->class, p->from, p->to);
	u32 seed = p->class << 8 | p->from << 4 | p->to;
	u32 bases[4 + 64], i, bit;

	bases[0] = 0;
	bases[1] = URD_QPA_STATE;
	bases[2] = URD_QPA_STATE | rule.required;
	bases[3] = URD_QPA_STATE | rule.required | rule.optional;
	/* and arbitrary ones: a generator with the same values everywhere */
	for (i = 4; i < ARRAY_SIZE(bases); i++) {
		seed = seed * 1664525 + 1013904223;
		bases[i] = (seed >> 8 & ((1u << ATTR_COUNT) - 1)) | rule.required;
	}
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		for (bit = 0; bit <= ATTR_COUNT; bit++) {
			u32 mask = bases[i] ^ (bit < ATTR_COUNT ? 1u << bit : 0);

			KUNIT_EXPECT_EQ_MSG(test,
					    urd_qp_modify_ok(p->class, p->from, p->to, mask),
					    want(p->class, p->from, p->to, mask),
					    "class %u, %s to %s, mask %#x", p->class,
					    states[p->from], states[p->to], mask);
		}
	}
}

static void check_all(struct kunit *test,
		      bool (*want)(u32 class, u32 from, u32 to, u32 mask))
{
	struct pair p;

	for (p.class = 0; p.class < URD_QPC_COUNT; p.class++)
		for (p.from = 0; p.from < URD_QPS_COUNT; p.from++)
			for (p.to = 0; p.to < URD_QPS_COUNT; p.to++)
				check_pair(test, &p, want);
}

static void every_transition(struct kunit *test)
{
	check_all(test, expected_ok);
}

static void rules_are_the_table(struct kunit *test)
{
	u32 class, from, to;

	for (class = 0; class < URD_QPC_COUNT; class++) {
		for (from = 0; from < URD_QPS_COUNT; from++) {
			for (to = 0; to < URD_QPS_COUNT; to++) {
				struct urd_qp_rule got = urd_qp_rule(class, from, to);
				const struct rule_case *rule = find_rule(from, to);

				KUNIT_EXPECT_EQ(test, got.valid,
						rule || free_transition(from, to));
				KUNIT_EXPECT_EQ(test, got.required,
						rule ? mask_of(rule->required[class]) : 0);
				KUNIT_EXPECT_EQ(test, got.optional,
						rule ? mask_of(rule->optional[class]) : 0);
			}
		}
	}
}

static void out_of_range_is_refused(struct kunit *test)
{
	static const u32 wild[] = { 7, 8, 255, 0x7fffffff, 0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wild); i++) {
		KUNIT_EXPECT_FALSE(test, urd_qp_modify_ok(URD_QPC_RC, wild[i], 0, 1));
		KUNIT_EXPECT_FALSE(test, urd_qp_modify_ok(URD_QPC_RC, 0, wild[i], 1));
		KUNIT_EXPECT_FALSE(test, urd_qp_modify_ok(wild[i], 0, 0, 1));
	}
	/* bits that no attribute has */
	KUNIT_EXPECT_FALSE(test, urd_qp_modify_ok(URD_QPC_RC, 3, 3, 1u << 31));
}

#ifdef __KERNEL__
#include <rdma/ib_verbs.h>

static bool core_ok(u32 class, u32 from, u32 to, u32 mask)
{
	static const enum ib_qp_type types[] = {
		[URD_QPC_RC] = IB_QPT_RC, [URD_QPC_UC] = IB_QPT_UC,
		[URD_QPC_UD] = IB_QPT_UD, [URD_QPC_GSI] = IB_QPT_GSI,
	};

	return ib_modify_qp_is_ok(from, to, types[class], mask);
}

static void same_as_the_core(struct kunit *test)
{
	check_all(test, core_ok);
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(every_transition),
	KUNIT_CASE(rules_are_the_table),
	KUNIT_CASE(out_of_range_is_refused),
#ifdef __KERNEL__
	KUNIT_CASE(same_as_the_core),
#endif
	{}
};

struct kunit_suite urd_qp_modify_suite = {
	.name = "urd_qp_modify",
	.test_cases = cases,
};
