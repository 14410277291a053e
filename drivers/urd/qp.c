// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creation, query and destruction of queue pairs (IBTA volume 1, 11.2.5).
 *
 * release() undoes whatever create_qp got done, in any state of completion; a
 * QP is found by packets from the last step of creation until the first one of
 * destruction.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "cq.h"
#include "netdev.h"
#include "qp.h"
#include "tx.h"
#include "udata.h"
#include "verbs.h"

#define GSI_QPN		1

/* Writers of urd_dev.gsi. */
static DEFINE_MUTEX(gsi_mutex);

/* ---- numbers ----------------------------------------------------------- */

static bool is_gsi(const struct urd_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI;
}

static int number_reserve(struct urd_qp *qp)
{
	int err;

	if (is_gsi(qp)) {
		qp->ibqp.qp_num = GSI_QPN;
		qp->src_qpn = GSI_QPN;
		return 0;
	}
	err = urd_qpn_reserve(&qp->src_qpn);
	qp->ibqp.qp_num = qp->src_qpn;
	return err;
}

/* QP1 is one per port (fault D08: QP0 is none). */
static int publish(struct urd_qp *qp)
{
	struct urd_dev *dev = qp->dev;
	int err = 0;

	if (!is_gsi(qp)) {
		urd_qpn_publish(qp->src_qpn, qp->ref);
		return 0;
	}
	mutex_lock(&gsi_mutex);
	if (rcu_access_pointer(dev->gsi))
		err = -EBUSY;
	else
		rcu_assign_pointer(dev->gsi, qp->ref);
	mutex_unlock(&gsi_mutex);
	return err;
}

/* Also gives the number back. */
static void hide(struct urd_qp *qp)
{
	struct urd_dev *dev = qp->dev;

	if (!is_gsi(qp)) {
		urd_qpn_hide(qp->src_qpn);
		return;
	}
	mutex_lock(&gsi_mutex);
	if (rcu_access_pointer(dev->gsi) == qp->ref)
		RCU_INIT_POINTER(dev->gsi, NULL);
	mutex_unlock(&gsi_mutex);
}

/* ---- creation ---------------------------------------------------------- */

static int service_of(enum ib_qp_type type, bool is_user, u8 *service)
{
	switch (type) {
	case IB_QPT_RC:
		*service = URD_SVC_RC;
		return 0;
	case IB_QPT_UC:
		*service = URD_SVC_UC;
		return 0;
	case IB_QPT_GSI:
		if (is_user)
			return -EOPNOTSUPP;
		fallthrough;
	case IB_QPT_UD:
		*service = URD_SVC_UD;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_caps(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > URD_MAX_QP_WR || cap->max_send_sge > URD_MAX_SGE ||
	    cap->max_inline_data > URD_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > URD_MAX_QP_WR ||
			   cap->max_recv_sge > URD_MAX_SGE))
		return -EINVAL;
	/* Work needs somewhere to complete. */
	if ((cap->max_send_wr && !init->send_cq) ||
	    ((cap->max_recv_wr || init->srq) && !init->recv_cq))
		return -EINVAL;
	return 0;
}

static int check_init(struct urd_qp *qp, const struct ib_qp_init_attr *init,
		      struct ib_udata *udata)
{
	int err;

	if (init->create_flags || init->rwq_ind_tbl || init->xrcd)
		return -EOPNOTSUPP;
	err = service_of(init->qp_type, udata, &qp->service);
	if (!err)
		err = check_caps(init);
	if (!err)
		err = urd_udata_none(udata);
	return err;
}

static u32 depth_of(u32 wrs)
{
	return roundup_pow_of_two(max(wrs, 1U));
}

static int alloc_sq(struct urd_qp *qp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata, struct urd_ring_info *info)
{
	struct urd_sq *sq = &qp->sq;
	u32 data;
	int err;

	sq->depth = depth_of(init->cap.max_send_wr);
	sq->mask = sq->depth - 1;
	sq->max_sge = max(init->cap.max_send_sge, 1U);
	data = urd_swqe_data(sq->max_sge, init->cap.max_inline_data);
	/* Room for SGEs is room for inline data: promise all of it. */
	sq->max_inline = min_t(u32, data, URD_MAX_INLINE);
	sq->stride = ALIGN(sizeof(struct urd_swqe) + data, SMP_CACHE_BYTES);
	sq->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	if (udata) {
		err = urd_ring_alloc(&sq->ring, sq->depth,
				     ALIGN(sizeof(struct urd_sqe) + data, 64),
				     udata, info);
		if (err)
			return err;
	}
	sq->wqes = kvcalloc(sq->depth, sq->stride, GFP_KERNEL_ACCOUNT);
	if (!sq->wqes)
		return -ENOMEM;

	init->cap.max_send_wr = sq->depth;
	init->cap.max_send_sge = sq->max_sge;
	init->cap.max_inline_data = sq->max_inline;
	return 0;
}

