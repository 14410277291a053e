/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Verbs that device.c puts into its ops tables; post_send, post_recv and
 * post_srq_recv are in urd-engine.h.
 *
 * Allocated by the RDMA core (INIT_RDMA_OBJ_SIZE): ib_ah urd_ah.ibah,
 * ib_cq urd_cq.ibcq, ib_mw urd_mw.ibmw, ib_pd urd_pd.ibpd, ib_qp urd_qp.ibqp,
 * ib_srq urd_srq.ibsrq, ib_ucontext urd_ucontext.ibuc.
 */
#ifndef URD_VERBS_H
#define URD_VERBS_H

#include "objtab.h"

struct ib_dmah;

/* ring.c */
int urd_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void urd_mmap_free(struct rdma_user_mmap_entry *rdma_entry);

/* ucontext.c */
int urd_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void urd_dealloc_ucontext(struct ib_ucontext *ibuc);
void urd_disassociate_ucontext(struct ib_ucontext *ibuc);
int urd_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int urd_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* cq.c */
#ifdef URD_HAVE_CREATE_CQ_ATTRS
int urd_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);
#else
int urd_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata);
#endif
#ifdef URD_HAVE_RESIZE_USER_CQ
int urd_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
#else
int urd_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
#endif
int urd_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int urd_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int urd_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/* srq.c */
int urd_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata);
int urd_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int urd_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int urd_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* mr.c, frmr.c */
struct ib_mr *urd_get_dma_mr(struct ib_pd *ibpd, int access);
#ifdef URD_HAVE_REG_USER_MR_DMAH
struct ib_mr *urd_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			      int access, struct ib_dmah *dmah,
			      struct ib_udata *udata);
#else
struct ib_mr *urd_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
			      int access, struct ib_udata *udata);
#endif
struct ib_mr *urd_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				u64 iova, int access, struct ib_pd *ibpd,
				struct ib_udata *udata);
int urd_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *urd_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg);
int urd_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset);

/* mw.c */
int urd_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int urd_dealloc_mw(struct ib_mw *ibmw);

/* ah.c: create_ah and create_user_ah are the same function */
int urd_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int urd_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int urd_destroy_ah(struct ib_ah *ibah, u32 flags);

/* qp.c, qp_modify.c */
int urd_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int urd_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int urd_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int urd_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

#endif /* URD_VERBS_H */
