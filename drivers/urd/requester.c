// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: send WQEs to packets (IBTA volume 1, 9.5 to 9.7).
 *
 * Positions in the SQ, oldest first:
 *   sq.cons    oldest WQE without a completion
 *   req.next   WQE that the next packet belongs to; behind the front while
 *              resending
 *   req.front  first WQE that was not begun: has no PSNs yet
 *   sq.prod    end of what was posted
 * and in PSNs: una (oldest unacknowledged) <= send_psn <= max_sent <= psn.
 */
#include "local.h"
#include "sg.h"
#include "tx.h"
#include "proto/segment.h"

#define WINDOW_MAX	256u	/* unacknowledged packets of one RC QP */
#define WINDOW_MIN	16u	/* after a timeout */

u32 urd_req_read_chunk(const struct urd_qp *qp)
{
	return WINDOW_MAX / 2;
}

void urd_req_reset(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;
	struct urd_sq *sq = &qp->sq;

	urd_req_pull(qp);
	/* Nothing completes in RESET: WQEs are forgotten (10.3.1). */
	for (; sq->cons != sq->prod; sq->cons++) {
		struct urd_swqe *wqe = urd_sq_wqe(sq, sq->cons);

		if (qp->service == URD_SVC_UD && wqe->ud.av)
			urd_av_put(wqe->ud.av);
	}
	if (sq->ring.hdr)
		smp_store_release(&sq->ring.hdr->cons, sq->cons);
	timer_delete(&req->retrans_timer);
	timer_delete(&req->rnr_timer);
	req->next = sq->prod;
	req->front = sq->prod;
	req->rd_atomic = 0;
	req->wait = URD_REQ_READY;
	req->since_ackreq = 0;
	req->went_back = false;
	req->timed_out = false;
	req->rnr_expired = false;
	req->sqd_told = false;
}

void urd_req_open_window(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;

	req->cwnd = WINDOW_MAX;
	req->ssthresh = WINDOW_MAX;
	req->cwnd_credit = 0;
	req->backoff = 0;
}

void urd_req_acked(struct urd_qp *qp, u32 packets)
{
	struct urd_req *req = &qp->eng.req;

	req->backoff = 0;
	if (req->cwnd >= WINDOW_MAX)
		return;
	if (req->cwnd < req->ssthresh) {
		req->cwnd = min(req->cwnd + packets, WINDOW_MAX);
		return;
	}
	req->cwnd_credit += packets;
	if (req->cwnd_credit >= req->cwnd) {
		req->cwnd_credit = 0;
		req->cwnd++;
	}
}

void urd_req_lost(struct urd_qp *qp, bool timeout)
{
	struct urd_req *req = &qp->eng.req;

	req->ssthresh = max(req->cwnd / 2, WINDOW_MIN);
	req->cwnd = timeout ? WINDOW_MIN : req->ssthresh;
	req->cwnd_credit = 0;
	if (timeout && req->backoff < 2)
		req->backoff++;
}

/* ---- packets ------------------------------------------------------------- */

/* Bytes of the message before PSN @psn. */
static u32 psn_offset(const struct urd_qp *qp, const struct urd_swqe *wqe, u32 psn)
{
	return ((psn - wqe->first_psn) & URD_PSN_MASK) * qp->mtu;
}

static void fill_headers(struct urd_qp *qp, struct urd_swqe *wqe,
			 struct urd_packet *pkt, u32 off)
{
	pkt->se = wqe->flags & URD_WR_SOLICITED;
	pkt->mig = true;
	pkt->pkey = URD_DEFAULT_PKEY;
	pkt->imm = wqe->imm;
	pkt->inv_rkey = wqe->inv_rkey;
	switch (wqe->op) {
	case URD_WR_CMP_SWP:
	case URD_WR_FETCH_ADD:
		pkt->atomic.va = wqe->atomic.va;
		pkt->atomic.rkey = wqe->atomic.rkey;
		pkt->atomic.swap_add = wqe->atomic.swap_add;
		pkt->atomic.compare = wqe->atomic.compare;
		break;
	case URD_WR_FLUSH:
		pkt->reth.va = wqe->flush.va;
		pkt->reth.rkey = wqe->flush.rkey;
		pkt->reth.len = wqe->flush.length;
		pkt->feth.type = wqe->flush.type;
		pkt->feth.level = wqe->flush.level;
		break;
	default:
		if (qp->service == URD_SVC_UD)
			break;
		pkt->reth.va = wqe->rdma.va + off;
		pkt->reth.rkey = wqe->rdma.rkey;
		pkt->reth.len = wqe->length - off;
		break;
	}
}

