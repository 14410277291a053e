// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Engine of a QP: who may run it, what it does in one turn, and what is left
 * to be done once its lock is released.
 *
 * Ordering of the hand-over (urd_qp_kick() against the owner):
 *   kicker: queue the work, set PENDING, [A] full barrier, trylock
 *   owner:  unlock, [B] full barrier, look at PENDING
 * A pairs with B: either the trylock succeeds or the owner sees PENDING.
 */
#include <linux/delay.h>

#include "engine.h"
#include "local.h"
#include "tx.h"

#define TURN_BUDGET	32	/* skbs in and out of one turn in softirq */

void urd_engine_cqe(struct urd_qp *qp, struct urd_cq *cq, struct urd_cqe *cqe)
{
	if (!cq)
		return;
	cqe->qpn = qp->ibqp.qp_num;
	cqe->qp_ptr = qp->is_user ? 0 : (uintptr_t)&qp->ibqp;
	if (urd_cq_push(cq, cqe))
		qp->eng.notify |= cq == qp->scq ? URD_NOTIFY_SCQ : URD_NOTIFY_RCQ;
}

/* ---- which CPU transmits ------------------------------------------------- */

/*
 * veth and lo queue an skb on the CPU that sends it, so two CPUs that send for
 * one QP reorder its packets. One does until everything is acknowledged.
 */
bool urd_engine_tx_elsewhere(const struct urd_qp *qp)
{
	const struct urd_engine *eng = &qp->eng;

	if (eng->tx_cpu == smp_processor_id() || !cpu_online(eng->tx_cpu))
		return false;
	if (time_before_eq(jiffies, eng->bulk_until))
		return true;
	return qp->service == URD_SVC_RC && eng->req.una != eng->req.max_sent;
}

void urd_engine_move(struct urd_qp *qp)
{
	queue_work_on(qp->eng.tx_cpu, urd_cpu_wq, &qp->eng.move_work);
}

/* What is left of a turn goes on where its packets are. */
static void leave_to_work(struct urd_qp *qp)
{
	if (urd_engine_tx_elsewhere(qp))
		urd_engine_move(qp);
	else
		queue_work(urd_cpu_wq, &qp->eng.work);
}

/* ---- one turn ------------------------------------------------------------ */

/*
 * Requests wait in the backlog while a READ is being answered, because its
 * responses and what follows leave in PSN order. Responses never wait.
 */
static bool run_skb(struct urd_qp *qp, struct sk_buff *skb)
{
	struct urd_rx rx;

	while (urd_rx_next(qp, &rx, skb)) {
		if (!rx.pkt.op->is_request) {
			urd_comp_packet(qp, &rx);
			continue;
		}
		if (qp->eng.resp.read_active) {
			urd_skb_cb(skb)->off = rx.off;
			return false;
		}
		urd_resp_packet(qp, &rx);
	}
	kfree_skb(skb);
	return true;
}

static void run_backlog(struct urd_qp *qp, u32 *budget)
{
	struct urd_engine *eng = &qp->eng;
	struct sk_buff *skb;

	while (*budget && !eng->resp.read_active &&
	       (skb = __skb_dequeue(&eng->backlog))) {
		(*budget)--;
		if (!run_skb(qp, skb))
			__skb_queue_head(&eng->backlog, skb);
	}
}

/* First packet of the skb is a request that has to keep its place. */
static bool must_wait(struct urd_qp *qp, struct sk_buff *skb)
{
	struct urd_engine *eng = &qp->eng;
	u8 opcode;

	if (!eng->resp.read_active && skb_queue_empty(&eng->backlog))
		return false;
	if (skb_copy_bits(skb, urd_skb_cb(skb)->off, &opcode, 1))
		return false;
	return urd_opinfo[opcode].is_request;
}

static void run_inbox(struct urd_qp *qp, u32 *budget)
{
	struct urd_engine *eng = &qp->eng;
	struct sk_buff *skb;

	while (*budget && (skb = skb_dequeue(&eng->inbox))) {
		(*budget)--;
		if (must_wait(qp, skb) || !run_skb(qp, skb))
			__skb_queue_tail(&eng->backlog, skb);
	}
}

