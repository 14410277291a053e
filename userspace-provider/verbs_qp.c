// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: create, modify, query, destroy. */
#include <stdlib.h>

#include "urd.h"
#include "urd_abi.h"

#define ATTR_MASK                                                              \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |               \
	 IBV_QP_INIT_ATTR_CREATE_FLAGS)

/* WQE space beyond the header: SGEs, inline data, or an atomic write's data */
static uint32_t min_sq_stride(const struct ibv_qp_cap *cap)
{
	uint32_t data = cap->max_send_sge * sizeof(struct urd_sge);

	if (data < cap->max_inline_data)
		data = cap->max_inline_data;
	if (data < 8)
		data = 8;
	return sizeof(struct urd_sqe) + data;
}

/* A queue that takes @max_wr WRs needs a ring that holds them. */
static int limit_ring(struct urd_ring *ring, uint32_t max_wr)
{
	if (max_wr && (!ring->hdr || max_wr > ring->mask + 1))
		return EINVAL;
	ring->limit = max_wr;
	return 0;
}

static int map_rings(struct urd_qp *qp, const struct ibv_qp_init_attr_ex *attr,
		     const struct urd_create_qp_resp *resp, int cmd_fd)
{
	uint32_t rq_stride = sizeof(struct urd_rqe) +
			     attr->cap.max_recv_sge * sizeof(struct urd_sge);
	int ret;

	ret = urd_ring_map(&qp->sq.ring, &resp->sq, cmd_fd,
			   min_sq_stride(&attr->cap));
	if (!ret)
		ret = limit_ring(&qp->sq.ring, attr->cap.max_send_wr);
	if (ret || attr->srq)
		return ret;

	ret = urd_ring_map(&qp->rq.ring, &resp->rq, cmd_fd, rq_stride);
	if (!ret)
		ret = limit_ring(&qp->rq.ring, attr->cap.max_recv_wr);
	return ret;
}

static void init_queues(struct urd_qp *qp,
			const struct ibv_qp_init_attr_ex *attr)
{
	bool single = to_urd_pd(attr->pd)->td;

	urd_lock_init(&qp->sq.lock, single);
	urd_lock_init(&qp->rq.lock, single);
	qp->sq.max_sge = attr->cap.max_send_sge;
	qp->sq.max_inline = attr->cap.max_inline_data;
	qp->sq.signal_all = attr->sq_sig_all;
	qp->rq.max_sge = attr->cap.max_recv_sge;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		urd_qp_init_ex(qp, attr->qp_type);
		qp->vqp.comp_mask |= VERBS_QP_EX;
	}
}

/* Return: 0 or the errno value of what this device cannot do. */
static int check_attr(struct ibv_context *context,
		      const struct ibv_qp_init_attr_ex *attr)
{
	uint64_t ops = urd_qp_send_ops(attr->qp_type);

	if (!check_comp_mask(attr->comp_mask, ATTR_MASK) || !ops)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	    attr->create_flags)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return EINVAL;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    !check_comp_mask(attr->send_ops_flags,
			     ops & to_urd_context(context)->send_ops))
		return EOPNOTSUPP;
	return 0;
}

struct ibv_qp *urd_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr_ex kernel_attr = *attr;
	struct urd_cmd_create_qp_resp resp = {};
	struct urd_cmd_create_qp cmd = {};
	struct urd_qp *qp;
	int ret;

	ret = check_attr(context, attr);
	if (ret)
		goto err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	/* No create flag gets this far, and the kernel need not know of none */
	kernel_attr.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_CREATE_FLAGS;
	ret = ibv_cmd_create_qp_ex(context, &qp->vqp, &kernel_attr,
				   &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				   sizeof(resp));
	if (ret)
		goto err_free;
	ret = map_rings(qp, &kernel_attr, &resp.drv_payload, context->cmd_fd);
	if (ret)
		goto err_destroy;
	init_queues(qp, &kernel_attr);
	attr->cap = kernel_attr.cap;

	return &qp->vqp.qp;

err_destroy:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
	urd_ring_unmap(&qp->rq.ring);
	urd_ring_unmap(&qp->sq.ring);
err_free:
	free(qp);
err:
	errno = ret;
	return NULL;
}

struct ibv_qp *urd_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = urd_create_qp_ex(pd->context, &attr_ex);

	if (qp)
		attr->cap = attr_ex.cap;
	return qp;
}

/* No completion of a QP that is gone or reset may be polled any more. */
static void purge_completions(struct ibv_qp *qp)
{
	if (qp->send_cq)
		urd_cq_purge(to_urd_cq(qp->send_cq), qp->qp_num);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		urd_cq_purge(to_urd_cq(qp->recv_cq), qp->qp_num);
}

/* The kernel has emptied the ring; go on from where it says. */
static void reload_ring(struct urd_ring *ring, struct urd_lock *lock)
{
	urd_lock(lock);
	if (ring->hdr) {
		ring->index = urd_load_acquire(&ring->hdr->prod);
		ring->peer = urd_load_acquire(&ring->hdr->cons);
	}
	urd_unlock(lock);
}

int urd_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	if (ret)
		return ret;

	if ((mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET) {
		purge_completions(ibqp);
		reload_ring(&qp->sq.ring, &qp->sq.lock);
		reload_ring(&qp->rq.ring, &qp->rq.lock);
	}
	return 0;
}

int urd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

int urd_destroy_qp(struct ibv_qp *ibqp)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;

	purge_completions(ibqp);
	urd_ring_unmap(&qp->rq.ring);
	urd_ring_unmap(&qp->sq.ring);
	urd_lock_destroy(&qp->rq.lock);
	urd_lock_destroy(&qp->sq.lock);
	free(qp);
	return 0;
}
