// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send, ibv_post_recv, ibv_post_srq_recv and ibv_bind_mw: work
 * request to WQE. What a WR must satisfy is checked before its ring entry is
 * touched; a bad WR ends the list, and those before it are posted.
 */
#include <ccan/array_size.h>

#include "urd.h"

enum {
	QPT_RC = 1 << IBV_QPT_RC,
	QPT_UC = 1 << IBV_QPT_UC,
	QPT_UD = 1 << IBV_QPT_UD,
};

/* Parts that a WQE has, by its opcode */
enum {
	PART_DATA	= 1 << 0,	/* a gather or scatter list */
	PART_INLINE	= 1 << 1,	/* ... which may be inline data */
	PART_IMM	= 1 << 2,
	PART_INV	= 1 << 3,	/* a key to invalidate */
	PART_RDMA	= 1 << 4,
	PART_ATOMIC	= 1 << 5,
	PART_BIND	= 1 << 6,
};

#define PARTS_SEND (PART_DATA | PART_INLINE)
#define PARTS_WRITE (PART_DATA | PART_INLINE | PART_RDMA)

struct wr_rule {
	uint8_t op;			/* enum urd_wr_op, zero: not legal */
	uint8_t qp_types;
	uint8_t parts;
};

/*
 * By enum ibv_wr_opcode. SEND_WITH_INV has packets on RC alone (table 38).
 * FLUSH is absent: struct ibv_send_wr cannot say what to flush.
 */
static const struct wr_rule wr_rules[] = {
	[IBV_WR_SEND] = { URD_WR_SEND, QPT_RC | QPT_UC | QPT_UD, PARTS_SEND },
	[IBV_WR_SEND_WITH_IMM] = { URD_WR_SEND_IMM, QPT_RC | QPT_UC | QPT_UD,
				   PARTS_SEND | PART_IMM },
	[IBV_WR_SEND_WITH_INV] = { URD_WR_SEND_INV, QPT_RC,
				   PARTS_SEND | PART_INV },
	[IBV_WR_RDMA_WRITE] = { URD_WR_WRITE, QPT_RC | QPT_UC, PARTS_WRITE },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { URD_WR_WRITE_IMM, QPT_RC | QPT_UC,
					 PARTS_WRITE | PART_IMM },
	[IBV_WR_RDMA_READ] = { URD_WR_READ, QPT_RC, PART_DATA | PART_RDMA },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { URD_WR_CMP_SWP, QPT_RC,
					PART_DATA | PART_ATOMIC },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { URD_WR_FETCH_ADD, QPT_RC,
					  PART_DATA | PART_ATOMIC },
	[IBV_WR_LOCAL_INV] = { URD_WR_LOCAL_INV, QPT_RC | QPT_UC, PART_INV },
	[IBV_WR_BIND_MW] = { URD_WR_BIND_MW, QPT_RC | QPT_UC, PART_BIND },
	[IBV_WR_ATOMIC_WRITE] = { URD_WR_ATOMIC_WRITE, QPT_RC, PARTS_WRITE },
};

#define SEND_FLAGS                                                             \
	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |             \
	 IBV_SEND_INLINE)

/* Return: the rule of a legal WR, or NULL. */
static const struct wr_rule *find_rule(const struct ibv_qp *qp,
				       const struct ibv_send_wr *wr)
{
	const struct wr_rule *rule;

	if ((unsigned int)wr->opcode >= ARRAY_SIZE(wr_rules))
		return NULL;
	rule = &wr_rules[wr->opcode];
	if (!(rule->qp_types & (1 << qp->qp_type)))
		return NULL;
	if (wr->send_flags & ~SEND_FLAGS)
		return NULL;
	if ((wr->send_flags & IBV_SEND_INLINE) && !(rule->parts & PART_INLINE))
		return NULL;
	return rule;
}

static int set_data(const struct urd_sq *sq, struct urd_sqe *sqe,
		    const struct ibv_send_wr *wr)
{
	int ret, i;

	/* A negative count is a huge one here */
	if ((unsigned int)wr->num_sge > sq->max_sge)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return urd_sqe_set_sges(sq, sqe, wr->sg_list, wr->num_sge);

	sqe->flags |= URD_WR_INLINE;
	for (i = 0; i < wr->num_sge; i++) {
		ret = urd_sqe_add_inline(sqe,
					 (void *)(uintptr_t)wr->sg_list[i].addr,
					 wr->sg_list[i].length, sq->max_inline);
		if (ret)
			return ret;
	}
	return 0;
}

static void set_atomic(struct urd_sqe *sqe, const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		urd_sqe_set_atomic(sqe, wr->wr.atomic.remote_addr,
				   wr->wr.atomic.rkey,
				   wr->wr.atomic.compare_add,
				   wr->wr.atomic.swap);
	else
		urd_sqe_set_atomic(sqe, wr->wr.atomic.remote_addr,
				   wr->wr.atomic.rkey, 0,
				   wr->wr.atomic.compare_add);
}