/* SE is set in the last packet of a message only (9.2.4). */
static bool solicits(const struct urd_swqe *wqe, bool last)
{
	return last && wqe->flags & URD_WR_SOLICITED &&
	       wqe->op != URD_WR_WRITE && !urd_op_has_response(wqe->op);
}

static u8 put_payload(struct urd_txb *b, struct urd_swqe *wqe, struct urd_sgl *sgl,
		      u32 off, u32 len)
{
	u32 n;
	void *p;

	if (wqe->flags & URD_WR_INLINE)
		return urd_txb_put(b, (u8 *)urd_swqe_sge(wqe) + off, len) ?
		       IB_WC_GENERAL_ERR : 0;
	for (; len; len -= n) {
		p = urd_sgl_next(sgl, len, &n);
		if (!p)
			return IB_WC_LOC_PROT_ERR;
		if (urd_txb_put(b, p, n))
			return IB_WC_GENERAL_ERR;
	}
	return 0;
}

/* One packet with payload. GENERAL_ERR means: no memory now, try later. */
static u8 build(struct urd_qp *qp, struct urd_txb *b, struct urd_swqe *wqe,
		struct urd_sgl *sgl, struct urd_packet *pkt, u32 off, u32 len)
{
	u8 status;

	if (urd_txb_begin(b, pkt, len)) {
		urd_txb_abort(b);
		return IB_WC_GENERAL_ERR;
	}
	status = put_payload(b, wqe, sgl, off, len);
	if (!status && urd_txb_end(b, urd_pad(len)))
		status = IB_WC_GENERAL_ERR;
	if (status)
		urd_txb_abort(b);
	return status;
}

static bool want_ack(struct urd_qp *qp, bool last)
{
	struct urd_req *req = &qp->eng.req;

	if (qp->service != URD_SVC_RC)
		return false;
	if (!last && ++req->since_ackreq < req->cwnd / 4)
		return false;
	req->since_ackreq = 0;
	return true;
}

/* PSNs that the packet at send_psn stands for. */
static u32 packet_span(const struct urd_qp *qp, const struct urd_swqe *wqe, u32 psn)
{
	u32 left = urd_psn_count(psn, wqe->last_psn), chunk, pos;

	if (wqe->op != URD_WR_READ)
		return 1;
	chunk = urd_req_read_chunk(qp);
	pos = (psn - wqe->first_psn) & URD_PSN_MASK;
	return min(left, chunk - pos % chunk);
}

static void note_sent(struct urd_qp *qp, const struct urd_swqe *wqe, u32 span)
{
	struct urd_req *req = &qp->eng.req;

	if (urd_psn_before(req->send_psn, req->max_sent))
		urd_count(qp->dev, tx_retransmit);
	req->send_psn = urd_psn_add(req->send_psn, span);
	if (!urd_psn_before(req->max_sent, req->send_psn))
		return;
	req->max_sent = req->send_psn;
	if (urd_op_has_response(wqe->op))
		req->rd_atomic++;
}

static u8 send_packet(struct urd_qp *qp, struct urd_txb *b, struct urd_swqe *wqe,
		      struct urd_sgl *sgl)
{
	struct urd_req *req = &qp->eng.req;
	u32 psn = req->send_psn, span = packet_span(qp, wqe, psn);
	u32 off = psn_offset(qp, wqe, psn);
	bool first = psn == wqe->first_psn;
	bool last = urd_psn_add(psn, span - 1) == wqe->last_psn;
	struct urd_packet pkt = { .qpn = qp->attr.dest_qp_num, .psn = psn };
	u32 len = min(wqe->length - off, qp->mtu);
	u8 status;

