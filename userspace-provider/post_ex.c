// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*: WRs built straight into the ring. wr_start takes the SQ's lock
 * and wr_complete or wr_abort drops it; entries past the ring's index belong
 * to the builder, so that giving up means not to submit. The first error
 * stays in build_err, makes the rest no-ops and comes out of wr_complete.
 */
#include "urd.h"

#define OPS_UD (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define OPS_UC                                                                 \
	(OPS_UD | IBV_QP_EX_WITH_RDMA_WRITE |                                  \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_LOCAL_INV |       \
	 IBV_QP_EX_WITH_BIND_MW)
#define OPS_RC                                                                 \
	(OPS_UC | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ |    \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |                                   \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_FLUSH |          \
	 IBV_QP_EX_WITH_ATOMIC_WRITE)

/* Operations that the transport has, whether or not the device has them. */
uint64_t urd_qp_send_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return OPS_RC;
	case IBV_QPT_UC:
		return OPS_UC;
	case IBV_QPT_UD:
		return OPS_UD;
	default:
		return 0;
	}
}

static void build_fail(struct urd_sq *sq, int err)
{
	sq->build_err = err;
	sq->build_sqe = NULL;
}

/* Begin the next WQE. Return: NULL when this or an earlier one failed. */
static struct urd_sqe *build_next(struct ibv_qp_ex *qpx, enum urd_wr_op op)
{
	struct urd_sq *sq = &to_urd_qp_ex(qpx)->sq;
	int ret;

	if (sq->build_err)
		return NULL;
	ret = urd_ring_reserve(&sq->ring, sq->build_index);
	if (ret) {
		build_fail(sq, ret);
		return NULL;
	}
	sq->build_sqe = urd_sqe_init(sq, sq->build_index++, qpx->wr_id, op,
				     qpx->wr_flags);
	return sq->build_sqe;
}

static void wr_start(struct ibv_qp_ex *qpx)
{
	struct urd_qp *qp = to_urd_qp_ex(qpx);

	urd_lock(&qp->sq.lock);
	qp->sq.build_index = qp->sq.ring.index;
	qp->sq.build_sqe = NULL;
	qp->sq.build_err = urd_qp_may_send(&qpx->qp_base) ? 0 : EINVAL;
}

static int wr_complete(struct ibv_qp_ex *qpx)
{
	struct urd_qp *qp = to_urd_qp_ex(qpx);
	int ret = qp->sq.build_err;
	bool posted = false;

	if (!ret && qp->sq.build_index != qp->sq.ring.index) {
		urd_ring_submit(&qp->sq.ring, qp->sq.build_index);
		posted = true;
	}
	urd_unlock(&qp->sq.lock);

	return posted ? urd_sq_doorbell(qp) : ret;
}

static void wr_abort(struct ibv_qp_ex *qpx)
{
	urd_unlock(&to_urd_qp_ex(qpx)->sq.lock);
}

static void wr_send(struct ibv_qp_ex *qpx)
{
	build_next(qpx, URD_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_SEND_IMM);

	if (sqe)
		sqe->imm = imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_SEND_INV);

	if (sqe)
		sqe->inv_rkey = invalidate_rkey;
}

static void wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			  uint64_t remote_addr)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_WRITE);

	if (sqe)
		urd_sqe_set_rdma(sqe, remote_addr, rkey);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, __be32 imm_data)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_WRITE_IMM);

	if (sqe) {
		urd_sqe_set_rdma(sqe, remote_addr, rkey);
		sqe->imm = imm_data;
	}
}

static void wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			 uint64_t remote_addr)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_READ);

	if (sqe)
		urd_sqe_set_rdma(sqe, remote_addr, rkey);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, uint64_t compare,
			      uint64_t swap)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_CMP_SWP);

	if (sqe)
		urd_sqe_set_atomic(sqe, remote_addr, rkey, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr, uint64_t add)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_FETCH_ADD);

	if (sqe)
		urd_sqe_set_atomic(sqe, remote_addr, rkey, 0, add);
}

/* The data is in the WR itself: an entry has room for eight bytes always. */
static void wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			    uint64_t remote_addr, const void *atomic_wr)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_ATOMIC_WRITE);

	if (!sqe)
		return;
	urd_sqe_set_rdma(sqe, remote_addr, rkey);
	urd_sqe_add_inline(sqe, atomic_wr, 8, 8);
}

