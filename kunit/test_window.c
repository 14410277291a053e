// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Syndromes, timer tables, and responses that do or do not fit. */
#include <rdma/urd-abi.h>

#include "urd_kunit.h"
#include "../drivers/urd/proto/window.h"

static enum urd_ack_class class_of(unsigned int syndrome)
{
	if (syndrome <= 0x1f)
		return URD_ACK_OK;
	if (syndrome >= 0x20 && syndrome <= 0x3f)
		return URD_ACK_RNR;
	if (syndrome == 0x60)
		return URD_ACK_SEQ;
	if (syndrome >= 0x61 && syndrome <= 0x64)
		return URD_ACK_FATAL;
	return URD_ACK_NONE;
}

static void every_syndrome(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		KUNIT_EXPECT_EQ_MSG(test, urd_ack_classify(i), class_of(i), "syndrome %#x", i);
}

/* Numbers of enum ib_wc_status. */
static void status_of_a_nak(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, urd_nak_status(0x61), 9);		/* REM_INV_REQ_ERR */
	KUNIT_EXPECT_EQ(test, urd_nak_status(0x62), 10);	/* REM_ACCESS_ERR */
	KUNIT_EXPECT_EQ(test, urd_nak_status(0x63), 11);	/* REM_OP_ERR */
	KUNIT_EXPECT_EQ(test, urd_nak_status(0x64), 15);	/* REM_INV_RD_REQ_ERR */
	KUNIT_EXPECT_EQ(test, urd_nak_status(0x65), 7);		/* BAD_RESP_ERR */
}

/* Hundredths of a millisecond, as the table of the specification prints them. */
static void rnr_timer_table(struct kunit *test)
{
	static const u32 want[] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, urd_rnr_usec(i), want[i] * 10, "code %u", i);
}

/* From code 2 on every second value doubles, and 0 goes on after 31. */
static void rnr_timer_doubles(struct kunit *test)
{
	unsigned int i;

	for (i = 2; i < 30; i++)
		KUNIT_EXPECT_EQ_MSG(test, urd_rnr_usec(i + 2), 2 * urd_rnr_usec(i),
				    "code %u", i);
	KUNIT_EXPECT_EQ(test, urd_rnr_usec(0), 2 * urd_rnr_usec(30));
	/* IB_RNR_TIMER_061_44 */
	KUNIT_EXPECT_EQ(test, urd_rnr_usec(25), 61440);
	/* more than 5 bits do not lead out of the table */
	KUNIT_EXPECT_EQ(test, urd_rnr_usec(0x20 | 14), 1280);
	KUNIT_EXPECT_EQ(test, urd_rnr_usec(0xff), 491520);
}

static void ack_timeout(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, urd_timeout_nsec(0), 0);
	KUNIT_EXPECT_EQ(test, urd_timeout_nsec(1), 8192);
	KUNIT_EXPECT_EQ(test, urd_timeout_nsec(14), 67108864);
	KUNIT_EXPECT_EQ(test, urd_timeout_nsec(31), 8796093022208ull);
	for (i = 1; i < 31; i++)
		KUNIT_EXPECT_EQ(test, urd_timeout_nsec(i + 1), 2 * urd_timeout_nsec(i));
}

/* Oldest request: 10 .. 12 for SEND, WRITE, READ; 12 for the rest. Sent: to 19. */
struct fit_case {
	const char *name;
	u8 wr_op;
	u8 opcode;
	u8 syndrome;
	u32 psn;
	enum urd_resp_fit want;
};

#define ACK	URD_OP_ACK
#define AACK	URD_OP_ATOMIC_ACK
#define RFIRST	URD_OP_READ_RESP_FIRST
#define RMIDDLE	URD_OP_READ_RESP_MIDDLE
#define RLAST	URD_OP_READ_RESP_LAST
#define RONLY	URD_OP_READ_RESP_ONLY
#define CREDIT	0x1f

