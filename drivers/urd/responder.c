// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder for SEND and WRITE, and what all requests share: order, ACKs,
 * NAKs (IBTA volume 1, 9.7 for RC and 9.8.3 for UC). Requests with an answer
 * of their own are in resp_read.c, datagrams in ud.c.
 *
 * One ACK answers all packets of a turn: MSN and PSN are cumulative.
 */
#include "engine.h"
#include "local.h"
#include "sg.h"
#include "tx.h"

void urd_resp_reset(struct urd_qp *qp)
{
	struct urd_resp *resp = &qp->eng.resp;

	resp->st = (struct urd_resp_state){};
	resp->msn = 0;
	resp->rwqe.valid = false;
	resp->recv_off = 0;
	resp->write_left = 0;
	resp->res_head = 0;
	resp->res_count = 0;
	resp->read_active = false;
	resp->ack_due = false;
	resp->comm_est = false;
	if (qp->rq.ring.hdr)
		WRITE_ONCE(qp->rq.ring.hdr->flags, 0);
}

/* ---- answers ------------------------------------------------------------- */

static void send_aeth(struct urd_qp *qp, u8 syndrome, u32 psn)
{
	struct urd_packet pkt = {
		.opcode = URD_OP_ACK,
		.mig = true,
		.pkey = URD_DEFAULT_PKEY,
		.qpn = qp->attr.dest_qp_num,
		.psn = psn,
		.aeth = { .syndrome = syndrome, .msn = qp->eng.resp.msn },
	};
	struct urd_txb b;

	if (qp->eng.resp.local) {
		urd_local_reply(qp->eng.resp.local, &pkt);
		return;
	}
	qp->eng.resp.ack_due = false;
	urd_txb_init(&b, qp, qp->av);
	if (urd_txb_begin(&b, &pkt, 0) || urd_txb_end(&b, 0)) {
		urd_txb_abort(&b);	/* as if lost on the way */
		return;
	}
	urd_txb_flush(&b);
}

static void send_ack(struct urd_qp *qp)
{
	urd_count(qp->dev, tx_ack);
	send_aeth(qp, URD_AETH_ACK | URD_AETH_NO_CREDITS,
		  urd_psn_add(qp->eng.resp.st.epsn, URD_PSN_MASK));
}

void urd_resp_ack_due(struct urd_qp *qp)
{
	if (qp->eng.resp.local)
		send_ack(qp);
	else
		qp->eng.resp.ack_due = true;
}

void urd_resp_send_ack(struct urd_qp *qp)
{
	struct urd_resp *resp = &qp->eng.resp;

	/* While a READ is answered, an ACK would overtake its responses. */
	if (!resp->ack_due || resp->read_active)
		return;
	send_ack(qp);
}

static const struct {
	enum urd_counter counter;
	enum ib_event_type event;
} nak_info[] = {
	[URD_NAK_PSN_SEQ - URD_AETH_NAK] = { URD_CNT_tx_seq_nak },
	[URD_NAK_INVALID_REQ - URD_AETH_NAK] = {
		URD_CNT_tx_invalid_nak, IB_EVENT_QP_REQ_ERR },
	[URD_NAK_REM_ACCESS - URD_AETH_NAK] = {
		URD_CNT_tx_access_nak, IB_EVENT_QP_ACCESS_ERR },
	[URD_NAK_REM_OP - URD_AETH_NAK] = {
		URD_CNT_tx_op_nak, IB_EVENT_QP_FATAL },
};

static void send_nak(struct urd_qp *qp, u8 syndrome)
{
	this_cpu_inc(qp->dev->stats->v[nak_info[syndrome - URD_AETH_NAK].counter]);
	send_aeth(qp, syndrome, qp->eng.resp.st.epsn);
}

static void send_rnr_nak(struct urd_qp *qp)
{
	struct urd_resp *resp = &qp->eng.resp;

	urd_count(qp->dev, tx_rnr_nak);
	/* What follows is out of sequence, and was answered by this. */
	resp->st.nak_sent = true;
	send_aeth(qp, URD_AETH_RNR_NAK | qp->attr.min_rnr_timer, resp->st.epsn);
}

/*
 * A message in a receive WQE reports its failure there, anything else by an
 * affiliated event (C9-222.1.1, table 63).
 */
void urd_resp_fail(struct urd_qp *qp, u8 syndrome, u8 wc_status)
{
	if (qp->service != URD_SVC_RC) {
		urd_count(qp->dev, rx_drop_uc_message);
		urd_respond_forget(&qp->eng.resp.st);
		qp->eng.resp.recv_off = 0;
		return;
	}
	send_nak(qp, syndrome);
	if (qp->eng.resp.rwqe.valid)
		urd_resp_complete(qp, NULL, wc_status);
	else
		urd_qp_event(qp, nak_info[syndrome - URD_AETH_NAK].event);
	urd_qp_set_error(qp);
}

/* ---- receive WQEs -------------------------------------------------------- */