	fill_headers(qp, wqe, &pkt, off);
	pkt.se = solicits(wqe, last);
	if (wqe->op == URD_WR_READ) {
		pkt.reth.len = min(pkt.reth.len, span * qp->mtu);
		first = true;
		last = true;
		len = 0;
	} else if (wqe->op == URD_WR_CMP_SWP || wqe->op == URD_WR_FETCH_ADD) {
		len = 0;
	}
	pkt.ackreq = want_ack(qp, last);
	pkt.opcode = urd_seg_opcode(qp->service, wqe->op, first, last);
	status = build(qp, b, wqe, sgl, &pkt, off, len);
	if (!status)
		note_sent(qp, wqe, span);
	return status;
}

/* Bytes that the packet carries; a READ's are those that it asks for. */
static u32 local_len(const struct urd_qp *qp, const struct urd_swqe *wqe, u32 off,
		     u32 psns)
{
	u64 room = (u64)psns * qp->mtu;

	return min_t(u64, wqe->length - off, room);
}

/*
 * The same as a packet of the local path. Return: 0, a status to fail with, or
 * IB_WC_GENERAL_ERR when all packets of this QP are under way.
 */
static u8 send_local(struct urd_qp *qp, struct urd_local_batch *batch,
		     struct urd_swqe *wqe)
{
	struct urd_req *req = &qp->eng.req;
	u32 psn = req->send_psn, off = psn_offset(qp, wqe, psn);
	u32 psns = min(urd_psn_count(psn, wqe->last_psn), batch->chunk);
	u32 len = local_len(qp, wqe, off, psns);
	bool is_read = wqe->op == URD_WR_READ;
	bool first = is_read || psn == wqe->first_psn;
	bool last = is_read || urd_psn_add(psn, psns - 1) == wqe->last_psn;
	bool writes_back = is_read || wqe->op == URD_WR_CMP_SWP ||
			   wqe->op == URD_WR_FETCH_ADD;
	struct urd_local *l = urd_local_get(qp);
	u8 status;

	if (!l)
		return IB_WC_GENERAL_ERR;
	status = urd_local_attach(qp, l, wqe, off, len,
				  writes_back ? URD_RIGHT_LOCAL_WRITE : 0);
	if (status)
		return status;
	l->psns = psns;
	l->pkt = (struct urd_packet){ .qpn = qp->attr.dest_qp_num, .psn = psn };
	fill_headers(qp, wqe, &l->pkt, off);
	if (is_read)
		l->pkt.reth.len = len;
	l->pkt.se = solicits(wqe, last);
	l->pkt.ackreq = qp->service == URD_SVC_RC;
	l->pkt.opcode = urd_seg_opcode(qp->service, wqe->op, first, last);
	l->pkt.op = &urd_opinfo[l->pkt.opcode];
	l->pkt.payload_len = writes_back ? 0 : len;
	urd_local_add(batch, l);
	note_sent(qp, wqe, psns);
	return 0;
}

static u8 send_datagram(struct urd_qp *qp, struct urd_txb *b, struct urd_swqe *wqe,
			struct urd_sgl *sgl)
{
	struct urd_req *req = &qp->eng.req;
	struct urd_packet pkt = {
		.opcode = urd_seg_opcode(URD_SVC_UD, wqe->op, true, true),
		.qpn = wqe->ud.qpn,
		.psn = req->psn,
		.deth = {
			/* With the top bit set: the QP's own (10.2.5), GSI too. */
			.qkey = (s32)wqe->ud.qkey < 0 ? qp->attr.qkey : wqe->ud.qkey,
			.src_qpn = qp->src_qpn,
		},
	};
	u8 status;

	if (b->av != wqe->ud.av) {
		urd_txb_flush(b);
		b->av = wqe->ud.av;
	}
	fill_headers(qp, wqe, &pkt, 0);
	status = build(qp, b, wqe, sgl, &pkt, 0, wqe->length);
	if (!status)
		req->psn = urd_psn_add(req->psn, 1);
	return status;
}

/* ---- which packet next --------------------------------------------------- */

static bool window_open(const struct urd_qp *qp)
{
	const struct urd_req *req = &qp->eng.req;

	if (qp->service != URD_SVC_RC)
		return true;
	return ((req->send_psn - req->una) & URD_PSN_MASK) < req->cwnd;
}

/* A WQE that was not begun: may it begin? */
static bool may_begin(struct urd_qp *qp, const struct urd_swqe *wqe)
{
	struct urd_req *req = &qp->eng.req;

	if (qp->state == IB_QPS_SQD)
		return false;
	if (wqe->flags & URD_WR_FENCE && req->rd_atomic)
		return false;
	return true;
}

