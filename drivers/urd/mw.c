// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows (IBTA volume 1, 10.6.7): type 1, open to all QPs of its PD,
 * and type 2B, open to the QP that bound it (fault M26).
 *
 * A bound window counts in its region's @windows, which keeps the region from
 * being deregistered; so the region under a window needs no reference while
 * mw->lock is held.
 */
#include "mr.h"
#include "verbs.h"

static struct urd_mw *to_urd_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct urd_mw, ibmw);
}

int urd_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct urd_dev *dev = to_urd_dev(ibmw->device);
	struct urd_mw *mw = to_urd_mw(ibmw);
	int err;

	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return -EINVAL;
	spin_lock_init(&mw->lock);
	mw->ref = urd_ref_alloc(mw, URD_KEY_MW, GFP_KERNEL);
	if (!mw->ref)
		return -ENOMEM;
	err = urd_limit_get(dev, URD_LIM_MW, true);
	if (err)
		goto err_ref;
	err = urd_key_reserve(dev, &mw->region.key);
	if (err)
		goto err_limit;
	mw->region.pd = ibmw->pd;
	ibmw->rkey = mw->region.key;
	urd_key_publish(dev, mw->region.key, mw->ref);
	return 0;

err_limit:
	urd_limit_put(dev, URD_LIM_MW, true);
err_ref:
	urd_ref_kill(mw->ref);
	return err;
}

/* Close the window; mw->lock is held. */
static void unbind(struct urd_mw *mw)
{
	mw->region.valid = false;
	if (!mw->mr)
		return;
	spin_lock(&mw->mr->lock);
	mw->mr->windows--;
	spin_unlock(&mw->mr->lock);
	mw->mr = NULL;
}

int urd_dealloc_mw(struct ib_mw *ibmw)
{
	struct urd_dev *dev = to_urd_dev(ibmw->device);
	struct urd_mw *mw = to_urd_mw(ibmw);

	urd_key_hide(dev, mw->region.key);
	urd_ref_kill(mw->ref);
	spin_lock_bh(&mw->lock);
	unbind(mw);
	spin_unlock_bh(&mw->lock);
	urd_limit_put(dev, URD_LIM_MW, true);
	return 0;
}

enum urd_access urd_mw_span(struct urd_qp *qp, struct urd_mw *mw, u32 key, u64 addr,
			    u64 len, u32 need, struct urd_span *span)
{
	enum urd_access err;
	u32 qpn;

	spin_lock_bh(&mw->lock);
	qpn = mw->region.qpn ? qp->ibqp.qp_num : 0;
	err = urd_access_check(&mw->region, key, qp->ibqp.pd, qpn, addr, len, need);
	if (err == URD_ACCESS_OK) {
		refcount_inc(&mw->mr->ref->count);
		span->mr = mw->mr;
		span->pages = &mw->mr->tbl[0];
		span->base = mw->mr->region.base - mw->shift;
	}
	spin_unlock_bh(&mw->lock);
	return err;
}

/* ---- binding ----------------------------------------------------------- */

/* What a window can open. Programs like to add LOCAL_WRITE: it means nothing. */
#define WINDOW_WRITES	(URD_RIGHT_REMOTE_WRITE | URD_RIGHT_REMOTE_ATOMIC)
#define WINDOW_RIGHTS	(WINDOW_WRITES | URD_RIGHT_REMOTE_READ)

/*
 * May a window with @wqe's rights and range be opened in @mr? mr->lock is held.
 * Writing through a window needs a region that may be written (C10-75); a
 * zero-based region has no windows.
 */
static bool mr_allows(const struct urd_mr *mr, const struct urd_swqe *wqe, u32 rights)
{
	const struct urd_region *r = &mr->region;

	if (mr->type != URD_MR_USER || !r->valid || r->key != wqe->bind.mr_lkey)
		return false;
	if (!(mr->access & IB_ACCESS_MW_BIND) || (mr->access & IB_ZERO_BASED))
		return false;
	if ((rights & WINDOW_WRITES) && !(r->rights & URD_RIGHT_LOCAL_WRITE))
		return false;
	return urd_range_ok(r->base, r->len, wqe->bind.addr, wqe->bind.length);
}