static bool has_work(const struct urd_qp *qp)
{
	const struct urd_engine *eng = &qp->eng;

	if (!skb_queue_empty(&eng->inbox))
		return true;
	if (urd_local_pending(qp) && !eng->resp.read_active)
		return true;
	if (test_bit(URD_ENG_TX_FULL, &eng->flags))
		return false;
	return eng->resp.read_active || !skb_queue_empty(&eng->backlog);
}

/* Return: true when something is left that nobody else will call us for. */
static bool run_turn(struct urd_qp *qp, u32 budget)
{
	bool more;

	if (test_bit(URD_ENG_DEAD, &qp->eng.flags)) {
		urd_local_bounce(qp);
		return false;
	}
	urd_comp_timers(qp);
	do {
		run_inbox(qp, &budget);
		more = urd_resp_read_run(qp, &budget);
		run_backlog(qp, &budget);
		urd_local_run(qp, &budget);
	} while (budget && more && has_work(qp));
	urd_resp_send_ack(qp);
	if (urd_req_run(qp, &budget))
		return true;
	return has_work(qp);
}

/* ---- after the turn ------------------------------------------------------ */

struct aftermath {
	u64 events;
	u8 notify;
	bool srq_limit;
	bool defer;
};

static void take_aftermath(struct urd_qp *qp, struct aftermath *a)
{
	struct urd_engine *eng = &qp->eng;

	*a = (struct aftermath){ eng->events, eng->notify, eng->srq_limit };
	eng->events = 0;
	eng->notify = 0;
	eng->srq_limit = false;
}

static void raise_event(struct urd_qp *qp, enum ib_event_type type)
{
	struct ib_event ev = {
		.device = &qp->dev->ibdev,
		.event = type,
		.element.qp = &qp->ibqp,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&ev, qp->ibqp.qp_context);
}

static void raise_srq_limit(struct urd_qp *qp)
{
	struct ib_event ev = {
		.device = &qp->dev->ibdev,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
		.element.srq = &qp->srq->ibsrq,
	};

	if (qp->srq->ibsrq.event_handler)
		qp->srq->ibsrq.event_handler(&ev, qp->srq->ibsrq.srq_context);
}

/* No lock is held. The QP is: by a handle, a verb in progress, or its work. */
static void do_aftermath(struct urd_qp *qp, const struct aftermath *a)
{
	u64 events = a->events;

	if (a->notify & URD_NOTIFY_SCQ)
		urd_cq_notify(qp->scq);
	if (a->notify & URD_NOTIFY_RCQ)
		urd_cq_notify(qp->rcq);
	if (a->srq_limit)
		raise_srq_limit(qp);
	for (; events; events &= events - 1)
		raise_event(qp, __ffs64(events));
}

static bool any_aftermath(const struct urd_engine *eng)
{
	return eng->events || eng->notify || eng->srq_limit;
}

/* ---- ownership ----------------------------------------------------------- */

/*
 * QPs that this CPU is to run once it holds no QP's lock. The outermost kick
 * of the CPU works the list off, so the local path never recurses, and leaves
 * what exceeds its bound to the work items.
 */
struct kicks {
	struct list_head list;
	bool running;
};

static DEFINE_PER_CPU(struct kicks, kicks);

#define KICKS_MAX	64

void urd_qp_kick_later(struct urd_qp *qp)
{
	struct kicks *k = this_cpu_ptr(&kicks);

	set_bit(URD_ENG_PENDING, &qp->eng.flags);
	/* Ordered after what the QP is to find; pairs with the clear_bit(). */
	smp_mb__before_atomic();
	if (test_and_set_bit(URD_ENG_KICK_QUEUED, &qp->eng.flags))
		return;
	refcount_inc(&qp->ref->count);
	list_add_tail(&qp->eng.kick_link, &k->list);
}

