/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QP state transitions and the attributes that each of them takes (IBTA volume
 * 1, 10.3.1 and table 91 of 11.2.5.2), for the transports of this device.
 */
#ifndef URD_QP_TABLE_H
#define URD_QP_TABLE_H

#include "portable.h"

/* Numeric values are those of enum ib_qp_state. */
enum urd_qp_state {
	URD_QPS_RESET, URD_QPS_INIT, URD_QPS_RTR, URD_QPS_RTS, URD_QPS_SQD,
	URD_QPS_SQE, URD_QPS_ERR,
	URD_QPS_COUNT
};

/* Numeric values are those of enum ib_qp_attr_mask. */
enum urd_qp_attr {
	URD_QPA_STATE		= 1 << 0,
	URD_QPA_CUR_STATE	= 1 << 1,
	URD_QPA_SQD_NOTIFY	= 1 << 2,
	URD_QPA_ACCESS		= 1 << 3,
	URD_QPA_PKEY		= 1 << 4,
	URD_QPA_PORT		= 1 << 5,
	URD_QPA_QKEY		= 1 << 6,
	URD_QPA_AV		= 1 << 7,
	URD_QPA_MTU		= 1 << 8,
	URD_QPA_TIMEOUT		= 1 << 9,
	URD_QPA_RETRY		= 1 << 10,
	URD_QPA_RNR_RETRY	= 1 << 11,
	URD_QPA_RQ_PSN		= 1 << 12,
	URD_QPA_RD_ATOMIC	= 1 << 13,
	URD_QPA_ALT_PATH	= 1 << 14,
	URD_QPA_RNR_TIMER	= 1 << 15,
	URD_QPA_SQ_PSN		= 1 << 16,
	URD_QPA_DEST_RD_ATOMIC	= 1 << 17,
	URD_QPA_MIG_STATE	= 1 << 18,
	URD_QPA_CAP		= 1 << 19,
	URD_QPA_DEST_QPN	= 1 << 20,
};

enum urd_qp_class {
	URD_QPC_RC, URD_QPC_UC, URD_QPC_UD, URD_QPC_GSI,
	URD_QPC_COUNT
};

/**
 * struct urd_qp_rule - one transition of one class of QP
 * @valid: the transition exists
 * @required: attributes that must be given
 * @optional: attributes that may be given; %URD_QPA_STATE always may
 */
struct urd_qp_rule {
	bool valid;
	u32 required;
	u32 optional;
};

struct urd_qp_rule urd_qp_rule(enum urd_qp_class class, u32 from, u32 to);

/* May a QP in @from be modified to @to with the attributes in @mask? */
bool urd_qp_modify_ok(enum urd_qp_class class, u32 from, u32 to, u32 mask);

#endif /* URD_QP_TABLE_H */
