// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues, basic type: create, modify, query, destroy. */
#include <stdlib.h>

#include "urd.h"
#include "urd_abi.h"

struct ibv_srq *urd_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct urd_cmd_create_srq_resp resp = {};
	struct urd_cmd_create_srq cmd = {};
	struct urd_srq *srq;
	int ret;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	ret = ibv_cmd_create_srq(pd, &srq->vsrq.srq, attr, &cmd.ibv_cmd,
				 sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free;

	ret = urd_ring_map(&srq->ring, &resp.ring, pd->context->cmd_fd,
			   sizeof(struct urd_rqe) +
				   attr->attr.max_sge * sizeof(struct urd_sge));
	if (!ret && (!srq->ring.hdr ||
		     attr->attr.max_wr > srq->ring.mask + 1))
		ret = EINVAL;
	if (ret)
		goto err_destroy;

	srq->ring.limit = attr->attr.max_wr;
	srq->max_sge = attr->attr.max_sge;
	srq->vsrq.srq_type = IBV_SRQT_BASIC;
	srq->vsrq.srq_num = resp.drv_payload.srqn;
	urd_lock_init(&srq->lock, to_urd_pd(pd)->td);
	return &srq->vsrq.srq;

err_destroy:
	ibv_cmd_destroy_srq(&srq->vsrq.srq);
	urd_ring_unmap(&srq->ring);
err_free:
	free(srq);
	errno = ret;
	return NULL;
}

/* Put the ring that the kernel made in place of the old one. */
static int adopt_ring(struct urd_srq *srq, const struct urd_ring_info *info)
{
	struct ibv_srq *ibsrq = &srq->vsrq.srq;
	struct ibv_srq_attr attr = {};
	struct ibv_query_srq cmd;
	struct urd_ring ring;
	int ret;

	ret = urd_ring_map(&ring, info, ibsrq->context->cmd_fd,
			   sizeof(struct urd_rqe) +
				   srq->max_sge * sizeof(struct urd_sge));
	if (!ret && !ring.hdr)
		ret = EINVAL;
	urd_ring_unmap(&srq->ring);
	if (ret)
		return ret;

	ring.index = urd_load_acquire(&ring.hdr->prod);
	ring.peer = urd_load_acquire(&ring.hdr->cons);
	/* How many WRs the new size holds is the kernel's to say */
	if (!ibv_cmd_query_srq(ibsrq, &attr, &cmd, sizeof(cmd)) &&
	    attr.max_wr < ring.limit)
		ring.limit = attr.max_wr;
	srq->ring = ring;
	return 0;
}

/*
 * A new size means a new ring, with the WQEs not yet taken and both indices
 * in it. Under the lock, for nobody may post to the old one meanwhile. If the
 * new ring cannot be mapped the SRQ takes no more WRs.
 */
int urd_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);
	struct urd_ring_info info = {};
	struct urd_cmd_modify_srq cmd = {
		.ring_addr = (uintptr_t)&info,
	};
	int ret;

	if (!(mask & IBV_SRQ_MAX_WR))
		return ibv_cmd_modify_srq(ibsrq, attr, mask, &cmd.ibv_cmd,
					  sizeof(cmd.ibv_cmd));

	urd_lock(&srq->lock);
	ret = ibv_cmd_modify_srq(ibsrq, attr, mask, &cmd.ibv_cmd, sizeof(cmd));
	if (!ret)
		ret = adopt_ring(srq, &info);
	urd_unlock(&srq->lock);
	return ret;
}

int urd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int urd_destroy_srq(struct ibv_srq *ibsrq)
{
	struct urd_srq *srq = to_urd_srq(ibsrq);
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;

	urd_ring_unmap(&srq->ring);
	urd_lock_destroy(&srq->lock);
	free(srq);
	return 0;
}
