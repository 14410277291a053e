// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Provider of the URD soft RDMA device: how the device is found, and contexts.
 */
#include <stdlib.h>

#include "urd.h"
#include "urd_abi.h"

static void urd_free_context(struct ibv_context *ibctx)
{
	struct urd_context *ctx = to_urd_context(ibctx);

	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_context_ops urd_ctx_ops = {
	.alloc_mw = urd_alloc_mw,
	.alloc_parent_domain = urd_alloc_parent_domain,
	.alloc_pd = urd_alloc_pd,
	.alloc_td = urd_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = urd_bind_mw,
	.create_ah = urd_create_ah,
	.create_cq = urd_create_cq,
	.create_cq_ex = urd_create_cq_ex,
	.create_qp = urd_create_qp,
	.create_qp_ex = urd_create_qp_ex,
	.create_srq = urd_create_srq,
	.dealloc_mw = urd_dealloc_mw,
	.dealloc_pd = urd_dealloc_pd,
	.dealloc_td = urd_dealloc_td,
	.dereg_mr = urd_dereg_mr,
	.destroy_ah = urd_destroy_ah,
	.destroy_cq = urd_destroy_cq,
	.destroy_qp = urd_destroy_qp,
	.destroy_srq = urd_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = urd_free_context,
	.modify_qp = urd_modify_qp,
	.modify_srq = urd_modify_srq,
	.poll_cq = urd_poll_cq,
	.post_recv = urd_post_recv,
	.post_send = urd_post_send,
	.post_srq_recv = urd_post_srq_recv,
	.query_device_ex = urd_query_device_ex,
	.query_port = urd_query_port,
	.query_qp = urd_query_qp,
	.query_rt_values = urd_query_rt_values,
	.query_srq = urd_query_srq,
	.reg_mr = urd_reg_mr,
	.req_notify_cq = urd_req_notify_cq,
	.rereg_mr = urd_rereg_mr,
	.resize_cq = urd_resize_cq,
};

/* Send operations that not every kernel has, by the device's capabilities */
static int query_send_ops(struct urd_context *ctx)
{
	struct ibv_device_attr_ex attr;
	uint64_t ops = ~0ULL;
	int ret;

	ret = ibv_cmd_query_device_any(&ctx->vctx.context, NULL, &attr,
				       sizeof(attr), NULL, NULL);
	if (ret)
		return ret;

	if (!(attr.device_cap_flags_ex & (IB_UVERBS_DEVICE_FLUSH_GLOBAL |
					  IB_UVERBS_DEVICE_FLUSH_PERSISTENT)))
		ops &= ~(uint64_t)IBV_QP_EX_WITH_FLUSH;
	if (!(attr.device_cap_flags_ex & IB_UVERBS_DEVICE_ATOMIC_WRITE))
		ops &= ~(uint64_t)IBV_QP_EX_WITH_ATOMIC_WRITE;
	ctx->send_ops = ops;
	return 0;
}

static struct verbs_context *urd_alloc_context(struct ibv_device *ibdev,
					       int cmd_fd, void *private_data)
{
	struct urd_cmd_get_context cmd = {
		.abi_version = URD_ABI_VERSION,
	};
	struct urd_cmd_get_context_resp resp = {};
	struct urd_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx,
					   RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;

	ret = ibv_cmd_get_context(&ctx->vctx, &cmd.ibv_cmd, sizeof(cmd),
				  &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_uninit;
	if (resp.abi_version != URD_ABI_VERSION) {
		verbs_err(&ctx->vctx, "kernel ABI %u, need %u\n",
			  resp.abi_version, URD_ABI_VERSION);
		ret = EPROTONOSUPPORT;
		goto err_uninit;
	}
	verbs_set_ops(&ctx->vctx, &urd_ctx_ops);

	ret = query_send_ops(ctx);
	if (ret)
		goto err_uninit;

	return &ctx->vctx;

err_uninit:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

/*
 * There is no driver id to match and the name is whatever the user gave to the
 * link. The driver puts its type into sysfs, and every driver that has an id
 * of its own is somebody else's.
 */
static bool urd_device_match(struct verbs_sysfs_dev *sysfs_dev)
{
	char type[16];

	if (sysfs_dev->driver_id != RDMA_DRIVER_UNKNOWN)
		return false;
	if (ibv_read_ibdev_sysfs_file(type, sizeof(type), sysfs_dev,
				      "hca_type") <= 0)
		return false;
	return strcmp(type, "urd") == 0;
}

static struct verbs_device *urd_device_alloc(struct verbs_sysfs_dev *sysfs_dev)
{
	struct urd_device *dev = calloc(1, sizeof(*dev));

	return dev ? &dev->vdev : NULL;
}

static void urd_device_uninit(struct verbs_device *vdev)
{
	free(container_of(vdev, struct urd_device, vdev));
}

/* libibverbs walks it for every device; only urd_device_match() decides. */
static const struct verbs_match_ent urd_match_none[] = {
	{ .kind = VERBS_MATCH_SENTINEL },
};

static const struct verbs_device_ops urd_dev_ops = {
	.name = "urd",
	.match_table = urd_match_none,
	.match_min_abi_version = URD_ABI_VERSION,
	.match_max_abi_version = URD_ABI_VERSION,
	.match_device = urd_device_match,
	.alloc_device = urd_device_alloc,
	.uninit_device = urd_device_uninit,
	.alloc_context = urd_alloc_context,
};

PROVIDER_DRIVER(urd, urd_dev_ops);