static void fill_success(struct urd_qp *qp, const struct urd_packet *pkt,
			 struct urd_cqe *cqe)
{
	if (pkt->op->kind == URD_KIND_WRITE) {
		cqe->opcode = URD_WR_WRITE_IMM;
		cqe->byte_len = qp->eng.resp.write_len;
	} else {
		cqe->byte_len = qp->eng.resp.recv_off;
	}
	if (pkt->op->hdrs & URD_HDR_IMM) {
		cqe->flags |= URD_CQE_IMM;
		cqe->imm = (__force u32)pkt->imm;
	}
	if (pkt->op->hdrs & URD_HDR_IETH) {
		cqe->flags |= URD_CQE_INV;
		cqe->imm = pkt->inv_rkey;
	}
	if (pkt->se)
		cqe->flags |= URD_CQE_SOLICITED;
}

/* @pkt: last packet of the message; not looked at when @status is a failure. */
void urd_resp_complete(struct urd_qp *qp, const struct urd_packet *pkt, u8 status)
{
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_cqe cqe = {
		.wr_id = resp->rwqe.wr_id,
		.opcode = URD_WR_SEND,
		.status = status,
		.flags = URD_CQE_RECV,
	};

	if (status == IB_WC_SUCCESS) {
		fill_success(qp, pkt, &cqe);
		cqe.src_qp = qp->attr.dest_qp_num;
	}
	resp->rwqe.valid = false;
	resp->recv_off = 0;
	urd_engine_cqe(qp, qp->rcq, &cqe);
}

/* Have a receive WQE in resp->rwqe. False: the packet was answered or dropped. */
static bool have_rwqe(struct urd_qp *qp)
{
	struct urd_resp *resp = &qp->eng.resp;
	int ret;

	if (resp->rwqe.valid)
		return true;
	ret = urd_rq_take(qp, &resp->rwqe, &qp->eng.srq_limit);
	if (!ret) {
		resp->recv_off = 0;
		return true;
	}
	if (ret == -EAGAIN) {
		urd_count(qp->dev, rx_drop_no_recv);
		if (qp->service == URD_SVC_RC)
			send_rnr_nak(qp);
		else
			urd_respond_forget(&resp->st);
		return false;
	}
	resp->rwqe.valid = true;	/* its wr_id is to be reported */
	urd_resp_fail(qp, URD_NAK_REM_OP, IB_WC_LOC_QP_OP_ERR);
	return false;
}

/* ---- SEND ---------------------------------------------------------------- */

static bool send_payload(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_sgl sgl;
	int ret;

	if (rx->pkt.payload_len > resp->rwqe.length - resp->recv_off) {
		urd_count(qp->dev, rx_drop_too_long);
		urd_resp_fail(qp, URD_NAK_INVALID_REQ, IB_WC_LOC_LEN_ERR);
		return false;
	}
	if (!rx->pkt.payload_len)
		return true;
	urd_sgl_init(&sgl, qp, resp->rwqe.sge, resp->rwqe.num_sge,
		     URD_RIGHT_LOCAL_WRITE);
	urd_sgl_seek(&sgl, resp->recv_off);
	ret = urd_rx_to_sgl(rx, &sgl);
	urd_sgl_done(&sgl);
	if (ret) {
		urd_resp_fail(qp, URD_NAK_REM_OP, IB_WC_LOC_PROT_ERR);
		return false;
	}
	resp->recv_off += rx->pkt.payload_len;
	return true;
}

static bool execute_send(struct urd_qp *qp, const struct urd_rx *rx)
{
	const struct urd_packet *pkt = &rx->pkt;
	int status;

	if (pkt->op->pos & URD_POS_FIRST)
		qp->eng.resp.recv_off = 0;
	if (!have_rwqe(qp) || !send_payload(qp, rx))
		return false;
	if (!(pkt->op->pos & URD_POS_LAST))
		return true;
	if (pkt->op->hdrs & URD_HDR_IETH) {
		status = urd_key_invalidate_remote(qp, pkt->inv_rkey);
		if (status) {
			urd_resp_fail(qp, URD_NAK_REM_ACCESS, status);
			return false;
		}
	}
	urd_resp_complete(qp, pkt, IB_WC_SUCCESS);
	return true;
}

/* ---- WRITE --------------------------------------------------------------- */

static void deny_access(struct urd_qp *qp)
{
	urd_count(qp->dev, rx_drop_access);
	urd_resp_fail(qp, URD_NAK_REM_ACCESS, IB_WC_LOC_ACCESS_ERR);
}

/* The whole range is checked before the first byte is written. */
static bool begin_write(struct urd_qp *qp, const struct urd_packet *pkt)
{
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_span span = {};

	resp->write_va = pkt->reth.va;
	resp->write_rkey = pkt->reth.rkey;
	resp->write_left = pkt->reth.len;
	resp->write_len = pkt->reth.len;
	if (urd_span_get(qp, pkt->reth.rkey, true, pkt->reth.va, pkt->reth.len,
			 URD_RIGHT_REMOTE_WRITE, &span) != URD_ACCESS_OK) {
		deny_access(qp);
		return false;
	}
	urd_span_put(&span);
	return true;
}

