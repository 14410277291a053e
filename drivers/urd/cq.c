// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues (IBTA volume 1, 11.2.8 and 11.4.2).
 *
 * A ring of struct urd_cqe in memory that user space polls by itself; kernel
 * consumers poll the same layout through urd_poll_cq(). cq->lock orders
 * producers; handlers are never called under it. What user space writes into
 * the header is a hint to wake it up and a claim of free room, no more.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mutex.h>

#include "cq.h"
#include "proto/ring.h"
#include "udata.h"
#include "verbs.h"

/* ---- production -------------------------------------------------------- */

/*
 * Is a handler due for @cqe? Disarms if so. Whoever arms sets the flag, then a
 * full barrier, then looks at prod; here prod was stored, then the barrier,
 * then the flag is looked at: one of the two sees the other (fault CQ04).
 */
static bool disarm(struct urd_cq *cq, const struct urd_cqe *cqe)
{
	u32 *flags = cq->is_user ? &cq->ring.hdr->flags : &cq->armed;
	u32 wake = URD_CQ_ARM_NEXT;

	if ((cqe->flags & URD_CQE_SOLICITED) || cqe->status != IB_WC_SUCCESS)
		wake |= URD_CQ_ARM_SOLICITED;
	smp_mb(); /* pairs with the poller's barrier after arming */
	if (!(READ_ONCE(*flags) & wake))
		return false;
	return xchg(flags, 0) & wake;
}

bool urd_cq_push(struct urd_cq *cq, const struct urd_cqe *cqe)
{
	struct urd_ring *ring = &cq->ring;
	unsigned long irq;
	bool due = false;
	struct urd_cqe c = *cqe;
	u32 cons;

	c.timestamp = ktime_get_ns();
	if (cq->is_user)
		c.qp_ptr = 0;

	spin_lock_irqsave(&cq->lock, irq);
	if (cq->dead)
		goto out;
	/* Pairs with the poller's release of cons: it is done with the slot. */
	cons = smp_load_acquire(&ring->hdr->cons);
	if (!urd_ring_free(ring->index, cons, ring->depth)) {
		cq->dead = true;
		urd_count(to_urd_dev(cq->ibcq.device), cq_overflow);
		queue_work(urd_wq, &cq->overflow_work);
		goto out;
	}
	memcpy(urd_ring_entry(ring, ring->index), &c, sizeof(c));
	ring->index++;
	/* Pairs with the poller's acquire of prod: the entry is complete. */
	smp_store_release(&ring->hdr->prod, ring->index);
	due = disarm(cq, &c);
out:
	spin_unlock_irqrestore(&cq->lock, irq);
	return due;
}

void urd_cq_notify(struct urd_cq *cq)
{
	if (cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* ---- overflow ---------------------------------------------------------- */

/*
 * The list is moved aside and back, one QP at a time, so that the lock can be
 * dropped for each of them and the pass still ends. Whoever detaches meanwhile
 * takes its link off whichever list it is on.
 */
static void fail_qps(struct urd_cq *cq)
{
	struct urd_cq_link *link;
	struct urd_ref *ref;
	LIST_HEAD(todo);

	spin_lock_bh(&cq->qps_lock);
	list_splice_init(&cq->qps, &todo);
	while (!list_empty(&todo)) {
		link = list_first_entry(&todo, struct urd_cq_link, list);
		list_move_tail(&link->list, &cq->qps);
		ref = link->qp->ref;
		if (!refcount_inc_not_zero(&ref->count))
			continue;
		spin_unlock_bh(&cq->qps_lock);
		urd_qp_fail(ref->obj, IB_EVENT_QP_FATAL);
		urd_ref_put(ref);
		spin_lock_bh(&cq->qps_lock);
	}
	spin_unlock_bh(&cq->qps_lock);
}

static void overflow_work(struct work_struct *work)
{
	struct urd_cq *cq = container_of(work, struct urd_cq, overflow_work);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	fail_qps(cq);
}

static void attach(struct urd_cq *cq, struct urd_cq_link *link, struct urd_qp *qp)
{
	link->qp = qp;
	spin_lock_bh(&cq->qps_lock);
	list_add_tail(&link->list, &cq->qps);
	spin_unlock_bh(&cq->qps_lock);
}

static void detach(struct urd_cq *cq, struct urd_cq_link *link)
{
	spin_lock_bh(&cq->qps_lock);
	list_del_init(&link->list);
	spin_unlock_bh(&cq->qps_lock);
}

void urd_cq_attach(struct urd_qp *qp)
{
	if (qp->scq)
		attach(qp->scq, &qp->scq_link, qp);
	if (qp->rcq && qp->rcq != qp->scq)
		attach(qp->rcq, &qp->rcq_link, qp);
}

void urd_cq_detach(struct urd_qp *qp)
{
	if (qp->scq)
		detach(qp->scq, &qp->scq_link);
	if (qp->rcq && qp->rcq != qp->scq)
		detach(qp->rcq, &qp->rcq_link);
}

/* ---- creation ---------------------------------------------------------- */

static int check_init(struct ib_device *ibdev, const struct ib_cq_init_attr *attr)
{
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > URD_MAX_CQE)
		return -EINVAL;
	if (attr->comp_vector >= ibdev->num_comp_vectors)
		return -EINVAL;
	return 0;
}

static int cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct urd_dev *dev = to_urd_dev(ibcq->device);
	struct urd_cq *cq = to_urd_cq(ibcq);
	struct urd_create_cq_resp resp = {};
	int err;

	err = check_init(ibcq->device, attr);
	if (!err)
		err = urd_udata_none(udata);
	if (err)
		return err;

	spin_lock_init(&cq->lock);
	spin_lock_init(&cq->qps_lock);
	INIT_LIST_HEAD(&cq->qps);
	INIT_WORK(&cq->overflow_work, overflow_work);
	cq->is_user = udata;

	err = urd_limit_get(dev, URD_LIM_CQ, cq->is_user);
	if (err)
		return err;
	err = urd_ring_alloc(&cq->ring, roundup_pow_of_two(attr->cqe),
			     sizeof(struct urd_cqe), udata, &resp.ring);
	if (err)
		goto err_limit;
	resp.cqn = urd_serial();
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_ring;
	ibcq->cqe = cq->ring.depth;
	return 0;

err_ring:
	urd_ring_free_mem(&cq->ring);
err_limit:
	urd_limit_put(dev, URD_LIM_CQ, cq->is_user);
	return err;
}