static void begin(struct urd_qp *qp, struct urd_swqe *wqe)
{
	struct urd_req *req = &qp->eng.req;

	wqe->sent = true;
	req->front = req->next + 1;
	wqe->first_psn = req->psn;
	wqe->last_psn = req->psn;
	if (qp->service == URD_SVC_UD || urd_op_is_local(wqe->op))
		return;
	wqe->last_psn = urd_psn_add(req->psn, urd_seg_count(wqe->length, qp->mtu) - 1);
	req->psn = urd_psn_add(wqe->last_psn, 1);
}

/* A READ or atomic needs a free resource at the responder for a new request. */
static bool rd_atomic_ok(const struct urd_qp *qp, const struct urd_swqe *wqe)
{
	const struct urd_req *req = &qp->eng.req;

	if (!urd_op_has_response(wqe->op) || urd_psn_before(req->send_psn, req->max_sent))
		return true;
	return req->rd_atomic < qp->attr.max_rd_atomic;
}

static bool no_rd_atomic_at_all(const struct urd_qp *qp, const struct urd_swqe *wqe)
{
	return urd_op_has_response(wqe->op) && !qp->attr.max_rd_atomic;
}

/* Another packet of this WQE may follow at once. */
static bool more_of(const struct urd_qp *qp, const struct urd_swqe *wqe)
{
	return window_open(qp) && rd_atomic_ok(qp, wqe) &&
	       !urd_psn_before(wqe->last_psn, qp->eng.req.send_psn);
}

enum step { STEP_DONE, STEP_BLOCKED, STEP_PACKET, STEP_NOMEM };

/* Local operations take effect in order, once, also when packets are resent. */
static enum step step_local(struct urd_qp *qp, struct urd_swqe *wqe, bool fresh)
{
	if (fresh)
		wqe->status = urd_local_op(qp, wqe);
	if (wqe->status)
		return STEP_BLOCKED;
	qp->eng.req.next++;
	return STEP_DONE;
}

/* Packets of one WQE, until an skb went out or something is in the way. */
static enum step step_packets(struct urd_qp *qp, struct urd_txb *b,
			      struct urd_swqe *wqe)
{
	struct urd_req *req = &qp->eng.req;
	struct urd_sgl sgl;
	u8 status;

	urd_sgl_init(&sgl, qp, urd_swqe_sge(wqe), wqe->num_sge, 0);
	if (qp->service == URD_SVC_UD) {
		status = send_datagram(qp, b, wqe, &sgl);
	} else {
		if (!(wqe->flags & URD_WR_INLINE))
			urd_sgl_seek(&sgl, psn_offset(qp, wqe, req->send_psn));
		do {
			status = send_packet(qp, b, wqe, &sgl);
		} while (!status && !b->sent && more_of(qp, wqe));
	}
	urd_sgl_done(&sgl);
	if (status == IB_WC_GENERAL_ERR)
		return STEP_NOMEM;
	if (status) {
		wqe->status = status;
		return STEP_BLOCKED;
	}
	if (qp->service == URD_SVC_UD || urd_psn_before(wqe->last_psn, req->send_psn))
		req->next++;
	return STEP_PACKET;
}

static enum step step_local_path(struct urd_qp *qp, struct urd_local_batch *batch,
				 struct urd_swqe *wqe)
{
	u8 status;

	do {
		status = send_local(qp, batch, wqe);
	} while (!status && more_of(qp, wqe));
	if (status == IB_WC_GENERAL_ERR)
		return STEP_BLOCKED;	/* the next that comes back goes on */
	if (status) {
		wqe->status = status;
		return STEP_BLOCKED;
	}
	if (urd_psn_before(wqe->last_psn, qp->eng.req.send_psn))
		qp->eng.req.next++;
	return STEP_PACKET;
}

static enum step step(struct urd_qp *qp, struct urd_txb *b,
		      struct urd_local_batch *batch)
{
	struct urd_req *req = &qp->eng.req;
	struct urd_swqe *wqe = urd_sq_wqe(&qp->sq, req->next);
	bool fresh = !wqe->sent;