static int alloc_rq(struct urd_qp *qp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata, struct urd_ring_info *info)
{
	struct urd_rwqe *rwqe = &qp->eng.resp.rwqe;
	struct urd_rq *rq = &qp->rq;
	u32 max_sge;
	int err;

	if (qp->srq) {
		max_sge = qp->srq->max_sge;
	} else {
		max_sge = max(init->cap.max_recv_sge, 1U);
		rq->max_sge = max_sge;
		err = urd_ring_alloc(&rq->ring, depth_of(init->cap.max_recv_wr),
				     sizeof(struct urd_rqe) +
				     max_sge * sizeof(struct urd_sge), udata, info);
		if (err)
			return err;
		init->cap.max_recv_wr = rq->ring.depth;
		init->cap.max_recv_sge = max_sge;
	}
	rwqe->sge = kcalloc(max_sge, sizeof(*rwqe->sge), GFP_KERNEL_ACCOUNT);
	return rwqe->sge ? 0 : -ENOMEM;
}

static void setup(struct urd_qp *qp, const struct ib_qp_init_attr *init, bool is_user)
{
	spin_lock_init(&qp->sq.post_lock);
	spin_lock_init(&qp->rq.post_lock);
	INIT_LIST_HEAD(&qp->scq_link.list);
	INIT_LIST_HEAD(&qp->rcq_link.list);
	qp->dev = to_urd_dev(qp->ibqp.device);
	qp->is_user = is_user;
	qp->state = IB_QPS_RESET;
	qp->mtu = ib_mtu_enum_to_int(urd_active_mtu(qp->dev));
	if (init->send_cq)
		qp->scq = to_urd_cq(init->send_cq);
	if (init->recv_cq)
		qp->rcq = to_urd_cq(init->recv_cq);
	if (init->srq)
		qp->srq = to_urd_srq(init->srq);
	urd_engine_init(qp);
}

/* The QP is not found any more, or never was. */
static void release(struct urd_qp *qp)
{
	urd_engine_stop(qp);
	urd_ref_kill(qp->ref);
	urd_engine_cleanup(qp);
	urd_cq_purge(qp);
	if (qp->av)
		urd_av_put(qp->av);
	urd_ring_free_mem(&qp->sq.ring);
	urd_ring_free_mem(&qp->rq.ring);
	kvfree(qp->sq.wqes);
	kfree(qp->eng.resp.rwqe.sge);
}

int urd_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct urd_create_qp_resp resp = {};
	struct urd_qp *qp = to_urd_qp(ibqp);
	int err;

	err = check_init(qp, init, udata);
	if (err)
		return err;
	setup(qp, init, udata);
	err = urd_limit_get(qp->dev, URD_LIM_QP, qp->is_user);
	if (err)
		return err;

	err = alloc_sq(qp, init, udata, &resp.sq);
	if (!err)
		err = alloc_rq(qp, init, udata, &resp.rq);
	if (!err)
		err = urd_tx_open(qp);
	if (err)
		goto err_release;
	err = -ENOMEM;
	qp->ref = urd_ref_alloc(qp, 0, GFP_KERNEL);
	if (!qp->ref)
		goto err_release;
	err = number_reserve(qp);
	if (err)
		goto err_release;
	qp->attr.cap = init->cap;
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_number;

	urd_cq_attach(qp);
	err = publish(qp);
	if (err)
		goto err_attach;
	return 0;

err_attach:
	urd_cq_detach(qp);
err_number:
	hide(qp);
err_release:
	release(qp);
	urd_limit_put(qp->dev, URD_LIM_QP, qp->is_user);
	return err;
}

int urd_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct urd_qp *qp = to_urd_qp(ibqp);

	hide(qp);
	urd_cq_detach(qp);
	release(qp);
	urd_limit_put(qp->dev, URD_LIM_QP, qp->is_user);
	return 0;
}

/* ---- query ------------------------------------------------------------- */

int urd_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct urd_qp *qp = to_urd_qp(ibqp);

	urd_qp_lock(qp);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_psn = qp->eng.req.psn;
	attr->rq_psn = qp->eng.resp.st.epsn;
	attr->sq_draining = qp->state == IB_QPS_SQD && !urd_engine_sq_idle(qp);
	urd_qp_unlock(qp);
	attr->path_mig_state = IB_MIG_MIGRATED;
	/* The vector holds it, not the answer. */
	attr->ah_attr.grh.sgid_attr = NULL;

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sq.sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->create_flags = 0;
	init->port_num = 1;
	return 0;
}
