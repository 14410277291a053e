// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completer: responses and timers of a requester to completions, resends and
 * errors (IBTA volume 1, 9.7.5 to 9.7.8 and 9.9.2.1).
 */
#include "engine.h"
#include "sg.h"

/* ---- completions --------------------------------------------------------- */

static void release_slot(struct urd_qp *qp)
{
	struct urd_sq *sq = &qp->sq;

	/* Pairs with the acquire of posters: the copy is no longer looked at. */
	smp_store_release(&sq->cons, sq->cons + 1);
	if (sq->ring.hdr)
		smp_store_release(&sq->ring.hdr->cons, sq->cons);
}

static u32 byte_len(const struct urd_swqe *wqe)
{
	return wqe->op == URD_WR_READ || wqe->op == URD_WR_CMP_SWP ||
	       wqe->op == URD_WR_FETCH_ADD ? wqe->length : 0;
}

/* The oldest WQE is over. Its slot is free before its CQE can be seen. */
static void complete_head(struct urd_qp *qp, u8 status, u32 vendor_err)
{
	struct urd_swqe *wqe = urd_sq_wqe(&qp->sq, qp->sq.cons);
	bool signaled = wqe->flags & URD_WR_SIGNALED || qp->sq.sig_all ||
			status != IB_WC_SUCCESS;
	struct urd_cqe cqe = {
		.wr_id = wqe->wr_id,
		.opcode = wqe->op,
		.status = status,
		.vendor_err = vendor_err,
		.byte_len = byte_len(wqe),
	};

	if (qp->service == URD_SVC_UD && wqe->ud.av)
		urd_av_put(wqe->ud.av);
	release_slot(qp);
	if (signaled)
		urd_engine_cqe(qp, qp->scq, &cqe);
}

void urd_comp_flush_sq(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;
	/* Pairs with the release in post.c. */
	u32 prod = smp_load_acquire(&qp->sq.prod);

	while (qp->sq.cons != prod)
		complete_head(qp, IB_WC_WR_FLUSH_ERR, 0);
	req->next = prod;
	req->front = prod;
	req->rd_atomic = 0;
	req->una = req->psn;
	req->send_psn = req->psn;
	req->max_sent = req->psn;
	req->wait = URD_REQ_READY;
}

/*
 * A failed send puts RC QPs into the error state. UC and UD QPs go to SQE,
 * where receiving continues (10.3.1.6).
 */
void urd_comp_fail(struct urd_qp *qp, u8 status)
{
	complete_head(qp, status, 0);
	if (qp->service == URD_SVC_RC) {
		urd_qp_set_error(qp);
		return;
	}
	qp->state = IB_QPS_SQE;
	qp->attr.qp_state = IB_QPS_SQE;
	urd_qp_flush(qp);
}

static bool head_done(const struct urd_qp *qp, const struct urd_swqe *wqe)
{
	const struct urd_req *req = &qp->eng.req;

	if (qp->service != URD_SVC_RC || urd_op_is_local(wqe->op))
		return qp->sq.cons != req->next;
	return wqe->sent && urd_psn_before(wqe->last_psn, req->una);
}

void urd_comp_advance(struct urd_qp *qp)
{
	struct urd_sq *sq = &qp->sq;

	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		return;
	while (sq->cons != sq->prod) {
		struct urd_swqe *wqe = urd_sq_wqe(sq, sq->cons);

		if (wqe->status) {
			/* One that was not reached yet fails in its turn. */
			if (sq->cons == qp->eng.req.next)
				urd_comp_fail(qp, wqe->status);
			return;
		}
		if (!head_done(qp, wqe))
			return;
		complete_head(qp, IB_WC_SUCCESS, 0);
	}
}

/* ---- acknowledgement ----------------------------------------------------- */

/* Oldest WQE with PSNs; local operations before it are done. */
static struct urd_swqe *oldest(struct urd_qp *qp)
{
	u32 i;

	for (i = qp->sq.cons; i != qp->eng.req.front; i++) {
		struct urd_swqe *wqe = urd_sq_wqe(&qp->sq, i);

		if (!urd_op_is_local(wqe->op) &&
		    !urd_psn_before(wqe->last_psn, qp->eng.req.una))
			return wqe;
	}
	return NULL;
}

