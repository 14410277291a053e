/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Kernel objects of the URD driver.
 *
 * Locks, outermost first; none is held while a consumer's handler runs:
 *   urd_dev_mutex      devices and namespaces (link.c)
 *   urd_qp.lock        everything of one QP: engine, state, attributes (BH)
 *   urd_srq.lock, urd_cq.lock    one ring each (irqsave: verbs are called with
 *                      interrupts off)
 * Posting to a kernel QP takes only post_lock (irqsave) of that queue.
 *
 * Two QP locks are never held together.
 */
#ifndef URD_H
#define URD_H

#include <linux/completion.h>
#include <linux/llist.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/sock.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/urd-abi.h>
#include "../drivers/urd/proto/access.h"
#include "../drivers/urd/proto/packet.h"
#include "../drivers/urd/proto/respond.h"
#include "../drivers/urd/proto/window.h"

/* Advertised limits. Each can be created exactly that often (device.c). */
#define URD_MAX_QP		0x10000
#define URD_MAX_CQ		0x20000
#define URD_MAX_SRQ		0x10000
#define URD_MAX_PD		0x10000
#define URD_MAX_MR		0x80000
#define URD_MAX_MW		0x80000
#define URD_MAX_AH		0x10000
#define URD_MAX_UCONTEXT	0x10000
#define URD_MAX_QP_WR		0x8000
#define URD_MAX_SRQ_WR		0x8000
#define URD_MAX_CQE		0x100000
#define URD_MAX_RD_ATOMIC	128
#define URD_MAX_FAST_REG_PAGES	512
#define URD_MAX_MCAST_GRP	8192
#define URD_MAX_MCAST_QP	56
#define URD_MAX_TOTAL_MCAST_QP	0x40000

struct urd_dev;
struct urd_net;
struct urd_qp;

/* ---- objtab.c ---------------------------------------------------------- */

/**
 * struct urd_ref - handle through which an object is found and held
 * @count: holders; the object itself is one
 * @obj: the object
 * @idle: completed by the last put
 * @rcu: for freeing
 *
 * xarrays hold handles, not objects: objects that the RDMA core frees right
 * after destroy could otherwise be touched by a late RCU reader.
 */
struct urd_ref {
	refcount_t count;
	u32 kind;
	void *obj;
	struct completion idle;
	struct rcu_head rcu;
};

struct urd_ref *urd_ref_alloc(void *obj, u32 kind, gfp_t gfp);
/* Look @index up; the object is held, or the result is NULL. */
struct urd_ref *__must_check urd_ref_find(struct xarray *xa, unsigned long index);
static inline void urd_ref_put(struct urd_ref *ref)
{
	if (refcount_dec_and_test(&ref->count))
		complete(&ref->idle);
}

/* Give up the object's own hold, wait for the others, free. May sleep. */
void urd_ref_kill(struct urd_ref *ref);

/* ---- rings (ring.c) ---------------------------------------------------- */

/* Memory of a user ring. Each VMA holds the pages themselves. */
struct urd_mmap_entry {
	struct rdma_user_mmap_entry rdma_entry;
	void *buf;
	size_t size;
};

/**
 * struct urd_ring - the kernel's side of a ring
 * @hdr: shared header; @entries: first entry
 * @depth: power of two; @mask: depth - 1; @stride: bytes
 * @index: the kernel's own index: producer of a CQ, consumer of an SQ, RQ, SRQ.
 *	   Never read back from @hdr.
 * @size: bytes mapped
 * @user: mapped by user space: the other index is hostile
 * @mmap: mmap entry of a user ring; keeps the memory until the last VMA is gone
 */
struct urd_ring {
	struct urd_ring_hdr *hdr;
	u8 *entries;
	u32 depth;
	u32 mask;
	u32 stride;
	u32 index;
	size_t size;
	bool user;
	struct urd_mmap_entry *mmap;
};

int urd_ring_alloc(struct urd_ring *ring, u32 depth, u32 stride,
		   struct ib_udata *udata, struct urd_ring_info *info);
void urd_ring_free_mem(struct urd_ring *ring);

static inline void *urd_ring_entry(const struct urd_ring *ring, u32 index)
{
	return ring->entries + (size_t)(index & ring->mask) * ring->stride;
}

/* ---- counters (counters.c) --------------------------------------------- */

