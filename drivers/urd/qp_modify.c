// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Modify QP (IBTA volume 1, 10.3.1 and 11.2.5.2). Which attributes go with
 * which transition is in proto/qp_table.c. What needs memory is prepared
 * first, everything takes effect at once under qp->lock, and a call that fails
 * changes nothing.
 */
#include "cq.h"
#include "netdev.h"
#include "qp.h"
#include "verbs.h"

static_assert(URD_QPS_ERR == (int)IB_QPS_ERR && URD_QPS_SQD == (int)IB_QPS_SQD);
static_assert(URD_QPA_STATE == (int)IB_QP_STATE);
static_assert(URD_QPA_CUR_STATE == (int)IB_QP_CUR_STATE);
static_assert(URD_QPA_SQD_NOTIFY == (int)IB_QP_EN_SQD_ASYNC_NOTIFY);
static_assert(URD_QPA_ACCESS == (int)IB_QP_ACCESS_FLAGS);
static_assert(URD_QPA_PKEY == (int)IB_QP_PKEY_INDEX);
static_assert(URD_QPA_PORT == (int)IB_QP_PORT);
static_assert(URD_QPA_QKEY == (int)IB_QP_QKEY);
static_assert(URD_QPA_AV == (int)IB_QP_AV);
static_assert(URD_QPA_MTU == (int)IB_QP_PATH_MTU);
static_assert(URD_QPA_TIMEOUT == (int)IB_QP_TIMEOUT);
static_assert(URD_QPA_RETRY == (int)IB_QP_RETRY_CNT);
static_assert(URD_QPA_RNR_RETRY == (int)IB_QP_RNR_RETRY);
static_assert(URD_QPA_RQ_PSN == (int)IB_QP_RQ_PSN);
static_assert(URD_QPA_RD_ATOMIC == (int)IB_QP_MAX_QP_RD_ATOMIC);
static_assert(URD_QPA_ALT_PATH == (int)IB_QP_ALT_PATH);
static_assert(URD_QPA_RNR_TIMER == (int)IB_QP_MIN_RNR_TIMER);
static_assert(URD_QPA_SQ_PSN == (int)IB_QP_SQ_PSN);
static_assert(URD_QPA_DEST_RD_ATOMIC == (int)IB_QP_MAX_DEST_RD_ATOMIC);
static_assert(URD_QPA_MIG_STATE == (int)IB_QP_PATH_MIG_STATE);
static_assert(URD_QPA_CAP == (int)IB_QP_CAP);
static_assert(URD_QPA_DEST_QPN == (int)IB_QP_DEST_QPN);

enum urd_qp_class urd_qp_class(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return URD_QPC_RC;
	case IB_QPT_UC:
		return URD_QPC_UC;
	case IB_QPT_GSI:
		return URD_QPC_GSI;
	default:
		return URD_QPC_UD;
	}
}

/* ---- values ------------------------------------------------------------ */

/* Retry and timer codes have the width of their fields on the wire. */
static bool timers_ok(const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_TIMEOUT) && attr->timeout > 31)
		return false;
	if ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31)
		return false;
	if ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return false;
	return !(mask & IB_QP_RNR_RETRY) || attr->rnr_retry <= 7;
}

static bool path_ok(const struct urd_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return false;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return false;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > urd_active_mtu(qp->dev)))
		return false;
	/* There is one path: no alternate, and always migrated. */
	if (mask & IB_QP_ALT_PATH)
		return false;
	return !(mask & IB_QP_PATH_MIG_STATE) ||
	       attr->path_mig_state == IB_MIG_MIGRATED;
}

/* Access flags other than those for remote operations mean nothing to a QP. */
static bool peer_ok(const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_DEST_QPN) && attr->dest_qp_num > 0xffffff)
		return false;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > URD_MAX_RD_ATOMIC)
		return false;
	return !(mask & IB_QP_MAX_DEST_RD_ATOMIC) ||
	       attr->max_dest_rd_atomic <= URD_MAX_RD_ATOMIC;
}

/* ---- effect ------------------------------------------------------------ */

/* Copy the members that @mask names. */
static void take_attr(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = from->en_sqd_async_notify;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = from->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = from->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = from->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = from->qkey;
	if (mask & IB_QP_AV)
		to->ah_attr = from->ah_attr;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = from->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = from->rnr_retry;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = from->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = from->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = from->dest_qp_num;
}

/* Everything but the size of the queues is as after creation. */
static void forget_attr(struct urd_qp *qp)
{
	struct ib_qp_cap cap = qp->attr.cap;

	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->attr.cap = cap;
	urd_rq_reset(qp);
}

/* Is the transition legal now? qp->lock is held. */
static int check_state(const struct urd_qp *qp, const struct ib_qp_attr *attr,
		       int mask, enum ib_qp_state to)
{
	if ((mask & IB_QP_CUR_STATE) && attr->cur_qp_state != qp->state)
		return -EINVAL;
	if (!urd_qp_modify_ok(urd_qp_class(qp->ibqp.qp_type), qp->state, to, mask))
		return -EINVAL;
	/* Attributes change in SQD only once the SQ is drained (10.3.1.5). */
	if (qp->state == IB_QPS_SQD && to == IB_QPS_SQD && (mask & ~IB_QP_STATE) &&
	    !urd_engine_sq_idle(qp))
		return -EINVAL;
	return 0;
}

/* qp->lock is held. *av: the new vector; after success the one to put. */
static int commit(struct urd_qp *qp, const struct ib_qp_attr *attr, int mask,
		  struct urd_av **av, struct urd_modify_prep *prep)
{
	enum ib_qp_state from = qp->state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;
	int err;

	err = check_state(qp, attr, mask, to);
	if (err)
		return err;

	if (to == IB_QPS_RESET)
		forget_attr(qp);
	take_attr(&qp->attr, attr, mask);
	if ((mask & IB_QP_AV) || to == IB_QPS_RESET)
		swap(qp->av, *av);
	if (mask & IB_QP_PATH_MTU)
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	else if (qp->service == URD_SVC_UD)
		qp->mtu = ib_mtu_enum_to_int(urd_active_mtu(qp->dev));
	qp->state = to;
	qp->attr.qp_state = to;
	urd_engine_modify_commit(qp, prep, from, mask);
	return 0;
}

int urd_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct urd_qp *qp = to_urd_qp(ibqp);
	struct urd_modify_prep prep;
	struct urd_av *av = NULL;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (!timers_ok(attr, mask) || !path_ok(qp, attr, mask) || !peer_ok(attr, mask))
		return -EINVAL;

	if (mask & IB_QP_AV) {
		/* The peer's number is only known here if it comes along. */
		av = urd_av_create(qp->dev, &attr->ah_attr, ibqp->qp_num,
				   mask & IB_QP_DEST_QPN ? attr->dest_qp_num : 0,
				   GFP_KERNEL);
		if (IS_ERR(av))
			return PTR_ERR(av);
	}
	err = urd_engine_modify_prepare(qp, &prep, attr, mask);
	if (err)
		goto out;

	urd_qp_lock(qp);
	err = commit(qp, attr, mask, &av, &prep);
	urd_qp_unlock(qp);
	if (!err && (mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RESET) {
		urd_engine_quiesce(qp);
		urd_cq_purge(qp);
	}
	urd_engine_modify_free(&prep);
out:
	if (av)
		urd_av_put(av);
	return err;
}
