// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Input: a start PSN, requests, then responses. A little requester lives on
 * the answers: a request ends only by what may end it, each ends once, in
 * order, and no response keeps it busy for ever.
 */
#include <rdma/urd-abi.h>

#include "fuzz.h"
#include "../../drivers/urd/proto/window.h"

#define MAX_REQUESTS	16

struct request {
	u8 wr_op;
	u32 first;	/* not yet answered */
	u32 last;
};

struct requester {
	struct request req[MAX_REQUESTS];
	unsigned int head;
	unsigned int count;
	u32 next_psn;
};

static bool needs_own_response(u8 wr_op)
{
	return wr_op >= URD_WR_READ;
}

static void take_requests(struct input *in, struct requester *r)
{
	unsigned int n = take(in, 1) % (MAX_REQUESTS + 1);

	r->next_psn = take(in, 3);
	while (r->count < n) {
		static const u8 ops[] = {
			URD_WR_SEND, URD_WR_SEND_IMM, URD_WR_WRITE, URD_WR_READ,
			URD_WR_CMP_SWP, URD_WR_FETCH_ADD, URD_WR_FLUSH, URD_WR_ATOMIC_WRITE,
		};
		u32 byte = take(in, 1);
		struct request *q = &r->req[r->count++];
		u32 psns = 1;

		q->wr_op = ops[byte & 7];
		if (q->wr_op <= URD_WR_READ)
			psns += byte >> 3;
		if (byte >> 3 == 31 && q->wr_op <= URD_WR_READ)
			psns = 0x80000;	/* 16 of them make the biggest window */
		q->first = r->next_psn;
		q->last = urd_psn_add(r->next_psn, psns - 1);
		r->next_psn = urd_psn_add(r->next_psn, psns);
	}
}

static struct urd_outstanding outstanding(const struct requester *r)
{
	struct urd_outstanding out = { .next_psn = r->next_psn };

	if (r->head < r->count) {
		out.any = true;
		out.wr_op = r->req[r->head].wr_op;
		out.first_psn = r->req[r->head].first;
		out.last_psn = r->req[r->head].last;
	}
	return out;
}

/* Places by counting from the oldest PSN: another way than by differences. */
static void check_place(const struct urd_outstanding *out, const struct urd_packet *pkt,
			enum urd_resp_fit fit)
{
	u32 window, off, own;

	if (!out->any) {
		CHECK(fit == URD_FIT_STALE || fit == URD_FIT_UNSENT || fit == URD_FIT_BAD);
		return;
	}
	window = (out->next_psn - out->first_psn) & URD_PSN_MASK;
	off = (pkt->psn - out->first_psn) & URD_PSN_MASK;
	own = (out->last_psn - out->first_psn) & URD_PSN_MASK;
	if (off >= window)
		CHECK(fit == URD_FIT_STALE || fit == URD_FIT_UNSENT);
	else if (off > own)
		CHECK(fit == URD_FIT_AHEAD);
	else
		CHECK(fit == URD_FIT_OK || fit == URD_FIT_BAD || fit == URD_FIT_AHEAD);
}

static void check_completion(const struct request *q, const struct urd_packet *pkt)
{
	switch (q->wr_op) {
	case URD_WR_READ:
		CHECK(pkt->opcode == URD_OP_READ_RESP_LAST ||
		      pkt->opcode == URD_OP_READ_RESP_ONLY);
		CHECK(q->first == q->last);
		break;
	case URD_WR_CMP_SWP:
	case URD_WR_FETCH_ADD:
		CHECK(pkt->opcode == URD_OP_ATOMIC_ACK);
		break;
	case URD_WR_FLUSH:
	case URD_WR_ATOMIC_WRITE:
		CHECK(pkt->opcode == URD_OP_READ_RESP_ONLY && !pkt->payload_len);
		break;
	}
}

/* Return: look at the same packet again. */
static bool apply(struct requester *r, const struct urd_packet *pkt, enum urd_resp_fit fit)
{
	struct request *q = &r->req[r->head];
	bool nak = pkt->op->kind == URD_KIND_ACK &&
		   urd_ack_classify(pkt->aeth.syndrome) != URD_ACK_OK;

	if (fit == URD_FIT_AHEAD && !needs_own_response(q->wr_op)) {
		r->head++;
		return true;
	}
	if (fit != URD_FIT_OK || nak)
		return false;
	if (pkt->psn == q->last) {
		check_completion(q, pkt);
		r->head++;
	} else {
		q->first = urd_psn_add(pkt->psn, 1);
	}
	return false;
}

static void check_tables(u8 byte)
{
	u32 usec = urd_rnr_usec(byte);
	u64 nsec = urd_timeout_nsec(byte);
	enum urd_ack_class class = urd_ack_classify(byte);

	CHECK(usec >= 10 && usec <= 655360);
	CHECK(nsec <= 4096ull << 31 && (nsec == 0) == !(byte & 31));
	CHECK(class != URD_ACK_FATAL || (urd_nak_status(byte) >= 9 && urd_nak_status(byte) <= 15));
}

int urd_fuzz_one(const u8 *data, size_t size)
{
	static const u8 ops[] = {
		URD_OP_ACK, URD_OP_ATOMIC_ACK, URD_OP_READ_RESP_FIRST, URD_OP_READ_RESP_MIDDLE,
		URD_OP_READ_RESP_LAST, URD_OP_READ_RESP_ONLY, URD_OP_ACK, URD_OP_SEND_ONLY,
	};
	struct input in = { data, size };
	struct requester r = {};

	take_requests(&in, &r);
	while (in.left) {
		u32 byte = take(&in, 1);
		struct urd_packet pkt = { .opcode = ops[byte & 7] };
		struct urd_outstanding out = outstanding(&r);
		enum urd_resp_fit fit;

		pkt.op = &urd_opinfo[pkt.opcode];
		pkt.payload_len = byte >> 3 & 4;
		pkt.aeth.syndrome = byte & 0x40 ? take(&in, 1) : 0x1f;
		pkt.psn = urd_psn_add(out.first_psn, take(&in, 1));
		if (byte & 0x80)
			pkt.psn = take(&in, 3);
		check_tables(pkt.aeth.syndrome);
		do {
			out = outstanding(&r);
			fit = urd_resp_fit(&out, &pkt);
			if (pkt.op->is_request)
				CHECK(fit == URD_FIT_BAD);
			else
				check_place(&out, &pkt, fit);
		} while (out.any && apply(&r, &pkt, fit));
		CHECK(r.head <= r.count);
	}
	return 0;
}
