// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive queues: taking a WQE from an RQ or an SRQ, and the verbs of SRQs
 * (IBTA volume 1, 10.2.9).
 *
 * The ring may be user memory. A WQE is read once into struct urd_rwqe, the
 * copy is checked, and the slot is given back at once: nothing looks at the
 * ring's bytes again. An RQ's consumer holds qp->lock, an SRQ's srq->lock.
 */
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "proto/ring.h"
#include "proto/wire.h"
#include "qp.h"
#include "udata.h"
#include "verbs.h"

/* One resize at a time: the ring that is copied from must not go. */
static DEFINE_MUTEX(resize_mutex);

/* ---- taking a WQE ------------------------------------------------------ */

/* Copy the SGEs, then judge the copy. */
static int take_sges(struct urd_rwqe *rwqe, const struct urd_rqe *src, u32 num_sge,
		     u32 max_sge)
{
	u64 length = 0;
	u32 i;

	if (num_sge > max_sge)
		return -EINVAL;
	memcpy(rwqe->sge, src + 1, num_sge * sizeof(*rwqe->sge));
	barrier(); /* the checks below must not load from the ring again */
	for (i = 0; i < num_sge; i++)
		length += rwqe->sge[i].length;
	if (length > URD_MAX_MSG)
		return -EINVAL;
	rwqe->num_sge = num_sge;
	rwqe->length = length;
	rwqe->valid = true;
	return 0;
}

/* Return: WQEs left, or as urd_rq_take(). */
static int take(struct urd_dev *dev, struct urd_ring *ring, u32 max_sge,
		struct urd_rwqe *rwqe)
{
	const struct urd_rqe *src;
	u32 prod, avail;
	int err;

	rwqe->valid = false;
	rwqe->wr_id = 0;
	rwqe->num_sge = 0;
	rwqe->length = 0;

	/* Pairs with the poster's release of prod: the WQE is complete. */
	prod = smp_load_acquire(&ring->hdr->prod);
	if (!urd_ring_avail(prod, ring->index, ring->depth, &avail)) {
		urd_count(dev, hostile_index);
		return -EINVAL;
	}
	if (!avail)
		return -EAGAIN;

	src = urd_ring_entry(ring, ring->index);
	rwqe->wr_id = READ_ONCE(src->wr_id);
	err = take_sges(rwqe, src, READ_ONCE(src->num_sge), max_sge);
	ring->index++;
	/* Pairs with the poster's acquire of cons: the slot may be reused. */
	smp_store_release(&ring->hdr->cons, ring->index);
	if (err) {
		urd_count(dev, bad_wqe);
		return err;
	}
	return avail - 1;
}

int urd_rq_take(struct urd_qp *qp, struct urd_rwqe *rwqe, bool *srq_limit)
{
	struct urd_srq *srq = qp->srq;
	unsigned long irq;
	int left;

	if (!srq) {
		left = take(qp->dev, &qp->rq.ring, qp->rq.max_sge, rwqe);
		return min(left, 0);
	}

	spin_lock_irqsave(&srq->lock, irq);
	left = take(qp->dev, &srq->ring, srq->max_sge, rwqe);
	/* Once: the consumer arms it again with the next limit (11.2.3.3). */
	if (left >= 0 && (u32)left < srq->limit) {
		srq->limit = 0;
		*srq_limit = true;
	}
	spin_unlock_irqrestore(&srq->lock, irq);
	return min(left, 0);
}

/*
 * Where the user's prod is nonsense it is taken at its word: the ring is empty
 * there.
 */
void urd_rq_reset(struct urd_qp *qp)
{
	struct urd_ring *ring = &qp->rq.ring;

	if (!ring->hdr)
		return;
	ring->index = READ_ONCE(ring->hdr->prod);
	WRITE_ONCE(ring->hdr->flags, 0);
	/* Pairs with the poster's acquire of cons. */
	smp_store_release(&ring->hdr->cons, ring->index);
}

/* ---- verbs ------------------------------------------------------------- */

static u32 rqe_stride(u32 max_sge)
{
	return sizeof(struct urd_rqe) + max_sge * sizeof(struct urd_sge);
}

