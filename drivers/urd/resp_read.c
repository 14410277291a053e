// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder for READ, atomics, FLUSH and ATOMIC WRITE, whose answers are kept
 * for replay (IBTA volume 1, 9.7.5.1 and 9.7.7.1; Annex A19). A replay does
 * not touch the responder's order, and an atomic is never executed again.
 */
#include "engine.h"
#include "local.h"
#include "sg.h"
#include "tx.h"
#include "proto/segment.h"

/* ---- replay resources ---------------------------------------------------- */

static void save_res(struct urd_resp *resp, const struct urd_rd_res *res)
{
	u32 at;

	if (resp->res_count == resp->res_max) {
		resp->res_head = (resp->res_head + 1) % resp->res_max;
		resp->res_count--;
	}
	at = (resp->res_head + resp->res_count++) % resp->res_max;
	resp->res[at] = *res;
}

static const struct urd_rd_res *find_res(const struct urd_resp *resp, u32 psn)
{
	u32 i;

	for (i = resp->res_count; i--; ) {
		const struct urd_rd_res *res =
			&resp->res[(resp->res_head + i) % resp->res_max];

		if (urd_psn_in(psn, res->first_psn, res->last_psn))
			return res;
	}
	return NULL;
}

/* ---- answers ------------------------------------------------------------- */

static void send_single(struct urd_qp *qp, const struct urd_rd_res *res)
{
	struct urd_packet pkt = {
		.opcode = res->kind == URD_KIND_ATOMIC ? URD_OP_ATOMIC_ACK :
							 URD_OP_READ_RESP_ONLY,
		.mig = true,
		.pkey = URD_DEFAULT_PKEY,
		.qpn = qp->attr.dest_qp_num,
		.psn = res->first_psn,
		.aeth = {
			.syndrome = URD_AETH_ACK | URD_AETH_NO_CREDITS,
			.msn = qp->eng.resp.msn,
		},
		.atomic_orig = res->orig,
	};
	struct urd_txb b;

	if (qp->eng.resp.local) {
		urd_local_reply(qp->eng.resp.local, &pkt);
		return;
	}
	urd_txb_init(&b, qp, qp->av);
	if (urd_txb_begin(&b, &pkt, 0) || urd_txb_end(&b, 0)) {
		urd_txb_abort(&b);	/* as if lost on the way */
		return;
	}
	urd_txb_flush(&b);
}

/* Also while a replay is answered: then the region has to be there still. */
static void read_denied(struct urd_qp *qp)
{
	struct urd_resp *resp = &qp->eng.resp;

	urd_count(qp->dev, rx_drop_access);
	resp->read_active = false;
	/* The NAK carries the PSN of the response that cannot be given. */
	resp->st.epsn = resp->read_psn;
	urd_resp_fail(qp, URD_NAK_REM_ACCESS, IB_WC_LOC_ACCESS_ERR);
}

/* The requester's memory is at hand: one copy is the whole answer. */
static void read_local(struct urd_qp *qp, struct urd_local *l)
{
	const struct urd_rd_res *read = &qp->eng.resp.read;
	struct urd_span span = {};

	if (urd_span_get(qp, read->rkey, true, read->va, read->length,
			 URD_RIGHT_REMOTE_READ, &span) != URD_ACCESS_OK) {
		read_denied(qp);
		return;
	}
	urd_local_from_span(l, read->length, &span, read->va);
	urd_span_put(&span);
	l->answer = URD_ANSWER_READ;
}

/* Answer res->length bytes at res->va with PSNs first_psn .. last_psn. */
static void start_read(struct urd_qp *qp, const struct urd_rd_res *res)
{
	struct urd_resp *resp = &qp->eng.resp;

	resp->read = *res;
	resp->read_psn = res->first_psn;
	if (resp->local) {
		read_local(qp, resp->local);
		return;
	}
	resp->read_active = true;
	resp->ack_due = false;	/* the responses acknowledge what is before */
}

static int put_span(struct urd_txb *b, const struct urd_span *span, u64 addr, u32 len)
{
	u64 contig;
	u32 n;

	for (; len; len -= n, addr += n) {
		void *p = urd_span_at(span, addr, &contig);

		n = min_t(u64, len, contig);
		if (urd_txb_put(b, p, n))
			return -ENOMEM;
	}
	return 0;
}

