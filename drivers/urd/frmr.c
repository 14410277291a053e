// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast-register memory regions of kernel consumers (IBTA volume 1, 10.6.3.3 and
 * 11.2.8.x "Fast Register Physical MR").
 *
 * map_sg fills the table that is not in force; REG_MR, executed in SQ order,
 * switches to it (fault M10). Addresses are kernel virtual, so a page of the
 * MR's own size is contiguous memory whatever that size is (fault M01).
 */
#include <linux/log2.h>

#include "mr.h"
#include "verbs.h"

static int alloc_table(struct urd_pages *pages, u32 max)
{
	pages->addr = kvcalloc(max, sizeof(*pages->addr), GFP_KERNEL);
	if (!pages->addr)
		return -ENOMEM;
	pages->max = max;
	pages->page_shift = PAGE_SHIFT;
	return 0;
}

struct ib_mr *urd_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg)
{
	struct urd_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > URD_MAX_FAST_REG_PAGES)
		return ERR_PTR(-EINVAL);

	mr = urd_mr_alloc(ibpd, URD_MR_FAST);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	err = alloc_table(&mr->tbl[0], max_num_sg);
	if (!err)
		err = alloc_table(&mr->tbl[1], max_num_sg);
	if (err) {
		urd_mr_free(mr);
		return ERR_PTR(err);
	}
	urd_mr_publish(mr);
	return &mr->ibmr;
}

static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct urd_mr *mr = to_urd_mr(ibmr);
	struct urd_pages *pages = &mr->tbl[!mr->cur];

	if (pages->count == pages->max)
		return -ENOMEM;
	pages->addr[pages->count++] = addr;
	return 0;
}

/* The consumer owns the MR between invalidation and REG_MR: no lock. */
int urd_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset)
{
	struct urd_mr *mr = to_urd_mr(ibmr);
	struct urd_pages *pages;
	int n;

	if (mr->type != URD_MR_FAST || !is_power_of_2(ibmr->page_size))
		return -EINVAL;
	pages = &mr->tbl[!mr->cur];
	mr->mapped = false;
	pages->count = 0;
	pages->page_shift = ilog2(ibmr->page_size);
	n = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, set_page);
	if (n < 0)
		return n;
	/* The consumer may choose another iova now, but not within the page. */
	pages->offset = ibmr->iova & (ibmr->page_size - 1);
	mr->mapped = true;
	return n;
}

/* REG_MR: the MR must be free (10.6.5), of the QP's PD, and own the key. */
int urd_mr_fast_reg(struct urd_qp *qp, struct urd_mr *mr, u32 key, int access)
{
	int status = IB_WC_MW_BIND_ERR;
	u32 rights;

	if (urd_rights(access, &rights) || mr->type != URD_MR_FAST)
		return status;

	spin_lock_bh(&mr->lock);
	if (mr->region.valid || mr->region.pd != qp->ibqp.pd ||
	    (mr->region.key ^ key) >> 8)
		goto out;
	if (mr->mapped) {
		mr->cur = !mr->cur;
		mr->mapped = false;
	}
	mr->access = access;
	mr->region.key = key;
	mr->region.base = mr->ibmr.iova;
	mr->region.len = mr->ibmr.length;
	mr->region.rights = rights;
	mr->region.valid = true;
	status = IB_WC_SUCCESS;
out:
	spin_unlock_bh(&mr->lock);
	return status;
}

/*
 * Local and remote invalidation (10.6.5). Invalidating a free MR again is not
 * an error for the owner; a peer must name a key that opens something to it.
 */
int urd_mr_invalidate(struct urd_qp *qp, struct urd_mr *mr, u32 key, bool remote)
{
	const u32 any_remote = URD_RIGHT_REMOTE_WRITE | URD_RIGHT_REMOTE_READ |
			       URD_RIGHT_REMOTE_ATOMIC;
	int status = IB_WC_MW_BIND_ERR;

	if (mr->type != URD_MR_FAST)
		return status;

	spin_lock_bh(&mr->lock);
	if (mr->region.key != key || mr->region.pd != qp->ibqp.pd)
		goto out;
	if (remote && !(mr->region.valid && (mr->region.rights & any_remote)))
		goto out;
	mr->region.valid = false;
	status = IB_WC_SUCCESS;
out:
	spin_unlock_bh(&mr->lock);
	return status;
}