/* name in `rdma statistic`; the text for people is in urd(7) */
#define URD_COUNTERS(X)							\
	X(rx_packets) X(rx_bytes) X(tx_packets) X(tx_bytes)		\
	X(rx_super_packets) X(tx_super_packets)				\
	X(rx_local) X(tx_local)						\
	X(rx_icrc_error) X(rx_drop_short) X(rx_drop_opcode)		\
	X(rx_drop_version) X(rx_drop_pad) X(rx_drop_ip_header)		\
	X(rx_drop_no_qp) X(rx_drop_qp_state) X(rx_drop_qp_type)		\
	X(rx_drop_address) X(rx_drop_pkey) X(rx_drop_qkey)		\
	X(rx_drop_inbox_full) X(rx_drop_no_recv) X(rx_drop_too_long)	\
	X(rx_drop_access) X(rx_drop_uc_message) X(rx_drop_stale_ack)	\
	X(rx_drop_unsent_ack) X(rx_drop_mcast)				\
	X(rx_duplicate) X(rx_out_of_sequence) X(rx_cnp)			\
	X(rx_ack) X(rx_rnr_nak) X(rx_seq_nak) X(rx_access_nak)		\
	X(rx_invalid_nak) X(rx_op_nak)					\
	X(tx_ack) X(tx_rnr_nak) X(tx_seq_nak) X(tx_access_nak)		\
	X(tx_invalid_nak) X(tx_op_nak)					\
	X(tx_retransmit) X(tx_timeout) X(tx_dropped) X(tx_no_route)	\
	X(retry_exceeded) X(rnr_retry_exceeded) X(bad_response)		\
	X(bad_wqe) X(cq_overflow) X(hostile_index)			\
	X(link_downed)

enum urd_counter {
#define X(name) URD_CNT_##name,
	URD_COUNTERS(X)
#undef X
	URD_CNT_COUNT
};

struct urd_stats {
	u64 v[URD_CNT_COUNT];
};

/* ---- device ------------------------------------------------------------ */

enum urd_limit {
	URD_LIM_PD, URD_LIM_UCONTEXT, URD_LIM_AH, URD_LIM_CQ, URD_LIM_QP,
	URD_LIM_SRQ, URD_LIM_MR, URD_LIM_MW,
	URD_LIM_COUNT
};

/**
 * struct urd_dev - one ib_device
 * @ibdev: for the RDMA core
 * @ndev: underlying netdev, held from newlink until after unregistration
 * @ndev_tracker: of that hold
 * @net: sockets of the namespace, counted
 * @link: in @net->devs; written under urd_dev_mutex, read under RCU
 * @limits: objects in existence
 * @keys: MR and MW handles by key index (key >> 8), one space for both
 * @avs: user address handles
 * @mcast: multicast groups by GID (mcast.c)
 * @stats: per CPU
 * @gsi: QP1 handle or NULL; RCU
 * @port_state, @active_mtu: as last announced to consumers (netdev.c)
 * @speed: of @ndev in Mbit/s as it last said, 0 if it does not know
 * @registered: newlink is through with ib_register_device() (urd_dev_mutex)
 * @doomed: @ndev went away before that, newlink has to unregister
 */
struct urd_dev {
	struct ib_device ibdev;
	struct net_device *ndev;
	netdevice_tracker ndev_tracker;
	struct urd_net *net;
	struct list_head link;
	atomic_t limits[URD_LIM_COUNT];
	struct xarray keys;
	u32 key_next;
	struct xarray avs;
	u32 av_next;
	struct urd_mcast_table *mcast;
	struct urd_stats __percpu *stats;
	struct urd_ref __rcu *gsi;
	bool local_path;
	enum ib_port_state port_state;
	enum ib_mtu active_mtu;
	u32 speed;
	bool registered;
	bool doomed;
};

static inline struct urd_dev *to_urd_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct urd_dev, ibdev);
}

#define urd_count(dev, name)	this_cpu_inc((dev)->stats->v[URD_CNT_##name])
#define urd_count_n(dev, name, n) this_cpu_add((dev)->stats->v[URD_CNT_##name], n)

/* QP handles by QPN: QP numbers are unique over all devices of the module. */
extern struct xarray urd_qpns;
extern struct workqueue_struct *urd_wq;		/* any CPU */
extern struct workqueue_struct *urd_cpu_wq;	/* the CPU that queues, or names */

/* ---- simple objects ---------------------------------------------------- */

struct urd_pd {
	struct ib_pd ibpd;
};