/* Last PSN of the READ request that @psn belongs to: long READs are chunked. */
static u32 read_chunk_end(const struct urd_qp *qp, const struct urd_swqe *wqe, u32 psn)
{
	u32 chunk = urd_req_read_chunk(qp);
	u32 pos = (psn - wqe->first_psn) & URD_PSN_MASK;
	u32 left = urd_psn_count(psn, wqe->last_psn);

	return urd_psn_add(psn, min(left, chunk - pos % chunk) - 1);
}

static void describe(const struct urd_qp *qp, const struct urd_swqe *wqe,
		     struct urd_outstanding *out)
{
	const struct urd_req *req = &qp->eng.req;

	*out = (struct urd_outstanding){ .next_psn = req->max_sent };
	if (!wqe || req->una == req->max_sent)
		return;
	out->any = true;
	out->wr_op = wqe->op;
	out->first_psn = req->una;
	out->last_psn = wqe->last_psn;
	if (wqe->op == URD_WR_READ)
		out->last_psn = read_chunk_end(qp, wqe, req->una);
}

/* Progress: everything before @una is acknowledged. */
static void set_una(struct urd_qp *qp, u32 una)
{
	struct urd_req *req = &qp->eng.req;

	if (req->una == una)
		return;
	urd_req_acked(qp, (una - req->una) & URD_PSN_MASK);
	req->una = una;
	req->retry_left = qp->attr.retry_cnt;
	req->rnr_left = qp->attr.rnr_retry;
	req->went_back = false;
	/* While resending: what was acknowledged meanwhile is not sent again. */
	if (urd_psn_before(req->send_psn, una))
		urd_req_go_back(qp, una);
}

/* A READ chunk, atomic, FLUSH or ATOMIC WRITE was answered. */
static void rd_atomic_done(struct urd_qp *qp)
{
	if (qp->eng.req.rd_atomic)
		qp->eng.req.rd_atomic--;
}

static void resend_from(struct urd_qp *qp, u32 psn)
{
	struct urd_req *req = &qp->eng.req;

	if (req->went_back && req->went_back_psn == psn)
		return;
	req->went_back = true;
	req->went_back_psn = psn;
	urd_req_lost(qp, false);
	urd_req_go_back(qp, psn);
}

static void fail_oldest(struct urd_qp *qp, u8 status)
{
	/* What is complete before it completes well. */
	urd_comp_advance(qp);
	if (qp->sq.cons != qp->eng.req.front)
		urd_comp_fail(qp, status);
}

/*
 * Acknowledge up to and including @psn, as far as plain ACKs can: they do not
 * complete a READ or atomic, whose response must have been lost then.
 * Return: true when @psn is reached.
 */
static bool ack_through(struct urd_qp *qp, u32 psn)
{
	struct urd_swqe *wqe;

	while (!urd_psn_before(psn, qp->eng.req.una)) {
		wqe = oldest(qp);
		if (!wqe)
			return true;
		if (urd_op_has_response(wqe->op)) {
			resend_from(qp, qp->eng.req.una);
			return false;
		}
		if (urd_psn_before(psn, wqe->last_psn))
			set_una(qp, urd_psn_add(psn, 1));
		else
			set_una(qp, urd_psn_add(wqe->last_psn, 1));
	}
	return true;
}

static const enum urd_counter nak_counter[] = {
	[URD_NAK_INVALID_REQ & URD_AETH_VALUE_MASK] = URD_CNT_rx_invalid_nak,
	[URD_NAK_REM_ACCESS & URD_AETH_VALUE_MASK] = URD_CNT_rx_access_nak,
	[URD_NAK_REM_OP & URD_AETH_VALUE_MASK] = URD_CNT_rx_op_nak,
};

static void count_fatal(struct urd_qp *qp, u8 syndrome)
{
	u8 code = syndrome & URD_AETH_VALUE_MASK;

	if (code < ARRAY_SIZE(nak_counter) && nak_counter[code])
		this_cpu_inc(qp->dev->stats->v[nak_counter[code]]);
}