static const struct fit_case fit_cases[] = {
	{ "ACK in the message", URD_WR_SEND, ACK, CREDIT, 10, URD_FIT_OK },
	{ "ACK of its end", URD_WR_SEND, ACK, CREDIT, 12, URD_FIT_OK },
	{ "coalesced ACK", URD_WR_SEND, ACK, CREDIT, 13, URD_FIT_AHEAD },
	{ "ACK of the last sent", URD_WR_WRITE, ACK, CREDIT, 19, URD_FIT_AHEAD },
	{ "ACK of what was not sent", URD_WR_SEND, ACK, CREDIT, 20, URD_FIT_UNSENT },
	{ "ACK far ahead", URD_WR_SEND, ACK, CREDIT, 0x7fffff, URD_FIT_UNSENT },
	{ "old ACK", URD_WR_SEND, ACK, CREDIT, 9, URD_FIT_STALE },
	{ "very old ACK", URD_WR_SEND, ACK, CREDIT, 0x900000, URD_FIT_STALE },
	{ "old NAK", URD_WR_SEND, ACK, 0x62, 9, URD_FIT_STALE },
	{ "NAK of a SEND", URD_WR_SEND, ACK, 0x61, 11, URD_FIT_OK },
	{ "RNR NAK", URD_WR_SEND_IMM, ACK, 0x2e, 10, URD_FIT_OK },
	{ "NAK of a later request", URD_WR_SEND, ACK, 0x62, 15, URD_FIT_AHEAD },
	{ "READ response acknowledges SEND", URD_WR_SEND, RFIRST, CREDIT, 14, URD_FIT_AHEAD },
	{ "ATOMIC ACK acknowledges WRITE", URD_WR_WRITE_IMM, AACK, CREDIT, 13, URD_FIT_AHEAD },
	{ "C07: SEND answered by READ resp", URD_WR_SEND, RONLY, CREDIT, 12, URD_FIT_BAD },
	{ "C07: WRITE answered by ATOMIC ACK", URD_WR_WRITE, AACK, CREDIT, 12, URD_FIT_BAD },

	{ "READ first", URD_WR_READ, RFIRST, CREDIT, 10, URD_FIT_OK },
	{ "READ middle next", URD_WR_READ, RMIDDLE, CREDIT, 10, URD_FIT_OK },
	{ "READ response lost before middle", URD_WR_READ, RMIDDLE, CREDIT, 11, URD_FIT_AHEAD },
	{ "READ response lost before last", URD_WR_READ, RLAST, CREDIT, 12, URD_FIT_AHEAD },
	{ "READ last too early", URD_WR_READ, RLAST, CREDIT, 10, URD_FIT_BAD },
	{ "READ only too early", URD_WR_READ, RONLY, CREDIT, 11, URD_FIT_BAD },
	{ "READ middle at the end", URD_WR_READ, RMIDDLE, CREDIT, 12, URD_FIT_BAD },
	{ "READ response of long ago", URD_WR_READ, RMIDDLE, CREDIT, 9, URD_FIT_STALE },
	{ "ACK at a READ: response lost", URD_WR_READ, ACK, CREDIT, 11, URD_FIT_AHEAD },
	{ "ACK past a READ: responses lost", URD_WR_READ, ACK, CREDIT, 15, URD_FIT_AHEAD },
	{ "next READ's response: lost", URD_WR_READ, RFIRST, CREDIT, 14, URD_FIT_AHEAD },
	{ "NAK of a READ", URD_WR_READ, ACK, 0x62, 10, URD_FIT_OK },
	{ "NAK half-way", URD_WR_READ, ACK, 0x63, 11, URD_FIT_OK },
	{ "C07: READ answered by ATOMIC ACK", URD_WR_READ, AACK, CREDIT, 10, URD_FIT_BAD },

	{ "ATOMIC ACK", URD_WR_CMP_SWP, AACK, CREDIT, 12, URD_FIT_OK },
	{ "ATOMIC ACK of FetchAdd", URD_WR_FETCH_ADD, AACK, CREDIT, 12, URD_FIT_OK },
	{ "ACK at an atomic", URD_WR_FETCH_ADD, ACK, CREDIT, 12, URD_FIT_AHEAD },
	{ "ACK past an atomic", URD_WR_FETCH_ADD, ACK, CREDIT, 13, URD_FIT_AHEAD },
	{ "NAK of an atomic", URD_WR_CMP_SWP, ACK, 0x62, 12, URD_FIT_OK },
	{ "C07: atomic answered by READ resp", URD_WR_CMP_SWP, RONLY, CREDIT, 12, URD_FIT_BAD },

	{ "FLUSH done", URD_WR_FLUSH, RONLY, CREDIT, 12, URD_FIT_OK },
	{ "FLUSH by READ last", URD_WR_FLUSH, RLAST, CREDIT, 12, URD_FIT_BAD },
	{ "FLUSH by ATOMIC ACK", URD_WR_FLUSH, AACK, CREDIT, 12, URD_FIT_BAD },
	{ "ACK at a FLUSH", URD_WR_FLUSH, ACK, CREDIT, 12, URD_FIT_AHEAD },
	{ "ATOMIC WRITE done", URD_WR_ATOMIC_WRITE, RONLY, CREDIT, 12, URD_FIT_OK },
	{ "ATOMIC WRITE by ATOMIC ACK", URD_WR_ATOMIC_WRITE, AACK, CREDIT, 12, URD_FIT_BAD },

	{ "local operation", URD_WR_LOCAL_INV, ACK, CREDIT, 12, URD_FIT_BAD },
	{ "operation out of range", 0xff, ACK, CREDIT, 12, URD_FIT_BAD },
	{ "a request is no response", URD_WR_SEND, URD_OP_SEND_ONLY, 0, 12, URD_FIT_BAD },
	{ "CNP is no response", URD_WR_SEND, URD_OP_CNP, 0, 12, URD_FIT_BAD },
};