static void wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr,
		     size_t len, uint8_t type, uint8_t level)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_FLUSH);

	if (!sqe)
		return;
	if (len > UINT32_MAX) {
		build_fail(&to_urd_qp_ex(qpx)->sq, EINVAL);
		return;
	}
	sqe->flush.remote_addr = remote_addr;
	sqe->flush.rkey = rkey;
	sqe->flush.length = len;
	sqe->flush.type = type;
	sqe->flush.level = level;
}

static void wr_local_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_LOCAL_INV);

	if (sqe)
		sqe->inv_rkey = invalidate_rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *bind_info)
{
	struct urd_sqe *sqe = build_next(qpx, URD_WR_BIND_MW);
	int ret;

	if (!sqe)
		return;
	ret = mw->type == IBV_MW_TYPE_2 ?
		      urd_sqe_set_bind(sqe, mw, rkey, bind_info) : EINVAL;
	if (ret)
		build_fail(&to_urd_qp_ex(qpx)->sq, ret);
}

/* Return: the WQE that a setter is for; without one the setter is an error. */
static struct urd_sqe *build_current(struct urd_sq *sq)
{
	if (!sq->build_sqe && !sq->build_err)
		build_fail(sq, EINVAL);
	return sq->build_sqe;
}

static void wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct urd_sq *sq = &to_urd_qp_ex(qpx)->sq;
	struct urd_sqe *sqe = build_current(sq);
	int ret;

	if (!sqe)
		return;
	ret = urd_sqe_set_ud(sqe, ah, remote_qpn, remote_qkey);
	if (ret)
		build_fail(sq, ret);
}

static void wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
			    const struct ibv_sge *sg_list)
{
	struct urd_sq *sq = &to_urd_qp_ex(qpx)->sq;
	struct urd_sqe *sqe = build_current(sq);
	int ret;

	if (!sqe)
		return;
	ret = urd_sqe_set_sges(sq, sqe, sg_list, num_sge);
	if (ret)
		build_fail(sq, ret);
}

static void wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qpx, 1, &sge);
}

static bool may_be_inline(const struct urd_sqe *sqe)
{
	switch (sqe->opcode) {
	case URD_WR_SEND:
	case URD_WR_SEND_IMM:
	case URD_WR_SEND_INV:
	case URD_WR_WRITE:
	case URD_WR_WRITE_IMM:
		return true;
	default:
		return false;
	}
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num_buf,
				    const struct ibv_data_buf *buf_list)
{
	struct urd_sq *sq = &to_urd_qp_ex(qpx)->sq;
	struct urd_sqe *sqe = build_current(sq);
	int ret = 0;
	size_t i;

	if (!sqe)
		return;
	if (!may_be_inline(sqe))
		ret = EINVAL;
	sqe->inline_len = 0;
	sqe->flags |= URD_WR_INLINE;
	for (i = 0; i < num_buf && !ret; i++)
		ret = urd_sqe_add_inline(sqe, buf_list[i].addr,
					 buf_list[i].length, sq->max_inline);
	if (ret)
		build_fail(sq, ret);
}

static void wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qpx, 1, &buf);
}

/* What @type has no use for stays NULL, as does everything of XRC and TSO. */
void urd_qp_init_ex(struct urd_qp *qp, enum ibv_qp_type type)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	qpx->wr_start = wr_start;
	qpx->wr_complete = wr_complete;
	qpx->wr_abort = wr_abort;
	qpx->wr_set_sge = wr_set_sge;
	qpx->wr_set_sge_list = wr_set_sge_list;
	qpx->wr_set_inline_data = wr_set_inline_data;
	qpx->wr_set_inline_data_list = wr_set_inline_data_list;
	qpx->wr_send = wr_send;
	qpx->wr_send_imm = wr_send_imm;

	if (type == IBV_QPT_UD) {
		qpx->wr_set_ud_addr = wr_set_ud_addr;
		return;
	}
	qpx->wr_rdma_write = wr_rdma_write;
	qpx->wr_rdma_write_imm = wr_rdma_write_imm;
	qpx->wr_local_inv = wr_local_inv;
	qpx->wr_bind_mw = wr_bind_mw;

	if (type == IBV_QPT_UC)
		return;
	qpx->wr_send_inv = wr_send_inv;
	qpx->wr_rdma_read = wr_rdma_read;
	qpx->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	qpx->wr_atomic_fetch_add = wr_atomic_fetch_add;
	qpx->wr_atomic_write = wr_atomic_write;
	qpx->wr_flush = wr_flush;
}