#ifdef URD_HAVE_CREATE_CQ_ATTRS
int urd_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs)
{
	return cq_create(ibcq, attr, attrs ? &attrs->driver_udata : NULL);
}
#else
int urd_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata)
{
	return cq_create(ibcq, attr, udata);
}
#endif

/* No QP completes here any more, so nothing can queue the work again. */
int urd_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct urd_cq *cq = to_urd_cq(ibcq);

	cancel_work_sync(&cq->overflow_work);
	urd_ring_free_mem(&cq->ring);
	urd_limit_put(to_urd_dev(ibcq->device), URD_LIM_CQ, cq->is_user);
	return 0;
}

/* ---- resize ------------------------------------------------------------ */

/* One at a time: the ring that is copied from must not go. */
static DEFINE_MUTEX(resize_mutex);

static void copy_cqes(const struct urd_ring *from, const struct urd_ring *to,
		      u32 first, u32 end)
{
	for (; first != end; first++)
		memcpy(urd_ring_entry(to, first), urd_ring_entry(from, first),
		       sizeof(struct urd_cqe));
}

/* Unpolled CQEs by the user's account: its claim may be nonsense. */
static int unpolled(const struct urd_ring *ring, const struct urd_ring *new,
		    u32 *cons)
{
	/* Pairs with the poller's release of cons. */
	*cons = smp_load_acquire(&ring->hdr->cons);
	if (ring->index - *cons > min(ring->depth, new->depth))
		return -EINVAL;
	return 0;
}

/*
 * A long queue is not copied under the lock: CQEs do not change once they are
 * written. (A kernel CQ's may be purged.) Return: what is copied up to.
 */
static u32 copy_early(struct urd_cq *cq, const struct urd_ring *new)
{
	u32 cons, end;
	int err;

	spin_lock_irq(&cq->lock);
	end = cq->ring.index;
	err = unpolled(&cq->ring, new, &cons);
	spin_unlock_irq(&cq->lock);
	if (!err)
		copy_cqes(&cq->ring, new, cons, end);
	return end;
}

/*
 * Exchange cq->ring and @new. A user does not poll while it resizes; if it
 * does all the same, it loses or repeats its own CQEs.
 */
static int swap_rings(struct urd_cq *cq, struct urd_ring *new)
{
	struct urd_ring *ring = &cq->ring;
	u32 cons, first = 0;
	int err;

	if (cq->is_user)
		first = copy_early(cq, new);
	spin_lock_irq(&cq->lock);
	err = unpolled(ring, new, &cons);
	if (err)
		goto out;
	copy_cqes(ring, new, cq->is_user ? first : cons, ring->index);
	new->index = ring->index;
	new->hdr->cons = cons;
	new->hdr->prod = ring->index;
	if (cq->is_user)
		new->hdr->flags = xchg(&ring->hdr->flags, 0);
	swap(*ring, *new);
	cq->ibcq.cqe = ring->depth;
out:
	spin_unlock_irq(&cq->lock);
	return err;
}

static int cq_resize(struct urd_cq *cq, u32 cqe, struct ib_udata *udata)
{
	struct urd_resize_cq_resp resp = {};
	struct urd_ring ring;
	int err;

	if (!cqe || cqe > URD_MAX_CQE)
		return -EINVAL;
	err = urd_udata_none(udata);
	if (err)
		return err;
	err = urd_ring_alloc(&ring, roundup_pow_of_two(cqe), sizeof(struct urd_cqe),
			     udata, &resp.ring);
	if (err)
		return err;
	/* Answer first: what cannot fail any more comes last. */
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (!err) {
		mutex_lock(&resize_mutex);
		err = swap_rings(cq, &ring);
		mutex_unlock(&resize_mutex);
	}
	/* The new ring after a failure, else the old one. */
	urd_ring_free_mem(&ring);
	return err;
}

