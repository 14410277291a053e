/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues: what the QP code needs besides urd.h. */
#ifndef URD_CQ_H
#define URD_CQ_H

#include <urd.h>

/*
 * A QP completes to its CQs: they fail it when they overflow. After detach
 * returns, no overflow can reach the QP any more but through a held handle.
 */
void urd_cq_attach(struct urd_qp *qp);
void urd_cq_detach(struct urd_qp *qp);

/*
 * Take unpolled CQEs of @qp out of its kernel CQs, so that none shows up after
 * destroy or reset (fault U23). User CQs are the provider's to clean.
 */
void urd_cq_purge(struct urd_qp *qp);

#endif /* URD_CQ_H */