static bool write_length_ok(const struct urd_resp *resp, const struct urd_packet *pkt)
{
	if (pkt->op->pos & URD_POS_LAST)
		return pkt->payload_len == resp->write_left;
	return pkt->payload_len < resp->write_left;
}

/* The region may have gone since the first packet: look again. */
static bool write_payload(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_resp *resp = &qp->eng.resp;
	u32 len = rx->pkt.payload_len;
	struct urd_span span = {};

	if (urd_span_get(qp, resp->write_rkey, true, resp->write_va, len,
			 URD_RIGHT_REMOTE_WRITE, &span) != URD_ACCESS_OK) {
		deny_access(qp);
		return false;
	}
	if (len)
		urd_rx_to_span(rx, &span, resp->write_va);
	urd_span_put(&span);
	resp->write_va += len;
	resp->write_left -= len;
	return true;
}

static bool execute_write(struct urd_qp *qp, const struct urd_rx *rx)
{
	const struct urd_packet *pkt = &rx->pkt;

	/* Before anything is written: an RNR NAK makes the packet come again. */
	if (pkt->op->needs_rwqe && !have_rwqe(qp))
		return false;
	if (pkt->op->pos & URD_POS_FIRST && !begin_write(qp, pkt))
		return false;
	if (!write_length_ok(&qp->eng.resp, pkt)) {
		urd_resp_fail(qp, URD_NAK_INVALID_REQ, IB_WC_LOC_LEN_ERR);
		return false;
	}
	if (!write_payload(qp, rx))
		return false;
	if (pkt->op->needs_rwqe)
		urd_resp_complete(qp, pkt, IB_WC_SUCCESS);
	return true;
}

/* ---- one packet ---------------------------------------------------------- */

void urd_resp_caps(const struct urd_qp *qp, struct urd_resp_caps *caps)
{
	int access = qp->attr.qp_access_flags;

	*caps = (struct urd_resp_caps){
		.service = qp->service,
		.mtu = qp->mtu,
		.allow_write = access & IB_ACCESS_REMOTE_WRITE,
		.allow_read = access & IB_ACCESS_REMOTE_READ,
		.allow_atomic = access & IB_ACCESS_REMOTE_ATOMIC,
		.allow_flush = access & URD_ACCESS_FLUSH_ANY,
		.max_rd_atomic = qp->eng.resp.res_max,
	};
}

static void execute(struct urd_qp *qp, const struct urd_resp_caps *caps,
		    const struct urd_rx *rx)
{
	const struct urd_packet *pkt = &rx->pkt;
	struct urd_resp *resp = &qp->eng.resp;
	bool done;

	if (pkt->op->kind == URD_KIND_SEND) {
		done = execute_send(qp, rx);
	} else if (pkt->op->kind == URD_KIND_WRITE) {
		done = execute_write(qp, rx);
	} else {
		urd_resp_read_like(qp, rx);
		return;
	}
	if (!done)
		return;
	urd_respond_accept(&resp->st, caps, pkt);
	if (rx->local)
		resp->st.epsn = urd_psn_add(pkt->psn, rx->local->psns);
	if (pkt->op->pos & URD_POS_LAST)
		resp->msn = (resp->msn + 1) & URD_PSN_MASK;
	if (qp->service == URD_SVC_RC && pkt->ackreq)
		urd_resp_ack_due(qp);
}

static void note_established(struct urd_qp *qp)
{
	if (qp->state != IB_QPS_RTR || qp->eng.resp.comm_est)
		return;
	qp->eng.resp.comm_est = true;
	urd_qp_event(qp, IB_EVENT_COMM_EST);
}

void urd_resp_packet(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_resp *resp = &qp->eng.resp;
	struct urd_resp_caps caps;
	enum urd_verdict v;

	note_established(qp);
	if (qp->service == URD_SVC_UD) {
		urd_resp_datagram(qp, rx);
		return;
	}
	urd_resp_caps(qp, &caps);
	/* On the local path one packet stands for several path MTUs. */
	if (rx->local && rx->pkt.payload_len)
		caps.mtu = rx->pkt.payload_len;
	v = urd_respond_psn(&resp->st, &caps, &rx->pkt);
	if (v == URD_V_EXECUTE)
		v = urd_respond_op(&resp->st, &caps, &rx->pkt);
	switch (v) {
	case URD_V_EXECUTE:
		execute(qp, &caps, rx);
		break;
	case URD_V_DUPLICATE:
		urd_count(qp->dev, rx_duplicate);
		urd_resp_duplicate(qp, &rx->pkt);
		break;
	case URD_V_NAK_SEQ:
		urd_count(qp->dev, rx_out_of_sequence);
		send_nak(qp, URD_NAK_PSN_SEQ);
		resp->st.nak_sent = true;
		break;
	case URD_V_NAK_ACCESS:
		deny_access(qp);
		break;
	case URD_V_NAK_INVALID:
	case URD_V_DROP_MESSAGE:
		urd_resp_fail(qp, URD_NAK_INVALID_REQ, IB_WC_REM_INV_REQ_ERR);
		break;
	default:
		urd_count(qp->dev, rx_out_of_sequence);
		break;
	}
}
