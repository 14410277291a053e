// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The doorbell: tells the kernel to look at a QP's rings. It is the uverbs
 * command POST_SEND with no work request in it, one system call for a list of
 * any length. Nothing else knows how the doorbell is made.
 *
 * Called without the queue's lock: the call runs the requester, and another
 * thread need not spin for so long.
 */
#include <unistd.h>

#include "urd.h"
#include "urd_abi.h"

static int ring_doorbell(struct urd_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;
	struct ib_uverbs_post_send_resp resp;
	struct ibv_post_send cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.response = (uintptr_t)&resp,
		.qp_handle = ibqp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	ssize_t ret;

	do {
		ret = write(ibqp->context->cmd_fd, &cmd, sizeof(cmd));
		if (ret == sizeof(cmd))
			return 0;
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));

	return ret < 0 ? errno : EIO;
}

/* After a submit to the SQ. Return: 0 or an errno value. */
int urd_sq_doorbell(struct urd_qp *qp)
{
	if (urd_ring_flags_after_submit(&qp->sq.ring) & URD_SQ_NO_DOORBELL)
		return 0;
	return ring_doorbell(qp);
}

/* After a submit to the RQ; silent unless the QP is in error. */
int urd_rq_doorbell(struct urd_qp *qp)
{
	if (likely(!(urd_ring_flags_after_submit(&qp->rq.ring) &
		     URD_RQ_DOORBELL)))
		return 0;
	return ring_doorbell(qp);
}
