// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions (IBTA volume 1, 10.6): keys, rights, and the way from a key
 * and an address to memory. The rules themselves are in proto/access.c.
 *
 * A region is found by RCU and held by its handle for as long as somebody works
 * on its memory; deregistration hides the key and waits for the last holder.
 * The pages of a user or DMA MR never change, so that access to them takes no
 * lock; re-registration of a user MR changes single words of its region.
 */
#include <linux/random.h>

#include "mr.h"
#include "verbs.h"

/* ---- rights ------------------------------------------------------------ */

static const struct {
	int access;
	u32 right;
} right_of[] = {
	{ IB_ACCESS_LOCAL_WRITE,	URD_RIGHT_LOCAL_WRITE },
	{ IB_ACCESS_REMOTE_WRITE,	URD_RIGHT_REMOTE_WRITE },
	{ IB_ACCESS_REMOTE_READ,	URD_RIGHT_REMOTE_READ },
	{ IB_ACCESS_REMOTE_ATOMIC,	URD_RIGHT_REMOTE_ATOMIC },
#ifdef URD_HAVE_VERBS_FLUSH
	{ IB_ACCESS_FLUSH_GLOBAL,	URD_RIGHT_FLUSH_GLOBAL },
#endif
	/* allowed, and no right to anything by themselves */
	{ IB_ACCESS_MW_BIND,		0 },
	{ IB_ZERO_BASED,		0 },
	{ IB_ACCESS_HUGETLB,		0 },
};

int urd_rights(int access, u32 *rights)
{
	size_t i;

	*rights = 0;
	if (access & IB_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	access &= ~IB_ACCESS_OPTIONAL;
	for (i = 0; i < ARRAY_SIZE(right_of); i++) {
		if (access & right_of[i].access)
			*rights |= right_of[i].right;
		access &= ~right_of[i].access;
	}
	return access ? -EINVAL : 0;
}

/* ---- life -------------------------------------------------------------- */

struct urd_mr *urd_mr_alloc(struct ib_pd *ibpd, enum urd_mr_type type)
{
	struct urd_dev *dev = to_urd_dev(ibpd->device);
	struct urd_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->type = type;
	spin_lock_init(&mr->lock);
	mr->ibmr.device = ibpd->device;
	mr->region.pd = ibpd;
	mr->ref = urd_ref_alloc(mr, URD_KEY_MR, GFP_KERNEL);
	if (!mr->ref) {
		err = -ENOMEM;
		goto err_mr;
	}
	err = urd_limit_get(dev, URD_LIM_MR, type == URD_MR_USER);
	if (err)
		goto err_ref;
	err = urd_key_reserve(dev, &mr->region.key);
	if (err)
		goto err_limit;
	mr->ibmr.lkey = mr->region.key;
	mr->ibmr.rkey = mr->region.key;
	return mr;

err_limit:
	urd_limit_put(dev, URD_LIM_MR, type == URD_MR_USER);
err_ref:
	urd_ref_kill(mr->ref);
err_mr:
	kfree(mr);
	return ERR_PTR(err);
}

void urd_mr_publish(struct urd_mr *mr)
{
	urd_key_publish(to_urd_dev(mr->ibmr.device), mr->region.key, mr->ref);
}

void urd_mr_free(struct urd_mr *mr)
{
	struct urd_dev *dev = to_urd_dev(mr->ibmr.device);

	urd_key_hide(dev, mr->region.key);
	urd_ref_kill(mr->ref);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->tbl[0].addr);
	kvfree(mr->tbl[1].addr);
	urd_limit_put(dev, URD_LIM_MR, mr->type == URD_MR_USER);
	kfree(mr);
}

struct ib_mr *urd_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct urd_mr *mr;
	u32 rights;
	int err;

	err = urd_rights(access, &rights);
	if (err)
		return ERR_PTR(err);
	mr = urd_mr_alloc(ibpd, URD_MR_DMA);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->access = access;
	mr->region.rights = rights;
	mr->region.len = U64_MAX;
	mr->region.valid = true;
	urd_mr_publish(mr);
	return &mr->ibmr;
}

