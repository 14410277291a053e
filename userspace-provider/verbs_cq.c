// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: create, resize, destroy. */
#include <stdlib.h>

#include "urd.h"
#include "urd_abi.h"

#define WC_FLAGS                                                               \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

#define ATTR_MASK (IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)

static bool is_single_threaded(const struct ibv_cq_init_attr_ex *attr)
{
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return true;
	return (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) &&
	       attr->parent_domain && to_urd_pd(attr->parent_domain)->td;
}

static struct urd_cq *create_cq(struct ibv_context *context,
				const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_init_attr_ex kernel_attr = *attr;
	struct urd_cmd_create_cq_resp resp = {};
	struct urd_cmd_create_cq cmd = {};
	struct urd_cq *cq;
	int ret;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	/* Every CQE has a timestamp, the kernel need not be asked for it */
	kernel_attr.wc_flags &= ~(uint64_t)IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	ret = ibv_cmd_create_cq_ex(context, &kernel_attr, &cq->vcq,
				   &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				   sizeof(resp), 0);
	if (ret)
		goto err_free;

	ret = urd_ring_map(&cq->ring, &resp.ring, context->cmd_fd,
			   sizeof(struct urd_cqe));
	if (!ret && !cq->ring.hdr)
		ret = EINVAL;
	if (ret)
		goto err_destroy;
	urd_lock_init(&cq->lock, is_single_threaded(attr));
	return cq;

err_destroy:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
err_free:
	free(cq);
	errno = ret;
	return NULL;
}

struct ibv_cq *urd_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct urd_cq *cq = create_cq(context, &attr);

	return cq ? &cq->vcq.cq : NULL;
}

struct ibv_cq_ex *urd_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct urd_cq *cq;
	uint32_t flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ?
				 attr->flags : 0;

	if (!check_comp_mask(attr->comp_mask, ATTR_MASK) ||
	    !check_comp_mask(attr->wc_flags, WC_FLAGS) ||
	    !check_comp_mask(flags, IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	cq = create_cq(context, attr);
	if (!cq)
		return NULL;
	urd_cq_init_ex(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/*
 * The kernel moves the completions not yet polled, and both indices, into the
 * new ring. Under the lock, for nobody may poll the old one meanwhile. If the
 * new ring cannot be mapped the CQ is lost, and polling says so.
 */
int urd_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	struct urd_cmd_resize_cq_resp resp = {};
	struct ibv_resize_cq cmd = {};
	struct urd_ring ring;
	int ret;

	urd_lock(&cq->lock);
	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd, sizeof(cmd), &resp.ibv_resp,
				sizeof(resp));
	if (ret)
		goto out;

	ret = urd_ring_map(&ring, &resp.ring, ibcq->context->cmd_fd,
			   sizeof(struct urd_cqe));
	urd_ring_unmap(&cq->ring);
	if (ret)
		goto out;
	if (ring.hdr)
		ring.index = urd_load_acquire(&ring.hdr->cons);
	cq->ring = ring;
out:
	urd_unlock(&cq->lock);
	return ret;
}

int urd_destroy_cq(struct ibv_cq *ibcq)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;

	urd_ring_unmap(&cq->ring);
	urd_lock_destroy(&cq->lock);
	free(cq);
	return 0;
}