struct urd_ucontext {
	struct ib_ucontext ibuc;
};

/**
 * struct urd_av - where packets go: shared by QPs and address handles (ah.c)
 * @ref: holders; freed after an RCU grace period
 * @v6: IPv6 header
 * @saddr, @daddr: IPv4 addresses are in s6_addr32[3]
 * @sport: UDP source port, network order
 * @tos: traffic class; @ttl: hop limit; @flow_label: 20 bits
 * @sgid_attr: held
 * @pd: of the address handle, for comparison; NULL on a QP
 * @dst: cached route, __rcu; checked by its cookie; @dst_cookie
 */
struct urd_av {
	refcount_t ref;
	struct rcu_head rcu;
	bool v6;
	u8 tos;
	u8 ttl;
	__be16 sport;
	u32 flow_label;
	struct in6_addr saddr;
	struct in6_addr daddr;
	const struct ib_gid_attr *sgid_attr;
	const struct ib_pd *pd;
	struct dst_entry __rcu *dst;
	u32 dst_cookie;
	spinlock_t dst_lock;
};

struct urd_av *urd_av_create(struct urd_dev *dev, const struct rdma_ah_attr *attr,
			     u32 local_qpn, u32 remote_qpn, gfp_t gfp);
void urd_av_put(struct urd_av *av);
static inline struct urd_av *urd_av_get(struct urd_av *av)
{
	refcount_inc(&av->ref);
	return av;
}

/* Address handle of user space; held, NULL if unknown or of another PD. */
struct urd_av *urd_av_find(struct urd_dev *dev, u32 handle, const struct ib_pd *pd);

struct urd_ah {
	struct ib_ah ibah;
	struct urd_av *av;
	u32 handle;		/* user AHs only */
	bool is_user;
	struct rdma_ah_attr attr;
};

static inline struct urd_ah *to_urd_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct urd_ah, ibah);
}

/* ---- CQ (cq.c) --------------------------------------------------------- */

/**
 * struct urd_cq - completion queue
 * @lock: producer side of @ring, and everything below; irqsave
 * @ring: of struct urd_cqe, for kernel consumers too
 * @armed: kernel CQs: enum urd_cq_arm (user CQs: in the ring header)
 * @dead: overflowed; nothing is added any more
 * @overflow_work: raises IB_EVENT_CQ_ERR and fails the QPs, once
 * @qps: QPs that complete here (struct urd_cq_link), for overflow; @qps_lock
 */
struct urd_cq {
	struct ib_cq ibcq;
	spinlock_t lock;
	struct urd_ring ring;
	u32 armed;
	bool is_user;
	bool dead;
	struct work_struct overflow_work;
	struct list_head qps;
	spinlock_t qps_lock;
};

/* Membership of a QP in urd_cq.qps. */
struct urd_cq_link {
	struct list_head list;
	struct urd_qp *qp;
};

static inline struct urd_cq *to_urd_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct urd_cq, ibcq);
}

/*
 * Add a CQE (all of *cqe but @timestamp, which is filled in). Callable with
 * QP lock held. Return: true if the consumer's handler is due; the caller then
 * calls urd_cq_notify() once it holds no lock.
 */
bool urd_cq_push(struct urd_cq *cq, const struct urd_cqe *cqe);
void urd_cq_notify(struct urd_cq *cq);

/* ---- SRQ and RQ (srq.c) ------------------------------------------------ */

/**
 * struct urd_rwqe - kernel copy of a receive WQE; nothing re-reads the ring
 * @valid: a WQE is held
 * @length: sum of the SGEs
 * @sge: room for the queue's max_sge
 */
struct urd_rwqe {
	u64 wr_id;
	u32 num_sge;
	u32 length;
	bool valid;
	struct urd_sge *sge;
};

/**
 * struct urd_rq - receive queue of a QP
 * @ring: of struct urd_rqe; absent with an SRQ
 * @post_lock: kernel posters, irqsave
 */
struct urd_rq {
	struct urd_ring ring;
	u32 max_sge;
	spinlock_t post_lock;
};

/**
 * struct urd_srq - shared receive queue
 * @lock: consumer side of @ring, @limit; irqsave
 * @post_lock: kernel posters
 * @limit: 0, or raise IB_EVENT_SRQ_LIMIT_REACHED below that many WQEs, once
 */
