/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Engine of a QP: requester, completer and responder with their state.
 *
 * One owner at a time: whoever gets urd_qp.lock runs the engine. Who fails the
 * trylock has left its work (an skb in @inbox, WQEs in the SQ) and the mark
 * URD_ENG_PENDING; the owner looks at the mark after it released the lock.
 *
 * Included by urd.h only.
 */
#ifndef URD_ENGINE_H
#define URD_ENGINE_H

enum urd_eng_flags {
	URD_ENG_PENDING,	/* somebody wants the engine to run */
	URD_ENG_DEAD,		/* being destroyed: run nothing more */
	URD_ENG_TX_FULL,	/* waits for sk write space */
	URD_ENG_KICK_QUEUED,	/* somewhere in a list of QPs to run */
};

/* What keeps the requester from sending, besides an empty SQ. */
enum urd_req_wait {
	URD_REQ_READY,
	URD_REQ_WAIT_RNR,	/* RNR timer runs */
};

/**
 * struct urd_req - requester and completer; see requester.c for the order
 * @psn: next PSN to give to a WQE
 * @una: oldest unacknowledged PSN
 * @send_psn: next PSN to transmit; behind @max_sent while resending
 * @max_sent: one past the highest PSN that was ever transmitted
 * @next: index of the WQE that @send_psn belongs to
 * @front: index of the first WQE that has no PSNs yet
 * @cwnd: packets that may be unacknowledged; smaller after a loss
 * @ssthresh: below, @cwnd grows with every packet that is acknowledged;
 *	      above, by one in @cwnd packets, counted in @cwnd_credit
 * @backoff: timeouts in a row, for the length of the next (C9-139)
 * @rd_atomic: outstanding READ and atomic requests
 * @wait: enum urd_req_wait
 * @retry_left, @rnr_left: budgets (9.7.6, 9.7.5.2.8)
 * @since_ackreq: packets since the last AckReq
 * @went_back, @went_back_psn: resent from that PSN already, because of a NAK or
 *	a gap: one restart per cause (C05)
 * @timer_armed, @timer_una: retransmission timer runs, since una was that
 * @timed_out, @rnr_expired: left by the timers for the owner
 * @sqd_told: the SQD state was found drained
 * @deadline: jiffies at which the retransmission timer has run out
 */
struct urd_req {
	u32 psn;
	u32 una;
	u32 send_psn;
	u32 max_sent;
	u32 next;
	u32 front;
	u32 cwnd;
	u32 ssthresh;
	u32 cwnd_credit;
	u8 backoff;
	u32 rd_atomic;
	u32 wait;
	u8 retry_left;
	u8 rnr_left;
	u32 since_ackreq;
	bool went_back;
	u32 went_back_psn;
	bool timer_armed;
	u32 timer_una;
	bool timed_out;
	bool rnr_expired;
	bool sqd_told;
	unsigned long deadline;
	struct timer_list retrans_timer;
	struct timer_list rnr_timer;
};

/**
 * struct urd_rd_res - saved READ, atomic, FLUSH or ATOMIC WRITE for replay
 * @kind: enum urd_op_kind; @first_psn, @last_psn: its PSNs
 * @va, @rkey, @length: of a READ, checked again on replay (R13)
 * @orig: answer of an atomic, which is never executed again (R04)
 */
struct urd_rd_res {
	u8 kind;
	u32 first_psn;
	u32 last_psn;
	u32 msn;
	u64 va;
	u32 rkey;
	u32 length;
	u64 orig;
};

/**
 * struct urd_resp - responder
 * @st: ordering state (proto/respond.h)
 * @msn: messages completed (9.7.7.1)
 * @rwqe: receive WQE of the message being received
 * @recv_off: bytes of it already received
 * @write_va, @write_rkey, @write_left, @write_len: RDMA WRITE in progress
 * @res: replay resources, @res_max of them, @res_head oldest index,
 *	 @res_count valid
 * @read: READ being answered: not over while @read_active
 * @ack_due: an ACK is owed for everything before epsn
 * @local: packet of the local path that is being executed; takes the answer
 * @comm_est: IB_EVENT_COMM_EST was raised
 */
struct urd_resp {
	struct urd_resp_state st;
	u32 msn;
	struct urd_rwqe rwqe;
	u32 recv_off;
	u64 write_va;
	u32 write_rkey;
	u32 write_left;
	u32 write_len;
	struct urd_rd_res *res;
	u32 res_max;
	u32 res_head;
	u32 res_count;
	struct urd_rd_res read;
	u32 read_psn;
	bool read_active;
	bool ack_due;
	struct urd_local *local;
	bool comm_est;
};

/**
 * struct urd_eng_local - local path (local.c)
 * @inbox: packets of peers, and own ones that come back; any CPU adds
 * @fifo: those taken out of @inbox, oldest first; owner only
 * @pool: own packets, @pool_size (a power of two); @head next to use
 * @out: own packets under way: until they are back, memory of their WQEs is
 *	 in use, and the WQEs are not completed
 */