#ifdef URD_HAVE_RESIZE_USER_CQ
int urd_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	return cq_resize(to_urd_cq(ibcq), cqe, udata);
}
#else
int urd_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	return cqe < 0 ? -EINVAL : cq_resize(to_urd_cq(ibcq), cqe, udata);
}
#endif

/* ---- arming ------------------------------------------------------------ */

int urd_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	struct urd_ring *ring = &cq->ring;
	unsigned long irq;
	u32 bits = URD_CQ_ARM_NEXT;
	int missed = 0;

	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED)
		bits = URD_CQ_ARM_SOLICITED;

	spin_lock_irqsave(&cq->lock, irq);
	/* The user may set a bit at the same moment: an atomic OR keeps both. */
	if (cq->is_user)
		atomic_or(bits, (atomic_t *)&ring->hdr->flags);
	else
		cq->armed |= bits;
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) &&
	    ring->index != READ_ONCE(ring->hdr->cons))
		missed = 1;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/* ---- polling by kernel consumers --------------------------------------- */

static const u8 wc_opcode[URD_WR_OP_COUNT] = {
	[URD_WR_SEND]		= IB_WC_SEND,
	[URD_WR_SEND_IMM]	= IB_WC_SEND,
	[URD_WR_SEND_INV]	= IB_WC_SEND,
	[URD_WR_WRITE]		= IB_WC_RDMA_WRITE,
	[URD_WR_WRITE_IMM]	= IB_WC_RDMA_WRITE,
	[URD_WR_READ]		= IB_WC_RDMA_READ,
	[URD_WR_CMP_SWP]	= IB_WC_COMP_SWAP,
	[URD_WR_FETCH_ADD]	= IB_WC_FETCH_ADD,
	[URD_WR_LOCAL_INV]	= IB_WC_LOCAL_INV,
	[URD_WR_REG_MR]		= IB_WC_REG_MR,
};

static void wc_recv(struct ib_wc *wc, const struct urd_cqe *cqe)
{
	wc->opcode = cqe->opcode == URD_WR_WRITE_IMM ? IB_WC_RECV_RDMA_WITH_IMM :
						       IB_WC_RECV;
	if (cqe->flags & URD_CQE_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)cqe->imm;
	} else if (cqe->flags & URD_CQE_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->imm;
	}
	if (cqe->flags & URD_CQE_GRH)
		wc->wc_flags |= IB_WC_GRH;
	if (cqe->network_hdr_type) {
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->network_hdr_type == 4 ?
			RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	}
}

static void wc_fill(struct ib_wc *wc, const struct urd_cqe *cqe)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = (struct ib_qp *)(uintptr_t)cqe->qp_ptr;
	wc->src_qp = cqe->src_qp;
	wc->pkey_index = cqe->pkey_index;
	wc->port_num = 1;
	if (cqe->flags & URD_CQE_RECV)
		wc_recv(wc, cqe);
	else
		wc->opcode = wc_opcode[cqe->opcode];
}

int urd_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	struct urd_ring *ring = &cq->ring;
	unsigned long irq;
	u32 cons;
	int n;

	/* A user polls its ring; the kernel reads nothing from it. */
	if (cq->is_user)
		return -EINVAL;

	spin_lock_irqsave(&cq->lock, irq);
	cons = ring->hdr->cons;
	for (n = 0; n < num && cons != ring->index; n++, cons++)
		wc_fill(&wc[n], urd_ring_entry(ring, cons));
	ring->hdr->cons = cons;
	spin_unlock_irqrestore(&cq->lock, irq);
	return n;
}

/* ---- CQEs of a QP that goes -------------------------------------------- */

static void purge(struct urd_cq *cq, const struct urd_qp *qp)
{
	struct urd_ring *ring;
	u32 from, to;
	unsigned long irq;

	if (!cq || cq->is_user)
		return;
	ring = &cq->ring;

	/* Move what stays towards the producer, the newest first. */
	spin_lock_irqsave(&cq->lock, irq);
	from = ring->index;
	to = ring->index;
	while (from != ring->hdr->cons) {
		const struct urd_cqe *cqe = urd_ring_entry(ring, --from);

		if (cqe->qp_ptr == (uintptr_t)&qp->ibqp)
			continue;
		if (--to != from)
			memcpy(urd_ring_entry(ring, to), cqe, sizeof(*cqe));
	}
	ring->hdr->cons = to;
	spin_unlock_irqrestore(&cq->lock, irq);
}

void urd_cq_purge(struct urd_qp *qp)
{
	purge(qp->scq, qp);
	if (qp->rcq != qp->scq)
		purge(qp->rcq, qp);
}