static int read_packet(struct urd_qp *qp, struct urd_txb *b,
		       const struct urd_span *span)
{
	struct urd_resp *resp = &qp->eng.resp;
	const struct urd_rd_res *read = &resp->read;
	u32 psn = resp->read_psn;
	u32 off = ((psn - read->first_psn) & URD_PSN_MASK) * qp->mtu;
	u32 len = min(read->length - off, qp->mtu);
	struct urd_packet pkt = {
		.opcode = urd_seg_read_resp_opcode(psn == read->first_psn,
						   psn == read->last_psn),
		.mig = true,
		.pkey = URD_DEFAULT_PKEY,
		.qpn = qp->attr.dest_qp_num,
		.psn = psn,
		.aeth = {
			.syndrome = URD_AETH_ACK | URD_AETH_NO_CREDITS,
			.msn = resp->msn,
		},
	};

	if (urd_txb_begin(b, &pkt, len) ||
	    put_span(b, span, read->va + off, len) ||
	    urd_txb_end(b, urd_pad(len))) {
		urd_txb_abort(b);
		return -ENOMEM;
	}
	if (psn == read->last_psn)
		resp->read_active = false;
	else
		resp->read_psn = urd_psn_add(psn, 1);
	return 0;
}

bool urd_resp_read_run(struct urd_qp *qp, u32 *budget)
{
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_rd_res *read = &resp->read;
	struct urd_span span = {};
	struct urd_txb b;
	u32 off;

	if (!resp->read_active)
		return true;
	if (urd_engine_tx_elsewhere(qp)) {
		urd_engine_move(qp);
		*budget = 0;
		return false;
	}
	qp->eng.bulk_until = jiffies + 1;
	off = ((resp->read_psn - read->first_psn) & URD_PSN_MASK) * qp->mtu;
	if (urd_span_get(qp, read->rkey, true, read->va + off, read->length - off,
			 URD_RIGHT_REMOTE_READ, &span) != URD_ACCESS_OK) {
		read_denied(qp);
		return true;
	}
	urd_txb_init(&b, qp, qp->av);
	while (resp->read_active && *budget && urd_tx_ready(qp)) {
		u32 sent = b.sent;

		if (read_packet(qp, &b, &span))
			break;
		*budget -= min(*budget, b.sent - sent);
	}
	urd_txb_flush(&b);
	urd_span_put(&span);
	return !resp->read_active;
}

/* ---- execution ----------------------------------------------------------- */

static bool execute_read(struct urd_qp *qp, const struct urd_packet *pkt,
			 struct urd_rd_res *res)
{
	struct urd_span span = {};

	if (urd_span_get(qp, pkt->reth.rkey, true, pkt->reth.va, pkt->reth.len,
			 URD_RIGHT_REMOTE_READ, &span) != URD_ACCESS_OK)
		return false;
	urd_span_put(&span);
	return true;
}

/*
 * Real atomic instructions: exact against other QPs and the host's CPUs. The
 * values are in host order at both ends (9.4.5).
 */
static bool execute_atomic(struct urd_qp *qp, const struct urd_packet *pkt,
			   struct urd_rd_res *res)
{
	struct urd_span span = {};
	atomic64_t *p;
	u64 contig;

	if (urd_span_get(qp, pkt->atomic.rkey, true, pkt->atomic.va, sizeof(u64),
			 URD_RIGHT_REMOTE_ATOMIC, &span) != URD_ACCESS_OK)
		return false;
	p = urd_span_at(&span, pkt->atomic.va, &contig);
	if (contig < sizeof(u64) || !IS_ALIGNED((uintptr_t)p, sizeof(u64))) {
		urd_span_put(&span);
		return false;
	}
	if (pkt->opcode == URD_OP_CMP_SWP)
		res->orig = atomic64_cmpxchg(p, pkt->atomic.compare,
					     pkt->atomic.swap_add);
	else
		res->orig = atomic64_fetch_add(pkt->atomic.swap_add, p);
	urd_span_put(&span);
	return true;
}

static bool get_u64(const struct urd_rx *rx, u64 *value)
{
	if (rx->local)
		return urd_local_get_u64(rx->local, value);
	return !skb_copy_bits(rx->skb, rx->off + rx->pkt.payload_off, value,
			      sizeof(*value));
}

static bool execute_atomic_write(struct urd_qp *qp, const struct urd_rx *rx)
{
	const struct urd_packet *pkt = &rx->pkt;
	struct urd_span span = {};
	u64 contig, value;
	bool ok;
	u64 *p;

	if (urd_span_get(qp, pkt->reth.rkey, true, pkt->reth.va, sizeof(u64),
			 URD_RIGHT_REMOTE_WRITE, &span) != URD_ACCESS_OK)
		return false;
	p = urd_span_at(&span, pkt->reth.va, &contig);
	ok = contig >= sizeof(u64) && IS_ALIGNED((uintptr_t)p, sizeof(u64)) &&
	     get_u64(rx, &value);
	if (ok)
		smp_store_release(p, value);	/* oA19-28: one 8 byte store */
	urd_span_put(&span);
	return ok;
}