static void fit_desc(const struct fit_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(fit, fit_cases, fit_desc);

static bool many_psns(u8 wr_op)
{
	return wr_op >= URD_WR_SEND && wr_op <= URD_WR_READ;
}

/* The whole picture moved to where PSNs wrap, and to where the sign does. */
static void fit(struct kunit *test)
{
	static const u32 shifts[] = { 0, 0xfffff5, 0xfffff4, 0x7ffff5, 0x800000 };
	const struct fit_case *c = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		u32 s = shifts[i];
		struct urd_outstanding out = {
			.any = true, .wr_op = c->wr_op,
			.first_psn = urd_psn_add(many_psns(c->wr_op) ? 10 : 12, s),
			.last_psn = urd_psn_add(12, s),
			.next_psn = urd_psn_add(20, s),
		};
		struct urd_packet pkt = {
			.op = &urd_opinfo[c->opcode], .opcode = c->opcode,
			.psn = urd_psn_add(c->psn, s), .aeth.syndrome = c->syndrome,
		};

		KUNIT_EXPECT_EQ_MSG(test, urd_resp_fit(&out, &pkt), c->want, "moved by %#x", s);
	}
}

static void read_answered_in_part(struct kunit *test)
{
	struct urd_outstanding out = {
		.any = true, .wr_op = URD_WR_READ,
		.first_psn = 12, .last_psn = 12, .next_psn = 13,
	};
	struct urd_packet pkt = { .op = &urd_opinfo[RLAST], .opcode = RLAST, .psn = 12 };

	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_OK);
	/* asked for again, the rest is a message of its own */
	pkt.op = &urd_opinfo[RONLY];
	pkt.opcode = RONLY;
	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_OK);
	pkt.psn = 11;
	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_STALE);
}

static void flush_response_carries_nothing(struct kunit *test)
{
	struct urd_outstanding out = {
		.any = true, .wr_op = URD_WR_FLUSH,
		.first_psn = 12, .last_psn = 12, .next_psn = 13,
	};
	struct urd_packet pkt = {
		.op = &urd_opinfo[RONLY], .opcode = RONLY, .psn = 12, .payload_len = 4,
	};

	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_BAD);
}

/* Fault C07: a response although nothing is outstanding. */
static void nothing_outstanding(struct kunit *test)
{
	static const u8 ops[] = { ACK, AACK, RFIRST, RMIDDLE, RLAST, RONLY };
	struct urd_outstanding out = { .any = false, .next_psn = 20 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct urd_packet pkt = { .op = &urd_opinfo[ops[i]], .opcode = ops[i] };

		pkt.psn = 19;
		KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_STALE);
		pkt.psn = 20;
		KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_UNSENT);
	}
}

/* 2^23 PSNs in flight: the first is still told from the one before it. */
static void biggest_window(struct kunit *test)
{
	struct urd_outstanding out = {
		.any = true, .wr_op = URD_WR_READ,
		.first_psn = 0xfffff0, .last_psn = 0x7fffef, .next_psn = 0x7ffff0,
	};
	struct urd_packet pkt = { .op = &urd_opinfo[RFIRST], .opcode = RFIRST };

	pkt.psn = 0xfffff0;
	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_OK);
	pkt.psn = 0xffffef;
	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_UNSENT);
	pkt.psn = 0x7ffff0;
	KUNIT_EXPECT_EQ(test, urd_resp_fit(&out, &pkt), URD_FIT_UNSENT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_syndrome),
	KUNIT_CASE(status_of_a_nak),
	KUNIT_CASE(rnr_timer_table),
	KUNIT_CASE(rnr_timer_doubles),
	KUNIT_CASE(ack_timeout),
	KUNIT_CASE_PARAM(fit, fit_gen_params),
	KUNIT_CASE(read_answered_in_part),
	KUNIT_CASE(flush_response_carries_nothing),
	KUNIT_CASE(nothing_outstanding),
	KUNIT_CASE(biggest_window),
	{}
};

struct kunit_suite urd_window_suite = {
	.name = "urd_window",
	.test_cases = cases,
};