static bool mr_add_window(struct urd_mr *mr, const struct urd_qp *qp,
			  const struct urd_swqe *wqe, u32 rights)
{
	bool ok;

	spin_lock_bh(&mr->lock);
	ok = mr->region.pd == qp->ibqp.pd && mr_allows(mr, wqe, rights);
	if (ok)
		mr->windows++;
	spin_unlock_bh(&mr->lock);
	return ok;
}

static void mr_drop_window(struct urd_mr *mr)
{
	spin_lock_bh(&mr->lock);
	mr->windows--;
	spin_unlock_bh(&mr->lock);
}

/*
 * May the window be bound, or unbound by a length of zero? mw->lock is held.
 * The consumer chooses the key's last byte freely (fault M07). Type 2 must be
 * unbound before, and is unbound by invalidation only (10.6.7.2.2).
 */
static bool mw_allows(const struct urd_mw *mw, const struct urd_qp *qp,
		      const struct urd_swqe *wqe)
{
	const struct urd_region *r = &mw->region;

	if (r->pd != qp->ibqp.pd || r->key != wqe->bind.mw_rkey ||
	    (r->key ^ wqe->bind.new_rkey) >> 8)
		return false;
	if (mw->ibmw.type == IB_MW_TYPE_2)
		return !r->valid && wqe->bind.length;
	return true;
}

/* @mr already counts the window; NULL closes it. */
static bool mw_set(struct urd_mw *mw, const struct urd_qp *qp,
		   const struct urd_swqe *wqe, struct urd_mr *mr, u32 rights)
{
	struct urd_region *r = &mw->region;
	bool ok;

	spin_lock_bh(&mw->lock);
	ok = mw_allows(mw, qp, wqe);
	if (!ok)
		goto out;
	unbind(mw);
	r->key = wqe->bind.new_rkey;
	if (!mr)
		goto out;
	mw->mr = mr;
	mw->shift = wqe->bind.access & IB_ZERO_BASED ? wqe->bind.addr : 0;
	r->qpn = mw->ibmw.type == IB_MW_TYPE_2 ? qp->ibqp.qp_num : 0;
	r->base = wqe->bind.addr - mw->shift;
	r->len = wqe->bind.length;
	r->rights = rights;
	r->valid = true;
out:
	spin_unlock_bh(&mw->lock);
	return ok;
}

static int bind(struct urd_qp *qp, const struct urd_swqe *wqe, struct urd_mw *mw)
{
	struct urd_ref *ref;
	bool ok = false;
	u32 rights;

	if (urd_rights(wqe->bind.access, &rights))
		return IB_WC_MW_BIND_ERR;
	rights &= WINDOW_RIGHTS;
	if (!wqe->bind.length)
		return mw_set(mw, qp, wqe, NULL, 0) ? IB_WC_SUCCESS : IB_WC_MW_BIND_ERR;

	ref = urd_ref_find(&qp->dev->keys, wqe->bind.mr_lkey >> 8);
	if (!ref)
		return IB_WC_MW_BIND_ERR;
	if (ref->kind == URD_KEY_MR && mr_add_window(ref->obj, qp, wqe, rights)) {
		ok = mw_set(mw, qp, wqe, ref->obj, rights);
		if (!ok)
			mr_drop_window(ref->obj);
	}
	urd_ref_put(ref);
	return ok ? IB_WC_SUCCESS : IB_WC_MW_BIND_ERR;
}

int urd_mw_bind(struct urd_qp *qp, const struct urd_swqe *wqe)
{
	struct urd_ref *ref = urd_ref_find(&qp->dev->keys, wqe->bind.mw_rkey >> 8);
	int status = IB_WC_MW_BIND_ERR;

	if (!ref)
		return status;
	if (ref->kind == URD_KEY_MW)
		status = bind(qp, wqe, ref->obj);
	urd_ref_put(ref);
	return status;
}

/* Type 2 only, bound, and by the QP it is bound to (10.6.7.2.3, 10.6.5). */
int urd_mw_invalidate(struct urd_qp *qp, struct urd_mw *mw, u32 key, bool remote)
{
	const struct urd_region *r = &mw->region;
	int status = IB_WC_MW_BIND_ERR;

	spin_lock_bh(&mw->lock);
	if (mw->ibmw.type == IB_MW_TYPE_2 && r->valid && r->key == key &&
	    r->pd == qp->ibqp.pd && r->qpn == qp->ibqp.qp_num) {
		unbind(mw);
		status = IB_WC_SUCCESS;
	}
	spin_unlock_bh(&mw->lock);
	return status;
}