static struct urd_mr *reg_user(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			       int access)
{
	struct urd_mr *mr;
	u32 rights;
	u64 last;
	int err;

	err = urd_rights(access, &rights);
	if (err)
		return ERR_PTR(err);
	if (access & IB_ZERO_BASED)
		iova = 0;
	if (!length || check_add_overflow(iova, length - 1, &last))
		return ERR_PTR(-EINVAL);

	mr = urd_mr_alloc(ibpd, URD_MR_USER);
	if (IS_ERR(mr))
		return mr;
	err = urd_mr_pin(mr, start, length, access);
	if (err) {
		urd_mr_free(mr);
		return ERR_PTR(err);
	}
	mr->access = access;
	mr->region.rights = rights;
	mr->region.base = iova;
	mr->region.len = length;
	mr->region.valid = true;
	urd_mr_publish(mr);
	return mr;
}

#ifdef URD_HAVE_REG_USER_MR_DMAH
struct ib_mr *urd_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			      int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct urd_mr *mr;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	mr = reg_user(ibpd, start, length, iova, access);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}
#else
struct ib_mr *urd_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			      int access, struct ib_udata *udata)
{
	struct urd_mr *mr = reg_user(ibpd, start, length, iova, access);

	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}
#endif

/*
 * Other rights or another PD for the same pinned pages. Readers take no lock:
 * they see the old word or the new one.
 */
static int rereg_in_place(struct urd_mr *mr, int flags, int access, struct ib_pd *ibpd)
{
	u32 rights = 0;
	int err;

	if (flags & IB_MR_REREG_ACCESS) {
		err = urd_rights(access, &rights);
		if (err)
			return err;
		if ((access ^ mr->access) & IB_ZERO_BASED)
			return -EINVAL;
	}
	spin_lock_bh(&mr->lock);
	if (mr->windows) {
		spin_unlock_bh(&mr->lock);
		return -EBUSY;
	}
	if (flags & IB_MR_REREG_ACCESS) {
		mr->access = access;
		WRITE_ONCE(mr->region.rights, rights);
	}
	if (flags & IB_MR_REREG_PD)
		WRITE_ONCE(mr->region.pd, ibpd);
	spin_unlock_bh(&mr->lock);
	return 0;
}

/*
 * Return: NULL when @ibmr was changed, else a new MR with a new key; the core
 * then deregisters the old one.
 */
struct ib_mr *urd_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				u64 iova, int access, struct ib_pd *ibpd,
				struct ib_udata *udata)
{
	struct urd_mr *mr = to_urd_mr(ibmr);
	struct urd_mr *new;
	int err;

	if (!(flags & IB_MR_REREG_PD))
		ibpd = ibmr->pd;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_TRANS)) {
		/* Pages pinned for reading cannot become writable in place. */
		if (mr->umem->writable || !ib_access_writable(access)) {
			err = rereg_in_place(mr, flags, access, ibpd);
			return err ? ERR_PTR(err) : NULL;
		}
		start = mr->umem->address;
		length = mr->region.len;
		iova = mr->region.base;
	}
	new = reg_user(ibpd, start, length, iova, access);
	if (IS_ERR(new))
		return ERR_CAST(new);
	/* The core copies neither of them to an MR that rereg returned. */
	new->ibmr.iova = iova;
	new->ibmr.length = length;
	return &new->ibmr;
}

/* A region with windows bound to it stays, as ibv_dereg_mr(3) says. */
int urd_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct urd_mr *mr = to_urd_mr(ibmr);
	bool busy;

	spin_lock_bh(&mr->lock);
	busy = mr->windows;
	if (!busy)
		mr->region.valid = false;
	spin_unlock_bh(&mr->lock);
	if (busy)
		return -EBUSY;
	urd_mr_free(mr);
	return 0;
}

/* ---- access ------------------------------------------------------------ */

static enum urd_access mr_span(struct urd_qp *qp, struct urd_mr *mr, u32 key,
			       bool remote, u64 addr, u64 len, u32 need,
			       struct urd_span *span)
{
	struct urd_region copy;
	const struct urd_region *r = &mr->region;
	enum urd_access err;
	u32 cur = 0;