static void on_seq_nak(struct urd_qp *qp, u32 psn)
{
	struct urd_req *req = &qp->eng.req;

	urd_count(qp->dev, rx_seq_nak);
	if (req->went_back && req->went_back_psn == psn)
		return;
	if (!req->retry_left) {
		urd_count(qp->dev, retry_exceeded);
		fail_oldest(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	req->retry_left--;
	resend_from(qp, psn);
}

static void on_rnr_nak(struct urd_qp *qp, u32 psn, u8 code)
{
	struct urd_req *req = &qp->eng.req;
	unsigned long delay = usecs_to_jiffies(urd_rnr_usec(code)) + 1;

	urd_count(qp->dev, rx_rnr_nak);
	if (req->wait == URD_REQ_WAIT_RNR)
		return;
	if (!req->rnr_left) {
		urd_count(qp->dev, rnr_retry_exceeded);
		fail_oldest(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != 7)
		req->rnr_left--;
	/* Only the RNR timer ends the wait (C01). */
	req->wait = URD_REQ_WAIT_RNR;
	req->rnr_expired = false;
	urd_req_go_back(qp, psn);
	mod_timer(&req->rnr_timer, jiffies + delay);
}

/* A NAK's PSN is the one that failed; all before it are acknowledged. */
static void on_aeth(struct urd_qp *qp, const struct urd_packet *pkt)
{
	u8 syndrome = pkt->aeth.syndrome;
	enum urd_ack_class class = urd_ack_classify(syndrome);

	if (class == URD_ACK_NONE)
		return;
	if (class == URD_ACK_OK) {
		urd_count(qp->dev, rx_ack);
		ack_through(qp, pkt->psn);
		return;
	}
	if (!ack_through(qp, urd_psn_add(pkt->psn, URD_PSN_MASK)))
		return;
	switch (class) {
	case URD_ACK_RNR:
		on_rnr_nak(qp, pkt->psn, syndrome & URD_AETH_VALUE_MASK);
		break;
	case URD_ACK_SEQ:
		on_seq_nak(qp, pkt->psn);
		break;
	default:
		count_fatal(qp, syndrome);
		fail_oldest(qp, urd_nak_status(syndrome));
		break;
	}
}

/* ---- READ and atomic responses ------------------------------------------- */

void urd_comp_local_read(struct urd_qp *qp, u32 psn, u32 psns)
{
	struct urd_swqe *wqe;

	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		return;
	if (urd_psn_before(psn, qp->eng.req.una)) {
		urd_count(qp->dev, rx_drop_stale_ack);
		return;
	}
	/* As the first response: it acknowledges what is before the READ. */
	if (!ack_through(qp, urd_psn_add(psn, URD_PSN_MASK)))
		return;
	wqe = oldest(qp);
	if (!wqe || wqe->op != URD_WR_READ || qp->eng.req.una != psn)
		return;
	rd_atomic_done(qp);
	set_una(qp, urd_psn_add(psn, psns));
	urd_comp_advance(qp);
}

static u8 scatter(struct urd_qp *qp, const struct urd_rx *rx, struct urd_swqe *wqe,
		  u32 off)
{
	struct urd_sgl sgl;
	int ret;

	urd_sgl_init(&sgl, qp, urd_swqe_sge(wqe), wqe->num_sge, URD_RIGHT_LOCAL_WRITE);
	urd_sgl_seek(&sgl, off);
	ret = urd_skb_to_sgl(rx->skb, rx->off + rx->pkt.payload_off,
			     rx->pkt.payload_len, &sgl);
	urd_sgl_done(&sgl);
	return ret ? IB_WC_LOC_PROT_ERR : 0;
}

static void on_read_resp(struct urd_qp *qp, const struct urd_rx *rx,
			 struct urd_swqe *wqe)
{
	u32 psn = rx->pkt.psn, off, want;
	u8 status;

	if (psn != qp->eng.req.una) {
		/* A response before this one is missing. */
		urd_count(qp->dev, rx_out_of_sequence);
		resend_from(qp, qp->eng.req.una);
		return;
	}
	off = ((psn - wqe->first_psn) & URD_PSN_MASK) * qp->mtu;
	want = min(wqe->length - off, qp->mtu);
	if (wqe->op != URD_WR_READ)
		want = 0;	/* FLUSH, ATOMIC WRITE: RESPONSE ONLY, empty */
	if (rx->pkt.payload_len != want) {
		urd_count(qp->dev, bad_response);
		fail_oldest(qp, IB_WC_BAD_RESP_ERR);
		return;
	}
	status = want ? scatter(qp, rx, wqe, off) : 0;
	if (status) {
		fail_oldest(qp, status);
		return;
	}
	if (wqe->op != URD_WR_READ || psn == read_chunk_end(qp, wqe, psn))
		rd_atomic_done(qp);
	set_una(qp, urd_psn_add(psn, 1));
}

static void on_atomic_ack(struct urd_qp *qp, const struct urd_rx *rx,
			  struct urd_swqe *wqe)
{
	struct urd_sgl sgl;
	u64 orig = rx->pkt.atomic_orig;
	u32 done = 0, n;
	void *p;

	urd_sgl_init(&sgl, qp, urd_swqe_sge(wqe), wqe->num_sge, URD_RIGHT_LOCAL_WRITE);
	for (; done < sizeof(orig); done += n) {
		p = urd_sgl_next(&sgl, sizeof(orig) - done, &n);
		if (!p)
			break;
		memcpy(p, (u8 *)&orig + done, n);
	}
	urd_sgl_done(&sgl);
	if (done < sizeof(orig)) {
		fail_oldest(qp, IB_WC_LOC_PROT_ERR);
		return;
	}
	rd_atomic_done(qp);
	set_una(qp, urd_psn_add(rx->pkt.psn, 1));
}

static void on_fitting(struct urd_qp *qp, const struct urd_rx *rx, struct urd_swqe *wqe)
{
	switch (rx->pkt.op->kind) {
	case URD_KIND_READ_RESP:
		on_read_resp(qp, rx, wqe);
		break;
	case URD_KIND_ATOMIC_ACK:
		on_atomic_ack(qp, rx, wqe);
		break;
	default:
		on_aeth(qp, &rx->pkt);
		break;
	}
}

/* A response beyond the oldest request acknowledges what is before its PSN. */
static void on_ahead(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_outstanding out;
	struct urd_swqe *wqe;

	if (rx->pkt.op->kind == URD_KIND_ACK) {
		on_aeth(qp, &rx->pkt);
		return;
	}
	if (!ack_through(qp, urd_psn_add(rx->pkt.psn, URD_PSN_MASK)))
		return;
	wqe = oldest(qp);
	describe(qp, wqe, &out);
	if (urd_resp_fit(&out, &rx->pkt) == URD_FIT_OK)
		on_fitting(qp, rx, wqe);
}

void urd_comp_packet(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_outstanding out;
	struct urd_swqe *wqe;

	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		return;
	wqe = oldest(qp);
	describe(qp, wqe, &out);
	switch (urd_resp_fit(&out, &rx->pkt)) {
	case URD_FIT_OK:
		on_fitting(qp, rx, wqe);
		break;
	case URD_FIT_AHEAD:
		on_ahead(qp, rx);
		break;
	case URD_FIT_STALE:
		urd_count(qp->dev, rx_drop_stale_ack);
		return;
	case URD_FIT_UNSENT:
		urd_count(qp->dev, rx_drop_unsent_ack);
		return;
	case URD_FIT_BAD:
		urd_count(qp->dev, bad_response);
		fail_oldest(qp, IB_WC_BAD_RESP_ERR);
		return;
	}
	urd_comp_advance(qp);
}

/* ---- timers -------------------------------------------------------------- */

static void on_timeout(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;

	req->timer_armed = false;
	if (req->una == req->max_sent || req->wait == URD_REQ_WAIT_RNR)
		return;
	if (req->timer_una == req->una && time_before(jiffies, req->deadline)) {
		req->timer_armed = true;
		mod_timer(&req->retrans_timer, req->deadline);
		return;
	}
	/* Progress since, or a peer on this host is slow, where nothing is lost. */
	if (req->timer_una != req->una || qp->eng.local.out)
		return;	/* armed anew at the end of the turn */
	urd_count(qp->dev, tx_timeout);
	if (!req->retry_left) {
		urd_count(qp->dev, retry_exceeded);
		fail_oldest(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	req->retry_left--;
	req->went_back = false;
	urd_req_lost(qp, true);
	urd_req_go_back(qp, req->una);
}

void urd_comp_timers(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;

	if (qp->state != IB_QPS_RTS && qp->state != IB_QPS_SQD)
		return;
	if (READ_ONCE(req->rnr_expired)) {
		WRITE_ONCE(req->rnr_expired, false);
		if (req->wait == URD_REQ_WAIT_RNR)
			req->wait = URD_REQ_READY;
	}
	if (READ_ONCE(req->timed_out)) {
		WRITE_ONCE(req->timed_out, false);
		on_timeout(qp);
	}
}
