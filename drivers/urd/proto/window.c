// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* IBTA volume 1, 9.7.5 to 9.7.8: acknowledges, retry timers, response order. */
#include <rdma/urd-abi.h>

#include "window.h"

/* Numbers of enum ib_wc_status, which pure code cannot include. */
#define WC_BAD_RESP_ERR		7
#define WC_REM_INV_REQ_ERR	9
#define WC_REM_ACCESS_ERR	10
#define WC_REM_OP_ERR		11
#define WC_REM_INV_RD_REQ_ERR	15

#define TIMER_CODES	32

/* Table 46, microseconds */
static const u32 rnr_usec[TIMER_CODES] = {
	[0] = 655360,
	[1] = 10,	[2] = 20,	[3] = 30,	[4] = 40,
	[5] = 60,	[6] = 80,	[7] = 120,	[8] = 160,
	[9] = 240,	[10] = 320,	[11] = 480,	[12] = 640,
	[13] = 960,	[14] = 1280,	[15] = 1920,	[16] = 2560,
	[17] = 3840,	[18] = 5120,	[19] = 7680,	[20] = 10240,
	[21] = 15360,	[22] = 20480,	[23] = 30720,	[24] = 40960,
	[25] = 61440,	[26] = 81920,	[27] = 122880,	[28] = 163840,
	[29] = 245760,	[30] = 327680,	[31] = 491520,
};

u32 urd_rnr_usec(u8 code)
{
	return rnr_usec[code & (TIMER_CODES - 1)];
}

u64 urd_timeout_nsec(u8 code)
{
	code &= TIMER_CODES - 1;
	return code ? 4096ull << code : 0;
}

enum urd_ack_class urd_ack_classify(u8 syndrome)
{
	/* bit 7 is not part of any class */
	switch (syndrome & ~URD_AETH_VALUE_MASK) {
	case URD_AETH_ACK:
		return URD_ACK_OK;
	case URD_AETH_RNR_NAK:
		return URD_ACK_RNR;
	case URD_AETH_NAK:
		if (syndrome == URD_NAK_PSN_SEQ)
			return URD_ACK_SEQ;
		return syndrome <= URD_NAK_INVALID_RD ? URD_ACK_FATAL : URD_ACK_NONE;
	}
	return URD_ACK_NONE;
}

u8 urd_nak_status(u8 syndrome)
{
	switch (syndrome) {
	case URD_NAK_INVALID_REQ:
		return WC_REM_INV_REQ_ERR;
	case URD_NAK_REM_ACCESS:
		return WC_REM_ACCESS_ERR;
	case URD_NAK_REM_OP:
		return WC_REM_OP_ERR;
	case URD_NAK_INVALID_RD:
		return WC_REM_INV_RD_REQ_ERR;
	}
	return WC_BAD_RESP_ERR;
}

/* Response that completes an operation. NONE: a local one, nothing does. */
static u8 own_response(u8 wr_op)
{
	switch (wr_op) {
	case URD_WR_SEND:
	case URD_WR_SEND_IMM:
	case URD_WR_SEND_INV:
	case URD_WR_WRITE:
	case URD_WR_WRITE_IMM:
		return URD_KIND_ACK;
	case URD_WR_READ:
	case URD_WR_FLUSH:
	case URD_WR_ATOMIC_WRITE:
		return URD_KIND_READ_RESP;
	case URD_WR_CMP_SWP:
	case URD_WR_FETCH_ADD:
		return URD_KIND_ATOMIC_ACK;
	}
	return URD_KIND_NONE;
}

static bool is_response(u8 kind)
{
	return kind == URD_KIND_ACK || kind == URD_KIND_READ_RESP ||
	       kind == URD_KIND_ATOMIC_ACK;
}

/* READ response to the oldest request, READ, FLUSH or ATOMIC WRITE. */
static enum urd_resp_fit read_resp_fit(const struct urd_outstanding *out,
				       const struct urd_packet *pkt)
{
	bool last_op = pkt->op->pos & URD_POS_LAST;
	bool last_psn = pkt->psn == out->last_psn;

	if (out->wr_op != URD_WR_READ)
		return pkt->opcode == URD_OP_READ_RESP_ONLY && !pkt->payload_len ?
		       URD_FIT_OK : URD_FIT_BAD;
	/* FIRST or ONLY may come at any PSN: the answer to a READ sent again */
	if (last_op != last_psn)
		return URD_FIT_BAD;
	return pkt->psn == out->first_psn ? URD_FIT_OK : URD_FIT_AHEAD;
}

/* A response whose PSN is one of the oldest request's. */
static enum urd_resp_fit fit_within(const struct urd_outstanding *out,
				    const struct urd_packet *pkt)
{
	u8 own = own_response(out->wr_op);
	u8 kind = pkt->op->kind;

	if (own == URD_KIND_NONE)
		return URD_FIT_BAD;
	if (kind == URD_KIND_ACK) {
		if (urd_ack_classify(pkt->aeth.syndrome) != URD_ACK_OK)
			return URD_FIT_OK;
		return own == URD_KIND_ACK ? URD_FIT_OK : URD_FIT_AHEAD;
	}
	if (kind != own)
		return URD_FIT_BAD;
	return kind == URD_KIND_READ_RESP ? read_resp_fit(out, pkt) : URD_FIT_OK;
}

enum urd_resp_fit urd_resp_fit(const struct urd_outstanding *out,
			       const struct urd_packet *pkt)
{
	if (!is_response(pkt->op->kind))
		return URD_FIT_BAD;
	if (!urd_psn_before(pkt->psn, out->next_psn))
		return URD_FIT_UNSENT;
	if (!out->any || urd_psn_before(pkt->psn, out->first_psn))
		return URD_FIT_STALE;
	if (urd_psn_in(pkt->psn, out->first_psn, out->last_psn))
		return fit_within(out, pkt);
	return URD_FIT_AHEAD;
}