struct urd_srq {
	struct ib_srq ibsrq;
	spinlock_t lock;
	spinlock_t post_lock;
	struct urd_ring ring;
	u32 max_sge;
	u32 limit;
	bool is_user;
	u32 srqn;
};

static inline struct urd_srq *to_urd_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct urd_srq, ibsrq);
}

/*
 * Take the next receive WQE of the QP's RQ or SRQ: copied once, then checked.
 * Called under qp->lock. Return: 0, -EAGAIN when none is posted, -EINVAL when
 * the user wrote nonsense (the WQE, if any, is consumed and *rwqe has its
 * wr_id; @rwqe->valid is false). SRQ limit events: *event is set to true when
 * IB_EVENT_SRQ_LIMIT_REACHED is due; the caller raises it without locks.
 */
int urd_rq_take(struct urd_qp *qp, struct urd_rwqe *rwqe, bool *srq_limit);

/* ---- MR and MW (mr.c, umem.c, frmr.c, mw.c) ---------------------------- */

enum urd_key_kind { URD_KEY_NONE, URD_KEY_MR, URD_KEY_MW };

enum urd_mr_type { URD_MR_DMA, URD_MR_USER, URD_MR_FAST };

/**
 * struct urd_pages - translation of a region
 * @page_shift: log2 of the page size of @addr
 * @count: pages
 * @offset: of the region's first byte in the first page
 * @addr: kernel virtual address of each page
 */
struct urd_pages {
	u32 page_shift;
	u32 count;
	u32 max;
	u64 offset;
	u64 *addr;
};

/**
 * struct urd_mr - memory region
 * @region: key, PD, range, rights; for fast-register MRs changed by REG_MR and
 *	    invalidation under @lock
 * @lock: changes of @region, @cur and @windows (BH); readers hold it only to
 *	  copy the @region of a fast-register MR
 * @access: enum ib_access_flags as registered
 * @windows: memory windows bound to the region; it cannot go while there are
 * @mapped: fast-register: map_sg filled a table that REG_MR has not taken yet
 * @tbl: a fast-register MR fills the one that is not @cur in map_sg and
 *	 switches in REG_MR, so that IO under the old mapping is not disturbed
 */
struct urd_mr {
	struct ib_mr ibmr;
	struct urd_ref *ref;
	enum urd_mr_type type;
	struct ib_umem *umem;
	spinlock_t lock;
	struct urd_region region;
	int access;
	u32 windows;
	bool mapped;
	u32 cur;
	struct urd_pages tbl[2];
};

static inline struct urd_mr *to_urd_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct urd_mr, ibmr);
}

/**
 * struct urd_mw - memory window
 * @lock: of @region, @mr and @shift (BH); urd_mr.lock nests inside
 * @region: what it opens while bound
 * @mr: bound to, one of its @windows, which keeps it from going away
 * @shift: added to an address in the window to get the region's (zero based)
 */
struct urd_mw {
	struct ib_mw ibmw;
	struct urd_ref *ref;
	spinlock_t lock;
	struct urd_region region;
	struct urd_mr *mr;
	u64 shift;
};

/**
 * struct urd_span - a checked piece of a region, with the region held
 * @mr: NULL for an empty span and for local DMA memory: no region to hold
 * @pages: translation in force when it was checked; NULL for DMA addresses
 * @base: address that belongs to the first byte of @pages' region
 */
struct urd_span {
	struct urd_mr *mr;
	const struct urd_pages *pages;
	u64 base;
};

/*
 * Find @key, check it for [addr, addr + len) with @need (enum urd_right), hold
 * it. @remote: rkey rules, windows allowed; local: lkey rules. len 0 always
 * succeeds with an empty span (no key check, R06). BH context, no sleeping.
 */
enum urd_access urd_span_get(struct urd_qp *qp, u32 key, bool remote, u64 addr,
			     u64 len, u32 need, struct urd_span *span);
/* May @rkey be used for @need anywhere in its region (FLUSH of a whole MR)? */
enum urd_access urd_key_rights(struct urd_qp *qp, u32 rkey, u32 need);
static inline void urd_span_put(struct urd_span *span)
{
	if (span->mr)
		urd_ref_put(span->mr->ref);
	span->mr = NULL;
}

/* Kernel address of @addr, and how many bytes from there are contiguous. */
void *urd_span_at(const struct urd_span *span, u64 addr, u64 *contig);