int urd_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata)
{
	struct urd_dev *dev = to_urd_dev(ibsrq->device);
	struct urd_srq *srq = to_urd_srq(ibsrq);
	struct ib_srq_attr *attr = &init->attr;
	struct urd_create_srq_resp resp = {};
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!attr->max_wr || attr->max_wr > URD_MAX_SRQ_WR ||
	    attr->max_sge > URD_MAX_SGE || attr->srq_limit > attr->max_wr)
		return -EINVAL;
	err = urd_udata_none(udata);
	if (err)
		return err;

	spin_lock_init(&srq->lock);
	spin_lock_init(&srq->post_lock);
	srq->is_user = udata;
	srq->max_sge = max(attr->max_sge, 1U);
	srq->srqn = urd_serial();

	err = urd_limit_get(dev, URD_LIM_SRQ, srq->is_user);
	if (err)
		return err;
	err = urd_ring_alloc(&srq->ring, roundup_pow_of_two(attr->max_wr),
			     rqe_stride(srq->max_sge), udata, &resp.ring);
	if (err)
		goto err_limit;
	resp.srqn = srq->srqn;
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;
	attr->max_wr = srq->ring.depth;
	attr->max_sge = srq->max_sge;
	return 0;

err_ring:
	urd_ring_free_mem(&srq->ring);
err_limit:
	urd_limit_put(dev, URD_LIM_SRQ, srq->is_user);
	return err;
}

int urd_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);

	urd_ring_free_mem(&srq->ring);
	urd_limit_put(to_urd_dev(ibsrq->device), URD_LIM_SRQ, srq->is_user);
	return 0;
}

/*
 * Exchange srq->ring and @new, with the WQEs that were posted and not taken.
 * No WQE may be posted meanwhile; those of a user that does so are lost.
 */
static int swap_rings(struct urd_srq *srq, struct urd_ring *new)
{
	struct urd_ring *ring = &srq->ring;
	unsigned long irq;
	u32 prod, count, i;
	bool ok;

	spin_lock_irqsave(&srq->lock, irq);
	i = ring->index;
	/* Pairs with the poster's release of prod. */
	prod = smp_load_acquire(&ring->hdr->prod);
	ok = urd_ring_avail(prod, i, ring->depth, &count) && count <= new->depth;
	spin_unlock_irqrestore(&srq->lock, irq);
	if (!ok)
		return -EINVAL;

	for (; i != prod; i++)
		memcpy(urd_ring_entry(new, i), urd_ring_entry(ring, i), ring->stride);

	spin_lock_irqsave(&srq->lock, irq);
	ok = urd_ring_avail(prod, ring->index, ring->depth, &count);
	if (ok) {
		new->index = ring->index;
		new->hdr->cons = ring->index;
		new->hdr->prod = prod;
		swap(*ring, *new);
	}
	spin_unlock_irqrestore(&srq->lock, irq);
	return ok ? 0 : -EINVAL;
}

static int swap_any(struct urd_srq *srq, struct urd_ring *new)
{
	int err;

	mutex_lock(&resize_mutex);
	if (srq->is_user) {
		err = swap_rings(srq, new);
	} else {
		spin_lock_irq(&srq->post_lock);
		err = swap_rings(srq, new);
		spin_unlock_irq(&srq->post_lock);
	}
	mutex_unlock(&resize_mutex);
	return err;
}

static int srq_resize(struct urd_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct urd_modify_srq_req req;
	struct urd_ring_info info;
	struct urd_ring ring;
	int err;

	if (!max_wr || max_wr > URD_MAX_SRQ_WR)
		return -EINVAL;
	err = urd_udata_in(udata, &req, sizeof(req));
	if (err)
		return err;
	if (req.comp_mask)
		return -EOPNOTSUPP;
	if (req.reserved)
		return -EINVAL;

	err = urd_ring_alloc(&ring, roundup_pow_of_two(max_wr), srq->ring.stride,
			     udata, &info);
	if (err)
		return err;
	/* Answer first: what cannot fail any more comes last (fault A08). */
	if (udata && copy_to_user(u64_to_user_ptr(req.ring_addr), &info, sizeof(info)))
		err = -EFAULT;
	if (!err)
		err = swap_any(srq, &ring);
	/* The new ring after a failure, else the old one. */
	urd_ring_free_mem(&ring);
	return err;
}

int urd_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);
	u32 depth = srq->ring.depth;
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_MAX_WR)
		depth = attr->max_wr;
	if ((mask & IB_SRQ_LIMIT) && attr->srq_limit > depth)
		return -EINVAL;

	if (mask & IB_SRQ_MAX_WR) {
		err = srq_resize(srq, attr->max_wr, udata);
		if (err)
			return err;
	}
	if (mask & IB_SRQ_LIMIT) {
		spin_lock_irq(&srq->lock);
		srq->limit = attr->srq_limit;
		spin_unlock_irq(&srq->lock);
	}
	return 0;
}

int urd_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->ring.depth;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}