enum where { ANYWHERE, IN_KERNEL_POST };

static void kick_one(struct urd_qp *qp, enum where where);

static void run_kicks(struct kicks *k, enum where where)
{
	int left = KICKS_MAX;

	while (!list_empty(&k->list)) {
		struct urd_qp *qp = list_first_entry(&k->list, struct urd_qp,
						     eng.kick_link);

		list_del(&qp->eng.kick_link);
		clear_bit(URD_ENG_KICK_QUEUED, &qp->eng.flags);
		smp_mb__after_atomic();	/* clear, then look for work */
		if (where == IN_KERNEL_POST || left-- <= 0)
			queue_work(urd_cpu_wq, &qp->eng.work);
		else
			kick_one(qp, where);
		urd_ref_put(qp->ref);
	}
}

static void kick(struct urd_qp *qp, enum where where)
{
	struct kicks *k;

	local_bh_disable();
	k = this_cpu_ptr(&kicks);
	kick_one(qp, where);
	if (!k->running) {
		k->running = true;
		run_kicks(k, where);
		k->running = false;
	}
	local_bh_enable();
}

static void kick_one(struct urd_qp *qp, enum where where)
{
	struct urd_engine *eng = &qp->eng;
	struct aftermath after = {};
	bool more = false, deferred;
	int turns = 0;

	set_bit(URD_ENG_PENDING, &eng->flags);
	smp_mb__after_atomic();	/* A, pairs with B */
	while (!more && test_bit(URD_ENG_PENDING, &eng->flags) &&
	       spin_trylock(&qp->lock)) {
		clear_bit(URD_ENG_PENDING, &eng->flags);
		smp_mb__after_atomic();	/* clear, then look for work */
		more = run_turn(qp, TURN_BUDGET) || ++turns > 4;
		deferred = where == IN_KERNEL_POST && any_aftermath(eng);
		if (!deferred)
			take_aftermath(qp, &after);
		more |= deferred;
		spin_unlock(&qp->lock);
		if (!deferred)
			do_aftermath(qp, &after);
		smp_mb();	/* B, pairs with A */
	}
	if (more && !test_bit(URD_ENG_DEAD, &eng->flags))
		leave_to_work(qp);
}

void urd_qp_kick(struct urd_qp *qp)
{
	kick(qp, ANYWHERE);
}

void urd_qp_kick_from_post(struct urd_qp *qp)
{
	kick(qp, IN_KERNEL_POST);
}

static void engine_work(struct work_struct *work)
{
	kick(container_of(work, struct urd_qp, eng.work), ANYWHERE);
}

static void engine_move_work(struct work_struct *work)
{
	kick(container_of(work, struct urd_qp, eng.move_work), ANYWHERE);
}

void urd_qp_lock(struct urd_qp *qp)
	__acquires(&qp->lock)
{
	spin_lock_bh(&qp->lock);
}

void urd_qp_unlock(struct urd_qp *qp)
	__releases(&qp->lock)
{
	struct aftermath after;

	take_aftermath(qp, &after);
	spin_unlock_bh(&qp->lock);
	do_aftermath(qp, &after);
	smp_mb();	/* B, pairs with A */
	if (test_bit(URD_ENG_PENDING, &qp->eng.flags))
		urd_qp_kick(qp);
}

/* ---- events and the error state ------------------------------------------ */

void urd_qp_event(struct urd_qp *qp, enum ib_event_type event)
{
	qp->eng.events |= BIT_ULL(event);
}

static void flush_rwqe(struct urd_qp *qp, struct urd_rwqe *rwqe)
{
	struct urd_cqe cqe = {
		.wr_id = rwqe->wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = URD_WR_SEND,
		.flags = URD_CQE_RECV,
	};

	rwqe->valid = false;
	urd_engine_cqe(qp, qp->rcq, &cqe);
}

/*
 * A user posts receives without a system call, so in the error state the ring
 * asks for a doorbell: flag, full barrier, then flush up to prod.
 */
