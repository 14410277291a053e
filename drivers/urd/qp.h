/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs: what qp.c and qp_modify.c share. */
#ifndef URD_QP_H
#define URD_QP_H

#include <urd.h>

#include "proto/qp_table.h"

/* Rules of modify for a QP type that this device has. */
enum urd_qp_class urd_qp_class(enum ib_qp_type type);

/* srq.c: forget what is posted to the RQ: RESET. qp->lock is held. */
void urd_rq_reset(struct urd_qp *qp);

#endif /* URD_QP_H */
