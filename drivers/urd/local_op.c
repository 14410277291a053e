// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Operations that send no packet: LOCAL_INV, REG_MR, BIND_MW (10.6.7). */
#include "engine.h"

u8 urd_local_op(struct urd_qp *qp, const struct urd_swqe *wqe)
{
	switch (wqe->op) {
	case URD_WR_LOCAL_INV:
		return urd_key_invalidate_local(qp, wqe->inv_rkey);
	case URD_WR_BIND_MW:
		return urd_mw_bind(qp, wqe);
	case URD_WR_REG_MR:
		return urd_mr_fast_reg(qp, wqe->reg.mr, wqe->reg.key, wqe->reg.access);
	}
	return IB_WC_LOC_QP_OP_ERR;
}