	if (mr->type == URD_MR_FAST) {
		spin_lock_bh(&mr->lock);
		copy = mr->region;
		cur = mr->cur;
		spin_unlock_bh(&mr->lock);
		r = &copy;
	}
	err = urd_access_check(r, key, qp->ibqp.pd, 0, addr, len, need);
	/* WQEs of an SRQ are checked against the SRQ's PD (10.2.9.1). */
	if (err == URD_ACCESS_PD && !remote && qp->srq)
		err = urd_access_check(r, key, qp->srq->ibsrq.pd, 0, addr, len, need);
	if (err != URD_ACCESS_OK)
		return err;
	span->mr = mr;
	span->pages = mr->type == URD_MR_DMA ? NULL : &mr->tbl[cur];
	span->base = r->base;
	return URD_ACCESS_OK;
}

enum urd_access urd_span_get(struct urd_qp *qp, u32 key, bool remote, u64 addr,
			     u64 len, u32 need, struct urd_span *span)
{
	enum urd_access err;
	struct urd_ref *ref;

	memset(span, 0, sizeof(*span));
	if (!len)
		return URD_ACCESS_OK;
	/* Local DMA lkey: all memory, no region; never a user's. */
	if (!key && !remote && !qp->is_user)
		return URD_ACCESS_OK;

	ref = urd_ref_find(&qp->dev->keys, key >> 8);
	if (!ref)
		return URD_ACCESS_STATE;
	if (ref->kind == URD_KEY_MR)
		err = mr_span(qp, ref->obj, key, remote, addr, len, need, span);
	else if (remote)
		err = urd_mw_span(qp, ref->obj, key, addr, len, need, span);
	else
		err = URD_ACCESS_KEY;
	/* The span of an MR keeps the hold, that of a window has its own. */
	if (err != URD_ACCESS_OK || ref->kind != URD_KEY_MR)
		urd_ref_put(ref);
	return err;
}

enum urd_access urd_key_rights(struct urd_qp *qp, u32 rkey, u32 need)
{
	struct urd_ref *ref = urd_ref_find(&qp->dev->keys, rkey >> 8);
	struct urd_span span = {};
	enum urd_access err;

	if (!ref)
		return URD_ACCESS_STATE;
	if (ref->kind == URD_KEY_MR) {
		struct urd_mr *mr = ref->obj;

		err = mr_span(qp, mr, rkey, true, mr->region.base, 0, need, &span);
	} else {
		struct urd_mw *mw = ref->obj;

		err = urd_mw_span(qp, mw, rkey, mw->region.base, 0, need, &span);
		if (err == URD_ACCESS_OK)
			urd_span_put(&span);
	}
	urd_ref_put(ref);
	return err;
}

void *urd_span_at(const struct urd_span *span, u64 addr, u64 *contig)
{
	const struct urd_pages *pages = span->pages;
	u64 offset, in_page;

	if (!pages) {
		*contig = U64_MAX - addr;
		return (void *)(uintptr_t)addr;
	}
	offset = addr - span->base + pages->offset;
	in_page = offset & ((1ULL << pages->page_shift) - 1);
	*contig = (1ULL << pages->page_shift) - in_page;
	return (void *)(uintptr_t)(pages->addr[offset >> pages->page_shift] + in_page);
}

/* ---- invalidation ------------------------------------------------------ */

static int invalidate(struct urd_qp *qp, u32 key, bool remote)
{
	struct urd_ref *ref = urd_ref_find(&qp->dev->keys, key >> 8);
	int status;

	if (!ref)
		return IB_WC_MW_BIND_ERR;
	if (ref->kind == URD_KEY_MR)
		status = urd_mr_invalidate(qp, ref->obj, key, remote);
	else
		status = urd_mw_invalidate(qp, ref->obj, key, remote);
	urd_ref_put(ref);
	return status;
}

int urd_key_invalidate_local(struct urd_qp *qp, u32 key)
{
	return invalidate(qp, key, false);
}

int urd_key_invalidate_remote(struct urd_qp *qp, u32 rkey)
{
	return invalidate(qp, rkey, true);
}