static void flush_rq(struct urd_qp *qp)
{
	struct urd_rwqe *rwqe = &qp->eng.resp.rwqe;
	bool limit = false;
	int ret;

	if (rwqe->valid)
		flush_rwqe(qp, rwqe);
	if (qp->srq || !qp->rq.ring.hdr)
		return;
	WRITE_ONCE(qp->rq.ring.hdr->flags, URD_RQ_DOORBELL);
	smp_mb();
	do {
		ret = urd_rq_take(qp, rwqe, &limit);
		if (ret != -EAGAIN)
			flush_rwqe(qp, rwqe);
	} while (!ret);
}

void urd_qp_flush(struct urd_qp *qp)
{
	urd_req_pull(qp);
	/* A flushed WQE's memory is the consumer's again: not before it is. */
	if (!qp->eng.local.out)
		urd_comp_flush_sq(qp);
	if (qp->state == IB_QPS_ERR)
		flush_rq(qp);
}

void urd_qp_set_error(struct urd_qp *qp)
{
	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_RESET)
		return;
	qp->state = IB_QPS_ERR;
	qp->attr.qp_state = IB_QPS_ERR;
	qp->eng.resp.read_active = false;
	if (qp->srq)
		urd_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	urd_qp_flush(qp);
}

void urd_qp_fail(struct urd_qp *qp, enum ib_event_type event)
{
	urd_qp_lock(qp);
	if (qp->state != IB_QPS_ERR && qp->state != IB_QPS_RESET) {
		urd_qp_set_error(qp);
		urd_qp_event(qp, event);
	}
	urd_qp_unlock(qp);
}

int urd_engine_init_module(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu_ptr(&kicks, cpu)->list);
	return 0;
}

/* ---- life ---------------------------------------------------------------- */

static void retrans_timeout(struct timer_list *t)
{
	struct urd_qp *qp = container_of(t, struct urd_qp, eng.req.retrans_timer);

	WRITE_ONCE(qp->eng.req.timed_out, true);
	urd_qp_kick(qp);
}

static void rnr_timeout(struct timer_list *t)
{
	struct urd_qp *qp = container_of(t, struct urd_qp, eng.req.rnr_timer);

	WRITE_ONCE(qp->eng.req.rnr_expired, true);
	urd_qp_kick(qp);
}

void urd_engine_init(struct urd_qp *qp)
{
	struct urd_engine *eng = &qp->eng;

	spin_lock_init(&qp->lock);
	skb_queue_head_init(&eng->inbox);
	__skb_queue_head_init(&eng->backlog);
	INIT_WORK(&eng->work, engine_work);
	INIT_WORK(&eng->move_work, engine_move_work);
	timer_setup(&eng->req.retrans_timer, retrans_timeout, 0);
	timer_setup(&eng->req.rnr_timer, rnr_timeout, 0);
}

void urd_engine_stop(struct urd_qp *qp)
{
	spin_lock_bh(&qp->lock);
	set_bit(URD_ENG_DEAD, &qp->eng.flags);
	spin_unlock_bh(&qp->lock);
	urd_qp_kick(qp);	/* sends back what peers on this host sent */
	urd_tx_close(qp);
}

static void drop_avs(struct urd_qp *qp)
{
	struct urd_sq *sq = &qp->sq;

	if (!sq->wqes || qp->service != URD_SVC_UD)
		return;
	for (; sq->cons != sq->prod; sq->cons++) {
		struct urd_swqe *wqe = urd_sq_wqe(sq, sq->cons);

		if (wqe->ud.av)
			urd_av_put(wqe->ud.av);
	}
}

void urd_engine_cleanup(struct urd_qp *qp)
{
	struct urd_engine *eng = &qp->eng;

	urd_tx_close(qp);
	timer_shutdown_sync(&eng->req.retrans_timer);
	timer_shutdown_sync(&eng->req.rnr_timer);
	cancel_work_sync(&eng->work);
	cancel_work_sync(&eng->move_work);
	skb_queue_purge(&eng->inbox);
	__skb_queue_purge(&eng->backlog);
	drop_avs(qp);
	kvfree(eng->resp.res);
	kvfree(eng->local.pool);
	eng->resp.res = NULL;
}