struct urd_eng_local {
	struct llist_head inbox;
	struct llist_node *fifo;
	void *pool;
	u32 pool_size;
	u32 head;
	u32 out;
};

/**
 * struct urd_engine - see the head of this file
 * @inbox: arrived, any CPU appends
 * @backlog: requests that wait for the end of a READ; owner only
 * @work: runs the engine, where it is queued
 * @move_work: runs it on @tx_cpu; another item, because one that runs on this
 *	CPU cannot be queued on another
 * @sk_write_space: of the socket, before it was ours
 * @events: bits of enum ib_event_type to raise after unlock
 * @notify: CQ handlers due after unlock (enum below)
 * @ip_id: IPv4 identification of the next packet
 * @tx_cpu: CPU of the last transmission
 * @bulk_until: jiffies until when READ responses may sit in its queues
 * @srq_limit: IB_EVENT_SRQ_LIMIT_REACHED is due after unlock
 * @kick_link: in this CPU's list of QPs to run, with %URD_ENG_KICK_QUEUED
 */
struct urd_engine {
	unsigned long flags;
	struct sk_buff_head inbox;
	struct sk_buff_head backlog;
	struct work_struct work;
	struct work_struct move_work;
	void (*sk_write_space)(struct sock *sk);
	u64 events;
	u8 notify;
	u16 ip_id;
	int tx_cpu;
	unsigned long bulk_until;
	bool srq_limit;
	struct list_head kick_link;
	struct urd_eng_local local;
	struct urd_req req;
	struct urd_resp resp;
};

#define URD_NOTIFY_SCQ	1
#define URD_NOTIFY_RCQ	2

/* ---- for the control path (qp.c, qp_modify.c, cq.c) ---------------------- */

/*
 * urd_engine_init() - first step of create_qp, cannot fail; after it
 * urd_engine_cleanup() is always legal, however far creation came.
 * urd_engine_cleanup() - the QP is unreachable (not in urd_qpns, no reference
 * left): stops timers and work, frees the inbox, drops AVs of pending WQEs.
 * Sleeps.
 */
void urd_engine_init(struct urd_qp *qp);
/* No new run starts after this; called before the handle is killed. */
void urd_engine_stop(struct urd_qp *qp);
void urd_engine_cleanup(struct urd_qp *qp);

/* Process or softirq context. Unlock runs what others left and raises events. */
void urd_qp_lock(struct urd_qp *qp) __acquires(&qp->lock);
void urd_qp_unlock(struct urd_qp *qp) __releases(&qp->lock);

/**
 * struct urd_modify_prep - memory that a modify needs, taken before the lock
 * @res: new replay resources for IB_QP_MAX_DEST_RD_ATOMIC; after commit: old
 * @pool: packets for the local path, on the way to RTS
 */
struct urd_modify_prep {
	struct urd_rd_res *res;
	u32 res_max;
	void *pool;
	u32 pool_size;
};

int urd_engine_modify_prepare(struct urd_qp *qp, struct urd_modify_prep *prep,
			      const struct ib_qp_attr *attr, int mask);
/*
 * Under qp->lock, after qp->attr, qp->state, qp->mtu and qp->av have their new
 * values: loads PSNs, budgets; on entry to ERR flushes (or starts to), on
 * entry to RESET forgets everything, on RTS starts sending.
 */
void urd_engine_modify_commit(struct urd_qp *qp, struct urd_modify_prep *prep,
			      enum ib_qp_state old_state, int mask);
void urd_engine_modify_free(struct urd_modify_prep *prep);
/* After RESET, without the lock: returns when no peer uses its memory. Sleeps. */
void urd_engine_quiesce(struct urd_qp *qp);

/* Move to ERR (or SQE for a UC/UD send error elsewhere) and flush; lock held. */
void urd_qp_set_error(struct urd_qp *qp);
/* In ERR or SQE: complete whatever was posted since with a flush error. */
void urd_qp_flush(struct urd_qp *qp);
/* Raise an affiliated event after unlock; lock held. */
void urd_qp_event(struct urd_qp *qp, enum ib_event_type event);
/* Take lock, go to ERR, raise @event, unlock. Any context but hard IRQ. */
void urd_qp_fail(struct urd_qp *qp, enum ib_event_type event);

/* SQ is drained (nothing outstanding): for the SQD state; lock held. */
bool urd_engine_sq_idle(const struct urd_qp *qp);

/* Run the engine now, or leave it to its owner. Any context but hard IRQ. */
void urd_qp_kick(struct urd_qp *qp);

/* ---- verbs (post.c) ------------------------------------------------------ */
int urd_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int urd_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int urd_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* Bytes of kernel WQE data after struct urd_swqe for these caps. */
static inline u32 urd_swqe_data(u32 max_sge, u32 max_inline)
{
	return max_t(u32, max_sge * sizeof(struct urd_sge), ALIGN(max_inline, 8));
}

#endif /* URD_ENGINE_H */
