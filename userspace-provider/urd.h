/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the provider. Each queue has one lock over its ring; the only
 * nesting is none: purging a QP's completions takes its two CQs in turn.
 */
#ifndef URD_H
#define URD_H

#include <pthread.h>

#include <infiniband/driver.h>

#include "urd_ring.h"

/* Largest message: chapter 9, and struct ibv_port_attr.max_msg_sz */
#define URD_MAX_MSG_SIZE 0x80000000ULL

/* A spinlock, or nothing where the user promised to have one thread only */
struct urd_lock {
	pthread_spinlock_t spin;
	bool single_threaded;
};

static inline void urd_lock(struct urd_lock *lock)
{
	if (!lock->single_threaded)
		pthread_spin_lock(&lock->spin);
}

static inline void urd_unlock(struct urd_lock *lock)
{
	if (!lock->single_threaded)
		pthread_spin_unlock(&lock->spin);
}

static inline void urd_lock_init(struct urd_lock *lock, bool single_threaded)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->single_threaded = single_threaded;
}

static inline void urd_lock_destroy(struct urd_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}

struct urd_device {
	struct verbs_device vdev;
};

struct urd_context {
	struct verbs_context vctx;
	uint64_t send_ops;		/* IBV_QP_EX_WITH_ that the device has */
};

struct urd_td {
	struct ibv_td td;
	atomic_int refs;		/* parent domains that use it */
};

/* A protection domain, or a parent domain over one */
struct urd_pd {
	struct ibv_pd pd;
	struct urd_pd *parent_of;	/* NULL: a protection domain */
	struct urd_td *td;
	atomic_int refs;		/* parent domains that use it */
};

struct urd_ah {
	struct ibv_ah ah;
	uint32_t number;		/* what a WQE names it by */
};

struct urd_cq {
	struct verbs_cq vcq;
	struct urd_lock lock;
	struct urd_ring ring;
	const struct urd_cqe *cqe;	/* current one of start/next_poll */
};

struct urd_srq {
	struct verbs_srq vsrq;
	struct urd_lock lock;
	struct urd_ring ring;
	uint32_t max_sge;
};

struct urd_sq {
	struct urd_lock lock;
	struct urd_ring ring;
	uint32_t max_sge;
	uint32_t max_inline;
	bool signal_all;
	/* WRs under construction between wr_start and wr_complete */
	struct urd_sqe *build_sqe;	/* NULL: none yet, or build_err */
	uint32_t build_index;
	int build_err;
};

struct urd_rq {
	struct urd_lock lock;
	struct urd_ring ring;
	uint32_t max_sge;
};

struct urd_qp {
	struct verbs_qp vqp;
	struct urd_sq sq;
	struct urd_rq rq;
};

/* Send WRs are taken from RTS on; those of SQE and ERR get flushed (10.8.3) */
static inline bool urd_qp_may_send(const struct ibv_qp *qp)
{
	return qp->state >= IBV_QPS_RTS;
}

static inline struct urd_context *to_urd_context(struct ibv_context *context)
{
	return container_of(context, struct urd_context, vctx.context);
}

static inline struct urd_pd *to_urd_pd(struct ibv_pd *pd)
{
	return container_of(pd, struct urd_pd, pd);
}

static inline struct urd_td *to_urd_td(struct ibv_td *td)
{
	return container_of(td, struct urd_td, td);
}

static inline struct urd_ah *to_urd_ah(struct ibv_ah *ah)
{
	return container_of(ah, struct urd_ah, ah);
}

static inline struct urd_cq *to_urd_cq(struct ibv_cq *cq)
{
	return container_of(cq, struct urd_cq, vcq.cq);
}

static inline struct urd_cq *to_urd_cq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct urd_cq, vcq.cq_ex);
}

static inline struct urd_srq *to_urd_srq(struct ibv_srq *srq)
{
	return container_of(srq, struct urd_srq, vsrq.srq);
}

static inline struct urd_qp *to_urd_qp(struct ibv_qp *qp)
{
	return container_of(qp, struct urd_qp, vqp.qp);
}

static inline struct urd_qp *to_urd_qp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct urd_qp, vqp.qp_ex);
}

/* ring.c */
int urd_ring_map(struct urd_ring *ring, const struct urd_ring_info *info,
		 int cmd_fd, uint32_t min_stride);
void urd_ring_unmap(struct urd_ring *ring);

/* doorbell.c */
int urd_sq_doorbell(struct urd_qp *qp);
int urd_rq_doorbell(struct urd_qp *qp);

/* post.c */
int urd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int urd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
int urd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr);
int urd_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		struct ibv_mw_bind *mw_bind);

/* sqe.c: the parts of a send WQE, for post.c and post_ex.c */
struct urd_sqe *urd_sqe_init(struct urd_sq *sq, uint32_t index, uint64_t wr_id,
			     enum urd_wr_op op, unsigned int send_flags);
int urd_sqe_set_sges(const struct urd_sq *sq, struct urd_sqe *sqe,
		     const struct ibv_sge *sges, size_t num_sge);
int urd_sqe_add_inline(struct urd_sqe *sqe, const void *addr, size_t length,
		       uint32_t max_inline);
void urd_sqe_set_rdma(struct urd_sqe *sqe, uint64_t remote_addr,
		      uint32_t rkey);
void urd_sqe_set_atomic(struct urd_sqe *sqe, uint64_t remote_addr,
			uint32_t rkey, uint64_t compare, uint64_t swap_add);
int urd_sqe_set_ud(struct urd_sqe *sqe, struct ibv_ah *ah, uint32_t remote_qpn,
		   uint32_t remote_qkey);
int urd_sqe_set_bind(struct urd_sqe *sqe, const struct ibv_mw *mw,
		     uint32_t new_rkey, const struct ibv_mw_bind_info *info);

/* post_ex.c */
uint64_t urd_qp_send_ops(enum ibv_qp_type type);
void urd_qp_init_ex(struct urd_qp *qp, enum ibv_qp_type type);

/* poll.c */
int urd_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int urd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void urd_cq_init_ex(struct urd_cq *cq, uint64_t wc_flags);
void urd_cq_purge(struct urd_cq *cq, uint32_t qpn);

/* verbs_cq.c */
struct ibv_cq *urd_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *urd_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr);
int urd_resize_cq(struct ibv_cq *cq, int cqe);
int urd_destroy_cq(struct ibv_cq *cq);

/* verbs.c */
int urd_query_device_ex(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size);
int urd_query_rt_values(struct ibv_context *context,
			struct ibv_values_ex *values);
int urd_query_port(struct ibv_context *context, uint8_t port_num,
		   struct ibv_port_attr *attr);
struct ibv_pd *urd_alloc_pd(struct ibv_context *context);
int urd_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *urd_alloc_td(struct ibv_context *context,
			    struct ibv_td_init_attr *attr);
int urd_dealloc_td(struct ibv_td *td);
struct ibv_pd *urd_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr);
struct ibv_mr *urd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access);
int urd_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access);
int urd_dereg_mr(struct verbs_mr *vmr);
struct ibv_mw *urd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int urd_dealloc_mw(struct ibv_mw *mw);
struct ibv_ah *urd_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int urd_destroy_ah(struct ibv_ah *ah);
struct ibv_srq *urd_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr);
int urd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int urd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int urd_destroy_srq(struct ibv_srq *srq);
struct ibv_qp *urd_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *urd_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);
int urd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int urd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init);
int urd_destroy_qp(struct ibv_qp *qp);

#endif