/* ---- modify_qp ----------------------------------------------------------- */

static bool needs_pool(const struct urd_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	return mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTS &&
	       qp->service == URD_SVC_RC && !qp->eng.local.pool;
}

int urd_engine_modify_prepare(struct urd_qp *qp, struct urd_modify_prep *prep,
			      const struct ib_qp_attr *attr, int mask)
{
	*prep = (struct urd_modify_prep){};
	if (needs_pool(qp, attr, mask) && urd_local_alloc(qp, prep))
		return -ENOMEM;
	if (!(mask & IB_QP_MAX_DEST_RD_ATOMIC) || !attr->max_dest_rd_atomic)
		return 0;
	prep->res_max = attr->max_dest_rd_atomic;
	prep->res = kvcalloc(prep->res_max, sizeof(*prep->res), GFP_KERNEL);
	if (prep->res)
		return 0;
	urd_engine_modify_free(prep);
	return -ENOMEM;
}

void urd_engine_modify_free(struct urd_modify_prep *prep)
{
	kvfree(prep->res);
	kvfree(prep->pool);
	*prep = (struct urd_modify_prep){};
}

/* Replay resources are swapped under the lock, never under a user (R10). */
static void swap_res(struct urd_resp *resp, struct urd_modify_prep *prep)
{
	u32 keep = min(resp->res_count, prep->res_max), i;

	for (i = 0; i < keep; i++) {
		u32 from = resp->res_head + resp->res_count - keep + i;

		prep->res[i] = resp->res[from % resp->res_max];
	}
	swap(resp->res, prep->res);
	swap(resp->res_max, prep->res_max);
	resp->res_head = 0;
	resp->res_count = keep;
}

void urd_engine_modify_commit(struct urd_qp *qp, struct urd_modify_prep *prep,
			      enum ib_qp_state old_state, int mask)
{
	struct urd_engine *eng = &qp->eng;

	if (prep->pool && !eng->local.pool) {
		swap(eng->local.pool, prep->pool);
		eng->local.pool_size = prep->pool_size;
	}
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		swap_res(&eng->resp, prep);
	if (mask & IB_QP_RQ_PSN)
		eng->resp.st.epsn = qp->attr.rq_psn & URD_PSN_MASK;
	if (mask & IB_QP_SQ_PSN) {
		eng->req.psn = qp->attr.sq_psn & URD_PSN_MASK;
		eng->req.una = eng->req.psn;
		eng->req.send_psn = eng->req.psn;
		eng->req.max_sent = eng->req.psn;
		urd_req_open_window(qp);
	}
	if (mask & IB_QP_RETRY_CNT)
		eng->req.retry_left = qp->attr.retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		eng->req.rnr_left = qp->attr.rnr_retry;
	if (old_state == qp->state)
		return;
	if (qp->state == IB_QPS_RESET) {
		urd_req_reset(qp);
		urd_resp_reset(qp);
		skb_queue_purge(&eng->inbox);
		__skb_queue_purge(&eng->backlog);
	} else if (qp->state == IB_QPS_ERR) {
		qp->state = old_state;
		urd_qp_set_error(qp);
	}
	if (qp->state == IB_QPS_SQD) {
		eng->req.sqd_told = false;
		qp->attr.sq_draining = 1;
	}
	set_bit(URD_ENG_PENDING, &eng->flags);
}

void urd_engine_quiesce(struct urd_qp *qp)
{
	while (READ_ONCE(qp->eng.local.out)) {
		urd_qp_kick(qp);
		usleep_range(20, 100);
	}
}

bool urd_engine_sq_idle(const struct urd_qp *qp)
{
	return qp->sq.cons == qp->eng.req.front;
}