/* Fill the entry at @index. Return: 0 or an errno value. */
static int build_wr(struct urd_qp *qp, const struct ibv_send_wr *wr,
		    uint32_t index)
{
	const struct wr_rule *rule = find_rule(&qp->vqp.qp, wr);
	struct urd_sqe *sqe;
	int ret;

	if (!rule)
		return EINVAL;
	ret = urd_ring_reserve(&qp->sq.ring, index);
	if (ret)
		return ret;

	sqe = urd_sqe_init(&qp->sq, index, wr->wr_id, rule->op, wr->send_flags);
	if (rule->parts & PART_IMM)
		sqe->imm = wr->imm_data;
	if (rule->parts & PART_INV)
		sqe->inv_rkey = wr->invalidate_rkey;
	if (rule->parts & PART_RDMA)
		urd_sqe_set_rdma(sqe, wr->wr.rdma.remote_addr,
				 wr->wr.rdma.rkey);
	if (rule->parts & PART_ATOMIC)
		set_atomic(sqe, wr);
	if (qp->vqp.qp.qp_type == IBV_QPT_UD) {
		ret = urd_sqe_set_ud(sqe, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				     wr->wr.ud.remote_qkey);
		if (ret)
			return ret;
	}
	if (rule->parts & PART_BIND) {
		/* Type 1 windows are bound by ibv_bind_mw */
		if (wr->bind_mw.mw->type != IBV_MW_TYPE_2)
			return EINVAL;
		return urd_sqe_set_bind(sqe, wr->bind_mw.mw, wr->bind_mw.rkey,
					&wr->bind_mw.bind_info);
	}
	return rule->parts & PART_DATA ? set_data(&qp->sq, sqe, wr) : 0;
}

int urd_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	struct ibv_send_wr *first = wr;
	uint32_t index;
	bool posted;
	int ret = 0;
	int err;

	urd_lock(&qp->sq.lock);
	index = qp->sq.ring.index;
	if (!urd_qp_may_send(ibqp))
		ret = EINVAL;
	while (wr && !ret) {
		ret = build_wr(qp, wr, index);
		if (ret)
			break;
		index++;
		wr = wr->next;
	}
	posted = index != qp->sq.ring.index;
	if (posted)
		urd_ring_submit(&qp->sq.ring, index);
	urd_unlock(&qp->sq.lock);

	if (ret)
		*bad_wr = wr;
	if (!posted)
		return ret;

	err = urd_sq_doorbell(qp);
	if (err) {
		*bad_wr = first;
		ret = err;
	}
	return ret;
}

/* ibv_bind_mw has checked the window's type and its PD against the MR's. */
int urd_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		struct ibv_mw_bind *mw_bind)
{
	const struct wr_rule *rule = &wr_rules[IBV_WR_BIND_MW];
	struct urd_qp *qp = to_urd_qp(ibqp);
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	struct urd_sqe *sqe;
	uint32_t index;
	int ret;

	if (!(rule->qp_types & (1 << ibqp->qp_type)) || !urd_qp_may_send(ibqp))
		return EINVAL;

	urd_lock(&qp->sq.lock);
	index = qp->sq.ring.index;
	ret = urd_ring_reserve(&qp->sq.ring, index);
	if (!ret) {
		sqe = urd_sqe_init(&qp->sq, index, mw_bind->wr_id, rule->op,
				   mw_bind->send_flags);
		ret = urd_sqe_set_bind(sqe, mw, rkey, &mw_bind->bind_info);
	}
	if (!ret)
		urd_ring_submit(&qp->sq.ring, index + 1);
	urd_unlock(&qp->sq.lock);

	if (!ret)
		ret = urd_sq_doorbell(qp);
	if (!ret)
		mw->rkey = rkey;
	return ret;
}

static int build_recv(struct urd_ring *ring, uint32_t index, uint32_t max_sge,
		      const struct ibv_recv_wr *wr)
{
	struct urd_rqe *rqe;
	int ret;

	if ((unsigned int)wr->num_sge > max_sge)
		return EINVAL;
	ret = urd_ring_reserve(ring, index);
	if (ret)
		return ret;

	rqe = urd_ring_entry(ring, index);
	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	rqe->reserved = 0;
	if (wr->num_sge)
		memcpy(rqe + 1, wr->sg_list,
		       wr->num_sge * sizeof(struct urd_sge));
	return 0;
}

/* Caller holds the ring's lock. Return: 0 or an errno value with *bad_wr. */
static int post_recv_list(struct urd_ring *ring, uint32_t max_sge,
			  struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	uint32_t index = ring->index;
	int ret = 0;

	for (; wr; wr = wr->next) {
		ret = build_recv(ring, index, max_sge, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
		index++;
	}
	if (index != ring->index)
		urd_ring_submit(ring, index);
	return ret;
}

int urd_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	struct ibv_recv_wr *first = wr;
	int ret, err;

	if (ibqp->srq || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	if (!qp->rq.ring.hdr) {
		*bad_wr = wr;
		return ENOMEM;
	}

	urd_lock(&qp->rq.lock);
	ret = post_recv_list(&qp->rq.ring, qp->rq.max_sge, wr, bad_wr);
	urd_unlock(&qp->rq.lock);

	err = urd_rq_doorbell(qp);
	if (err) {
		*bad_wr = first;
		ret = err;
	}
	return ret;
}

int urd_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);
	int ret;

	urd_lock(&srq->lock);
	ret = post_recv_list(&srq->ring, srq->max_sge, wr, bad_wr);
	urd_unlock(&srq->lock);
	return ret;
}
