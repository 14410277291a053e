// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send WQEs of user space into the kernel's copy. The user may write to the
 * ring at any time, so each is copied once and the copy is checked; a WQE that
 * makes no sense carries its status and fails when it is the oldest.
 */
#include "engine.h"
#include "proto/ring.h"
#include "proto/segment.h"

static u8 check_op(const struct urd_qp *qp, u8 op)
{
	if (op == URD_WR_NONE || op >= URD_WR_REG_MR)
		return IB_WC_LOC_QP_OP_ERR;
	if (urd_op_is_local(op))
		return qp->service == URD_SVC_UD ? IB_WC_LOC_QP_OP_ERR : 0;
	return urd_seg_opcode(qp->service, op, true, true) < 0 ?
	       IB_WC_LOC_QP_OP_ERR : 0;
}

static void copy_op(struct urd_qp *qp, struct urd_swqe *wqe, const struct urd_sqe *sqe)
{
	switch (sqe->opcode) {
	case URD_WR_CMP_SWP:
	case URD_WR_FETCH_ADD:
		wqe->atomic.va = sqe->atomic.remote_addr;
		wqe->atomic.compare = sqe->atomic.compare;
		wqe->atomic.swap_add = sqe->atomic.swap_add;
		wqe->atomic.rkey = sqe->atomic.rkey;
		break;
	case URD_WR_BIND_MW:
		wqe->bind.addr = sqe->bind.addr;
		wqe->bind.length = sqe->bind.length;
		wqe->bind.mr_lkey = sqe->bind.mr_lkey;
		wqe->bind.mw_rkey = sqe->bind.mw_rkey;
		wqe->bind.new_rkey = sqe->bind.new_rkey;
		wqe->bind.access = sqe->bind.access;
		break;
	case URD_WR_FLUSH:
		wqe->flush.va = sqe->flush.remote_addr;
		wqe->flush.rkey = sqe->flush.rkey;
		wqe->flush.length = sqe->flush.length;
		wqe->flush.type = sqe->flush.type;
		wqe->flush.level = sqe->flush.level;
		break;
	default:
		wqe->rdma.va = sqe->rdma.remote_addr;
		wqe->rdma.rkey = sqe->rdma.rkey;
		break;
	}
}

static u8 copy_ud(struct urd_qp *qp, struct urd_swqe *wqe, const struct urd_sqe *sqe)
{
	wqe->ud.av = urd_av_find(qp->dev, sqe->ud.ah, qp->ibqp.pd);
	wqe->ud.qpn = sqe->ud.remote_qpn & URD_QPN_MASK;
	wqe->ud.qkey = sqe->ud.remote_qkey;
	wqe->ud.pkey_index = 0;
	return wqe->ud.av ? 0 : IB_WC_LOC_QP_OP_ERR;
}

/* The data part: SGEs or inline bytes, copied once, then summed. */
static u8 copy_data(struct urd_sq *sq, struct urd_swqe *wqe,
		    const struct urd_sqe *sqe, const void *ring_data)
{
	struct urd_sge *sge = urd_swqe_sge(wqe);
	u64 sum = 0;
	u32 i;

	if (sqe->flags & URD_WR_INLINE) {
		if (sqe->inline_len > sq->max_inline)
			return IB_WC_LOC_LEN_ERR;
		memcpy(sge, ring_data, sqe->inline_len);
		wqe->length = sqe->inline_len;
		return 0;
	}
	if (sqe->num_sge > sq->max_sge)
		return IB_WC_LOC_QP_OP_ERR;
	memcpy(sge, ring_data, sqe->num_sge * sizeof(*sge));
	for (i = 0; i < sqe->num_sge; i++)
		sum += sge[i].length;
	if (sum > URD_MAX_MSG)
		return IB_WC_LOC_LEN_ERR;
	wqe->num_sge = sqe->num_sge;
	wqe->length = sum;
	return 0;
}

/* Rules on the length that the operation itself has. */
static u8 check_length(const struct urd_qp *qp, const struct urd_swqe *wqe)
{
	switch (wqe->op) {
	case URD_WR_CMP_SWP:
	case URD_WR_FETCH_ADD:
	case URD_WR_ATOMIC_WRITE:
		return wqe->length == 8 ? 0 : IB_WC_LOC_LEN_ERR;
	case URD_WR_FLUSH:
	case URD_WR_LOCAL_INV:
	case URD_WR_BIND_MW:
		return wqe->length ? IB_WC_LOC_LEN_ERR : 0;
	case URD_WR_READ:
		return wqe->flags & URD_WR_INLINE ? IB_WC_LOC_QP_OP_ERR : 0;
	default:
		if (qp->service == URD_SVC_UD && wqe->length > qp->mtu)
			return IB_WC_LOC_LEN_ERR;
		return 0;
	}
}

static void pull_one(struct urd_qp *qp, u32 index)
{
	struct urd_sq *sq = &qp->sq;
	struct urd_swqe *wqe = urd_sq_wqe(sq, index);
	const u8 *entry = urd_ring_entry(&sq->ring, index);
	struct urd_sqe sqe;

	/* The only look at the ring's header of this WQE. */
	memcpy(&sqe, entry, sizeof(sqe));
	*wqe = (struct urd_swqe){
		.wr_id = sqe.wr_id,
		.op = sqe.opcode,
		.flags = sqe.flags,
		.imm = sqe.imm,
		.inv_rkey = sqe.inv_rkey,
	};
	wqe->status = check_op(qp, sqe.opcode);
	if (!wqe->status && qp->service == URD_SVC_UD)
		wqe->status = copy_ud(qp, wqe, &sqe);
	else if (!wqe->status)
		copy_op(qp, wqe, &sqe);
	if (!wqe->status)
		wqe->status = copy_data(sq, wqe, &sqe, entry + sizeof(sqe));
	if (!wqe->status)
		wqe->status = check_length(qp, wqe);
	if (wqe->status)
		urd_count(qp->dev, bad_wqe);
}

/* Take over what a user posted. A nonsense index fails the QP, once. */
void urd_req_pull(struct urd_qp *qp)
{
	struct urd_ring *ring = &qp->sq.ring;
	u32 prod, n;

	if (!ring->hdr)
		return;
	/* Pairs with the user's release of prod, after its WQEs. */
	prod = smp_load_acquire(&ring->hdr->prod);
	if (prod == ring->index)
		return;
	if (!urd_ring_avail(prod, qp->sq.cons, ring->depth, &n) ||
	    !urd_ring_avail(prod, ring->index, ring->depth, &n)) {
		urd_count(qp->dev, hostile_index);
		ring->index = prod;	/* seen; not again until it moves */
		if (qp->state != IB_QPS_ERR) {
			urd_qp_event(qp, IB_EVENT_QP_FATAL);
			urd_qp_set_error(qp);
		}
		/* From here on the SQ is empty at the user's index. */
		qp->sq.cons = prod;
		qp->sq.prod = prod;
		qp->eng.req.next = prod;
		qp->eng.req.front = prod;
		return;
	}
	for (; n; n--)
		pull_one(qp, ring->index++);
	qp->sq.prod = ring->index;
}
