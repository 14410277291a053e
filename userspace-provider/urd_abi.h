/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands of the provider: the core's part with the driver's part of
 * rdma/urd-abi.h behind it.
 */
#ifndef URD_ABI_H
#define URD_ABI_H

#include <infiniband/kern-abi.h>
#include <rdma/urd-abi.h>
#include <kernel-abi/urd-abi.h>

#include "urd_layout.h"

DECLARE_DRV_CMD(urd_cmd_get_context, IB_USER_VERBS_CMD_GET_CONTEXT,
		urd_alloc_ucontext_req, urd_alloc_ucontext_resp);
DECLARE_DRV_CMD(urd_cmd_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD, empty, empty);
DECLARE_DRV_CMD(urd_cmd_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		urd_create_cq_req, urd_create_cq_resp);
DECLARE_DRV_CMD(urd_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ, empty,
		urd_resize_cq_resp);
DECLARE_DRV_CMD(urd_cmd_create_qp, IB_USER_VERBS_CMD_CREATE_QP,
		urd_create_qp_req, urd_create_qp_resp);
DECLARE_DRV_CMD(urd_cmd_create_srq, IB_USER_VERBS_CMD_CREATE_SRQ,
		urd_create_srq_req, urd_create_srq_resp);
DECLARE_DRV_CMD(urd_cmd_modify_srq, IB_USER_VERBS_CMD_MODIFY_SRQ,
		urd_modify_srq_req, empty);
DECLARE_DRV_CMD(urd_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty,
		urd_create_ah_resp);

#endif