struct urd_swqe;
/* Local operations and remote invalidation; 0 or an IB_WC_* status. */
int urd_key_invalidate_local(struct urd_qp *qp, u32 key);
int urd_key_invalidate_remote(struct urd_qp *qp, u32 rkey);
int urd_mr_fast_reg(struct urd_qp *qp, struct urd_mr *mr, u32 key, int access);
int urd_mw_bind(struct urd_qp *qp, const struct urd_swqe *wqe);

/* ---- QP ---------------------------------------------------------------- */

/**
 * struct urd_swqe - kernel copy of a send WQE; SGEs or inline data follow it
 * @wr_id, @op (enum urd_wr_op), @flags (enum urd_wr_flags): of the WR
 * @num_sge: SGEs that follow
 * @status: IB_WC_* it failed with, before it was or could be sent
 * @sent: PSNs are assigned
 * @length: bytes of the message
 * @first_psn, @last_psn: PSNs used, when @sent
 * @imm, @inv_rkey: as in the ABI
 */
struct urd_swqe {
	u64 wr_id;
	u8 op;
	u8 num_sge;
	u16 flags;
	u8 status;
	bool sent;
	u32 length;
	u32 first_psn;
	u32 last_psn;
	__be32 imm;
	u32 inv_rkey;
	union {
		struct {
			u64 va;
			u32 rkey;
		} rdma;
		struct {
			u64 va;
			u64 compare;
			u64 swap_add;
			u32 rkey;
		} atomic;
		struct {
			struct urd_av *av;	/* held */
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
		} ud;
		struct {
			u64 addr;
			u64 length;
			u32 mr_lkey;
			u32 mw_rkey;
			u32 new_rkey;
			u32 access;
		} bind;
		struct {
			u64 va;
			u32 rkey;
			u32 length;
			u8 type;
			u8 level;
		} flush;
		struct {
			struct urd_mr *mr;
			u32 key;
			u32 access;
		} reg;
	};
};

/**
 * struct urd_sq - send queue
 * @ring: of struct urd_sqe, user QPs only; @ring.index is what was pulled
 * @wqes: kernel copies, @depth of @stride bytes each
 * @post_lock: kernel posters, irqsave
 * @prod: WQEs copied so far. Kernel QPs: stored with release under @post_lock,
 *	  loaded with acquire by the engine. User QPs: engine only.
 * @cons: oldest WQE that is not completed. Written by the engine with release;
 *	  kernel posters read it with acquire.
 */
struct urd_sq {
	struct urd_ring ring;
	u8 *wqes;
	u32 depth;
	u32 mask;
	u32 stride;
	u32 max_sge;
	u32 max_inline;
	bool sig_all;
	spinlock_t post_lock;
	u32 prod;
	u32 cons;
};

static inline struct urd_swqe *urd_sq_wqe(const struct urd_sq *sq, u32 index)
{
	return (struct urd_swqe *)(sq->wqes + (size_t)(index & sq->mask) * sq->stride);
}

static inline struct urd_sge *urd_swqe_sge(struct urd_swqe *wqe)
{
	return (struct urd_sge *)(wqe + 1);
}

#include "urd-engine.h"

/**
 * struct urd_qp - queue pair
 * @ref: handle in urd_qpns (for GSI: only dev->gsi)
 * @lock: all below
 * @state, @attr: state and attributes as modify_qp left them
 * @mtu: path MTU in bytes; UD: what the port carries
 * @av: primary path (RC, UC), held
 * @src_qpn: 1 for GSI, else ibqp.qp_num
 * @scq, @rcq, @srq: may be NULL where the verbs allow it
 * @sk: owns transmitted skbs, for backpressure
 * @eng: requester, completer, responder (urd-engine.h)
 */
struct urd_qp {
	struct ib_qp ibqp;
	struct urd_dev *dev;
	struct urd_ref *ref;
	spinlock_t lock;
	enum ib_qp_state state;
	struct ib_qp_attr attr;
	u32 mtu;
	u32 src_qpn;
	u8 service;
	bool is_user;
	struct urd_av *av;
	struct urd_cq *scq;
	struct urd_cq *rcq;
	struct urd_srq *srq;
	struct urd_cq_link scq_link;
	struct urd_cq_link rcq_link;
	struct socket *sk;
	struct urd_sq sq;
	struct urd_rq rq;
	struct urd_engine eng;
};

static inline struct urd_qp *to_urd_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct urd_qp, ibqp);
}

#endif /* URD_H */
