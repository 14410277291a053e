/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory regions: what mr.c, umem.c, frmr.c and mw.c share. */
#ifndef URD_MR_H
#define URD_MR_H

#include "objtab.h"

/*
 * Rights for enum ib_access_flags. -EOPNOTSUPP for what this device cannot do,
 * -EINVAL for an unknown bit; bits of IB_ACCESS_OPTIONAL are ignored.
 */
int urd_rights(int access, u32 *rights);

/* mr.c: steps of registration that all kinds of MR share. */
struct urd_mr *urd_mr_alloc(struct ib_pd *ibpd, enum urd_mr_type type);
void urd_mr_publish(struct urd_mr *mr);
/* Hide the key, wait for holders, free. Legal before publishing, too. */
void urd_mr_free(struct urd_mr *mr);

/* umem.c: pin user memory and list its pages; undone by urd_mr_free(). */
int urd_mr_pin(struct urd_mr *mr, u64 start, u64 length, int access);

/* frmr.c: invalidation of a fast-register MR; 0 or IB_WC_*. */
int urd_mr_invalidate(struct urd_qp *qp, struct urd_mr *mr, u32 key, bool remote);

/* mw.c: the same of a window. */
int urd_mw_invalidate(struct urd_qp *qp, struct urd_mw *mw, u32 key, bool remote);

/* mw.c: check a remote access through a window; the span holds the region. */
enum urd_access urd_mw_span(struct urd_qp *qp, struct urd_mw *mw, u32 key, u64 addr,
			    u64 len, u32 need, struct urd_span *span);

#endif /* URD_MR_H */
