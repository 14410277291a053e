// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting. User space posts into its rings itself: for it post_send is the
 * doorbell. Kernel consumers' WRs are copied to the same forms here, under a
 * lock of that queue only, because they may be posted with interrupts off.
 */
#include "engine.h"
#include "verbs.h"
#include "proto/segment.h"

static const u8 wr_op[] = {
	[IB_WR_RDMA_WRITE] = URD_WR_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM] = URD_WR_WRITE_IMM,
	[IB_WR_SEND] = URD_WR_SEND,
	[IB_WR_SEND_WITH_IMM] = URD_WR_SEND_IMM,
	[IB_WR_RDMA_READ] = URD_WR_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP] = URD_WR_CMP_SWP,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = URD_WR_FETCH_ADD,
	[IB_WR_SEND_WITH_INV] = URD_WR_SEND_INV,
	[IB_WR_LOCAL_INV] = URD_WR_LOCAL_INV,
	[IB_WR_REG_MR] = URD_WR_REG_MR,
};

/* Is there such an operation for this QP type? */
static u8 kernel_op(const struct urd_qp *qp, const struct ib_send_wr *wr)
{
	u8 op = URD_WR_NONE;

	if ((u32)wr->opcode < ARRAY_SIZE(wr_op))
		op = wr_op[wr->opcode];
	if (op == URD_WR_NONE)
		return op;
	if (urd_op_is_local(op))
		return qp->service == URD_SVC_UD ? URD_WR_NONE : op;
	if (urd_seg_opcode(qp->service, op, true, true) < 0)
		return URD_WR_NONE;
	return op;
}

/* Touch only the variant that the opcode implies (A16). */
static int copy_variant(struct urd_qp *qp, struct urd_swqe *wqe,
			const struct ib_send_wr *wr)
{
	if (qp->service == URD_SVC_UD) {
		struct urd_ah *ah;

		if (!ud_wr(wr)->ah)
			return -EINVAL;
		ah = to_urd_ah(ud_wr(wr)->ah);
		wqe->ud.av = urd_av_get(ah->av);
		wqe->ud.qpn = ud_wr(wr)->remote_qpn & URD_QPN_MASK;
		wqe->ud.qkey = ud_wr(wr)->remote_qkey;
		wqe->ud.pkey_index = ud_wr(wr)->pkey_index;
		return 0;
	}
	switch (wqe->op) {
	case URD_WR_WRITE:
	case URD_WR_WRITE_IMM:
	case URD_WR_READ:
		wqe->rdma.va = rdma_wr(wr)->remote_addr;
		wqe->rdma.rkey = rdma_wr(wr)->rkey;
		break;
	case URD_WR_CMP_SWP:
		wqe->atomic.compare = atomic_wr(wr)->compare_add;
		wqe->atomic.swap_add = atomic_wr(wr)->swap;
		break;
	case URD_WR_FETCH_ADD:
		wqe->atomic.swap_add = atomic_wr(wr)->compare_add;
		break;
	case URD_WR_REG_MR:
		wqe->reg.mr = to_urd_mr(reg_wr(wr)->mr);
		wqe->reg.key = reg_wr(wr)->key;
		wqe->reg.access = reg_wr(wr)->access;
		break;
	}
	if (wqe->op == URD_WR_CMP_SWP || wqe->op == URD_WR_FETCH_ADD) {
		wqe->atomic.va = atomic_wr(wr)->remote_addr;
		wqe->atomic.rkey = atomic_wr(wr)->rkey;
	}
	return 0;
}

static int copy_inline(struct urd_qp *qp, struct urd_swqe *wqe,
		       const struct ib_send_wr *wr)
{
	u8 *to = (u8 *)urd_swqe_sge(wqe);
	u64 sum = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		sum += wr->sg_list[i].length;
	if (sum > qp->sq.max_inline)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	wqe->length = sum;
	return 0;
}

static int copy_sges(struct urd_qp *qp, struct urd_swqe *wqe,
		     const struct ib_send_wr *wr)
{
	struct urd_sge *sge = urd_swqe_sge(wqe);
	u64 sum = 0;
	int i;

	if (urd_op_is_local(wqe->op))
		return 0;
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge)
		return -EINVAL;
	if (wqe->flags & URD_WR_INLINE)
		return copy_inline(qp, wqe, wr);
	for (i = 0; i < wr->num_sge; i++) {
		sge[i].addr = wr->sg_list[i].addr;
		sge[i].length = wr->sg_list[i].length;
		sge[i].lkey = wr->sg_list[i].lkey;
		sum += sge[i].length;
	}
	if (sum > URD_MAX_MSG)
		return -EINVAL;
	wqe->num_sge = wr->num_sge;
	wqe->length = sum;
	return 0;
}