/* Memory is coherent, so a global flush is a barrier (A19.4.3). */
static bool execute_flush(struct urd_qp *qp, const struct urd_packet *pkt)
{
	u32 need = 0;
	struct urd_span span = {};

	if (pkt->feth.type & URD_FLUSH_GLOBAL)
		need |= URD_RIGHT_FLUSH_GLOBAL;
	if (pkt->feth.type & URD_FLUSH_PERSISTENT)
		need |= URD_RIGHT_FLUSH_PERSIST;
	/* Level MR: address and length mean nothing, the key has to. */
	if (pkt->feth.level == URD_FLUSH_MR) {
		if (urd_key_rights(qp, pkt->reth.rkey, need) != URD_ACCESS_OK)
			return false;
	} else if (urd_span_get(qp, pkt->reth.rkey, true, pkt->reth.va,
				pkt->reth.len, need, &span) != URD_ACCESS_OK) {
		return false;
	}
	urd_span_put(&span);
	smp_mb();
	return true;
}

static bool execute(struct urd_qp *qp, const struct urd_rx *rx,
		    struct urd_rd_res *res)
{
	switch (rx->pkt.op->kind) {
	case URD_KIND_READ:
		return execute_read(qp, &rx->pkt, res);
	case URD_KIND_ATOMIC:
		return execute_atomic(qp, &rx->pkt, res);
	case URD_KIND_FLUSH:
		return execute_flush(qp, &rx->pkt);
	default:
		return execute_atomic_write(qp, rx);
	}
}

void urd_resp_read_like(struct urd_qp *qp, const struct urd_rx *rx)
{
	const struct urd_packet *pkt = &rx->pkt;
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_resp_caps caps;
	struct urd_rd_res res = {
		.kind = pkt->op->kind,
		.first_psn = pkt->psn,
		.va = pkt->reth.va,
		.rkey = pkt->reth.rkey,
		.length = pkt->reth.len,
	};

	if (!execute(qp, rx, &res)) {
		urd_count(qp->dev, rx_drop_access);
		urd_resp_fail(qp, URD_NAK_REM_ACCESS, IB_WC_LOC_ACCESS_ERR);
		return;
	}
	urd_resp_caps(qp, &caps);
	urd_respond_accept(&resp->st, &caps, pkt);
	resp->msn = (resp->msn + 1) & URD_PSN_MASK;
	res.last_psn = urd_psn_add(resp->st.epsn, URD_PSN_MASK);
	if (resp->res_max)	/* FLUSH needs none; a lost answer is executed again */
		save_res(resp, &res);
	if (res.kind == URD_KIND_READ) {
		start_read(qp, &res);
		return;
	}
	resp->ack_due = false;
	send_single(qp, &res);
}

/* ---- duplicates ---------------------------------------------------------- */

/*
 * A READ that is asked for again may begin anywhere in the original one and
 * is answered from its own RETH, if that is a part of the original.
 */
static void replay_read(struct urd_qp *qp, const struct urd_packet *pkt,
			const struct urd_rd_res *orig)
{
	u32 off = ((pkt->psn - orig->first_psn) & URD_PSN_MASK) * qp->mtu;
	u32 span = urd_seg_count(pkt->reth.len, qp->mtu);
	struct urd_rd_res res = {
		.kind = URD_KIND_READ,
		.first_psn = pkt->psn,
		.last_psn = urd_psn_add(pkt->psn, span - 1),
		.va = pkt->reth.va,
		.rkey = pkt->reth.rkey,
		.length = pkt->reth.len,
	};

	if (pkt->reth.rkey != orig->rkey || pkt->reth.va != orig->va + off ||
	    off > orig->length || pkt->reth.len > orig->length - off)
		return;
	start_read(qp, &res);
}

void urd_resp_duplicate(struct urd_qp *qp, const struct urd_packet *pkt)
{
	struct urd_resp *resp = &qp->eng.resp;
	const struct urd_rd_res *res;

	switch (pkt->op->kind) {
	case URD_KIND_SEND:
	case URD_KIND_WRITE:
		urd_resp_ack_due(qp);
		return;
	}
	res = find_res(resp, pkt->psn);
	if (!res || res->kind != pkt->op->kind)
		return;
	if (res->kind == URD_KIND_READ)
		replay_read(qp, pkt, res);
	else if (res->first_psn == pkt->psn)
		send_single(qp, res);
}