	/* A WQE that cannot go on waits to be the oldest, then it fails. */
	if (wqe->status || (fresh && !may_begin(qp, wqe)))
		return STEP_BLOCKED;
	if (no_rd_atomic_at_all(qp, wqe)) {
		wqe->status = IB_WC_LOC_QP_OP_ERR;
		return STEP_BLOCKED;
	}
	if (fresh)
		begin(qp, wqe);
	if (urd_op_is_local(wqe->op))
		return step_local(qp, wqe, fresh);
	if (!window_open(qp) || !rd_atomic_ok(qp, wqe))
		return STEP_BLOCKED;
	if (batch->peer)
		return step_local_path(qp, batch, wqe);
	return step_packets(qp, b, wqe);
}
/* ---- turns --------------------------------------------------------------- */

static bool can_send(const struct urd_qp *qp)
{
	return (qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD) &&
	       qp->eng.req.wait == URD_REQ_READY &&
	       qp->eng.req.next != READ_ONCE(qp->sq.prod);
}

/* The SQD state is reached when nothing is under way (10.3.1.5). */
static void tell_drained(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;

	if (qp->state != IB_QPS_SQD || req->sqd_told || qp->sq.cons != req->front)
		return;
	req->sqd_told = true;
	qp->attr.sq_draining = 0;
	if (qp->attr.en_sqd_async_notify)
		urd_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

static void load_prod(struct urd_qp *qp)
{
	if (qp->is_user)
		urd_req_pull(qp);
	else
		/* Pairs with the release in post.c: WQEs before prod. */
		smp_load_acquire(&qp->sq.prod);
}

/* Return: true when the budget ended and not the work. */
bool urd_req_run(struct urd_qp *qp, u32 *budget)
{
	struct urd_local_batch batch = {};
	enum step st = STEP_DONE;
	struct urd_txb b;

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE) {
		urd_qp_flush(qp);
		return false;
	}
	load_prod(qp);
	urd_txb_init(&b, qp, qp->av);
	if (can_send(qp))
		urd_local_open(qp, &batch);
	if (!batch.peer && can_send(qp) && urd_engine_tx_elsewhere(qp)) {
		urd_engine_move(qp);
		return false;
	}
	while (can_send(qp) && *budget && urd_tx_ready(qp)) {
		b.sent = 0;
		st = step(qp, &b, &batch);
		if (st == STEP_BLOCKED || st == STEP_NOMEM)
			break;
		*budget -= min(*budget, b.sent);
	}
	urd_txb_flush(&b);
	urd_local_close(qp, &batch);
	urd_req_arm_timer(qp);
	urd_comp_advance(qp);
	tell_drained(qp);
	return st == STEP_NOMEM || (!*budget && can_send(qp) && window_open(qp));
}

/* ---- going back ---------------------------------------------------------- */

void urd_req_go_back(struct urd_qp *qp, u32 psn)
{
	struct urd_req *req = &qp->eng.req;
	u32 i;

	for (i = qp->sq.cons; i != req->front; i++) {
		struct urd_swqe *wqe = urd_sq_wqe(&qp->sq, i);

		if (urd_op_is_local(wqe->op))
			continue;
		if (!urd_psn_before(wqe->last_psn, psn))
			break;
	}
	req->next = i;
	req->send_psn = psn;
	req->since_ackreq = 0;
}

/*
 * The timer is not moved with every ACK: it looks at the deadline when it
 * fires, and sleeps on when that has moved.
 */
void urd_req_arm_timer(struct urd_qp *qp)
{
	struct urd_req *req = &qp->eng.req;
	u64 ns = urd_timeout_nsec(qp->attr.timeout);

	if (qp->service != URD_SVC_RC || !ns || req->una == req->max_sent ||
	    req->wait != URD_REQ_READY)
		return;
	if (req->timer_armed && req->timer_una == req->una)
		return;
	/* C9-139: between 1 and 4 times the interval. */
	req->deadline = jiffies + (max(nsecs_to_jiffies64(ns), 1ull) << req->backoff) + 1;
	req->timer_una = req->una;
	if (!req->timer_armed || !timer_pending(&req->retrans_timer)) {
		req->timer_armed = true;
		mod_timer(&req->retrans_timer, req->deadline);
	}
}