static u16 kernel_flags(int send_flags)
{
	u16 flags = 0;

	if (send_flags & IB_SEND_SIGNALED)
		flags |= URD_WR_SIGNALED;
	if (send_flags & IB_SEND_FENCE)
		flags |= URD_WR_FENCE;
	if (send_flags & IB_SEND_SOLICITED)
		flags |= URD_WR_SOLICITED;
	if (send_flags & IB_SEND_INLINE)
		flags |= URD_WR_INLINE;
	return flags;
}

static int post_one(struct urd_qp *qp, const struct ib_send_wr *wr)
{
	struct urd_sq *sq = &qp->sq;
	struct urd_swqe *wqe;
	u8 op = kernel_op(qp, wr);
	int ret;

	if (op == URD_WR_NONE)
		return -EINVAL;
	/* Pairs with release_slot(): the slot's last user is done. */
	if (sq->prod - smp_load_acquire(&sq->cons) >= sq->depth)
		return -ENOMEM;
	wqe = urd_sq_wqe(sq, sq->prod);
	*wqe = (struct urd_swqe){
		.op = op,
		.flags = kernel_flags(wr->send_flags),
		.wr_id = wr->wr_id,
		.imm = wr->ex.imm_data,
	};
	if (op == URD_WR_SEND_INV || op == URD_WR_LOCAL_INV)
		wqe->inv_rkey = wr->ex.invalidate_rkey;
	ret = copy_sges(qp, wqe, wr);
	if (!ret)
		ret = copy_variant(qp, wqe, wr);
	if (ret)
		return ret;
	/* Publishes the WQE; pairs with the acquire in load_prod(). */
	smp_store_release(&sq->prod, sq->prod + 1);
	return 0;
}

static bool may_post_send(const struct urd_qp *qp)
{
	switch (READ_ONCE(qp->state)) {
	case IB_QPS_RTS:
	case IB_QPS_SQD:
	case IB_QPS_SQE:
	case IB_QPS_ERR:
		return true;
	default:
		return false;
	}
}

/* Consumers post from anywhere; the engine does not run with interrupts off. */
static void run_engine(struct urd_qp *qp)
{
	if (irqs_disabled() || in_hardirq())
		queue_work(urd_cpu_wq, &qp->eng.work);
	else
		urd_qp_kick_from_post(qp);
}

int urd_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	unsigned long flags;
	int ret = 0;

	if (qp->is_user) {
		/* The doorbell. WRs of the write command have no place here. */
		if (wr) {
			*bad_wr = wr;
			return -EINVAL;
		}
		urd_qp_kick(qp);
		return 0;
	}
	if (!may_post_send(qp)) {
		*bad_wr = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&qp->sq.post_lock, flags);
	for (; wr; wr = wr->next) {
		ret = post_one(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->sq.post_lock, flags);
	run_engine(qp);
	return ret;
}

/* ---- receives ------------------------------------------------------------ */

static int post_one_recv(struct urd_ring *ring, u32 max_sge,
			 const struct ib_recv_wr *wr)
{
	struct urd_ring_hdr *hdr = ring->hdr;
	struct urd_rqe *rqe;
	struct urd_sge *sge;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	/* Pairs with the release of cons in urd_rq_take(). */
	if (hdr->prod - smp_load_acquire(&hdr->cons) >= ring->depth)
		return -ENOMEM;
	rqe = urd_ring_entry(ring, hdr->prod);
	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	sge = (struct urd_sge *)(rqe + 1);
	for (i = 0; i < wr->num_sge; i++) {
		sge[i].addr = wr->sg_list[i].addr;
		sge[i].length = wr->sg_list[i].length;
		sge[i].lkey = wr->sg_list[i].lkey;
	}
	/* Publishes the WQE; pairs with the acquire in urd_rq_take(). */
	smp_store_release(&hdr->prod, hdr->prod + 1);
	return 0;
}

static int post_recv_list(struct urd_ring *ring, spinlock_t *lock, u32 max_sge,
			  const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(lock, flags);
	for (; wr; wr = wr->next) {
		ret = post_one_recv(ring, max_sge, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(lock, flags);
	return ret;
}

int urd_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	int ret;

	if (qp->is_user || qp->srq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad_wr = wr;
		return -EINVAL;
	}
	ret = post_recv_list(&qp->rq.ring, &qp->rq.post_lock, qp->rq.max_sge,
			     wr, bad_wr);
	/* In the error state what was posted has to be flushed. */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		run_engine(qp);
	return ret;
}

int urd_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);

	if (srq->ring.user) {
		*bad_wr = wr;
		return -EINVAL;
	}
	return post_recv_list(&srq->ring, &srq->post_lock, srq->max_sge, wr, bad_wr);
}
