// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "qp_table.h"

/* What RC and UC, and what UD and GSI, take alike. */
#define CONNECTED_INIT	(URD_QPA_PKEY | URD_QPA_PORT | URD_QPA_ACCESS)
#define CONNECTED_RTR	(URD_QPA_AV | URD_QPA_MTU | URD_QPA_DEST_QPN | URD_QPA_RQ_PSN)
#define CONNECTED_RTR_O	(URD_QPA_ALT_PATH | URD_QPA_ACCESS | URD_QPA_PKEY)
#define CONNECTED_RTS_O	(URD_QPA_CUR_STATE | URD_QPA_ALT_PATH | URD_QPA_ACCESS | \
			 URD_QPA_MIG_STATE)
#define CONNECTED_SQD_O	(URD_QPA_AV | URD_QPA_ALT_PATH | URD_QPA_ACCESS | \
			 URD_QPA_PKEY | URD_QPA_MIG_STATE)
#define DATAGRAM_KEYS	(URD_QPA_PKEY | URD_QPA_QKEY)
#define DATAGRAM_RTS_O	(URD_QPA_CUR_STATE | URD_QPA_QKEY)

/* What only RC has: timers, retries and responder resources. */
#define RC_SEND		(URD_QPA_TIMEOUT | URD_QPA_RETRY | URD_QPA_RNR_RETRY | \
			 URD_QPA_RD_ATOMIC)
#define RC_RECV		(URD_QPA_DEST_RD_ATOMIC | URD_QPA_RNR_TIMER)

struct qp_row {
	u8 from;
	u8 to;
	u32 required[URD_QPC_COUNT];
	u32 optional[URD_QPC_COUNT];
};

/* Transitions that set attributes. Those to RESET and ERR set none. */
static const struct qp_row qp_rows[] = {
	{
		.from = URD_QPS_RESET, .to = URD_QPS_INIT,
		.required = {
			[URD_QPC_RC]	= CONNECTED_INIT,
			[URD_QPC_UC]	= CONNECTED_INIT,
			[URD_QPC_UD]	= DATAGRAM_KEYS | URD_QPA_PORT,
			[URD_QPC_GSI]	= DATAGRAM_KEYS,
		},
	}, {
		.from = URD_QPS_INIT, .to = URD_QPS_INIT,
		.optional = {
			[URD_QPC_RC]	= CONNECTED_INIT,
			[URD_QPC_UC]	= CONNECTED_INIT,
			[URD_QPC_UD]	= DATAGRAM_KEYS | URD_QPA_PORT,
			[URD_QPC_GSI]	= DATAGRAM_KEYS,
		},
	}, {
		.from = URD_QPS_INIT, .to = URD_QPS_RTR,
		.required = {
			[URD_QPC_RC]	= CONNECTED_RTR | RC_RECV,
			[URD_QPC_UC]	= CONNECTED_RTR,
		},
		.optional = {
			[URD_QPC_RC]	= CONNECTED_RTR_O,
			[URD_QPC_UC]	= CONNECTED_RTR_O,
			[URD_QPC_UD]	= DATAGRAM_KEYS,
			[URD_QPC_GSI]	= DATAGRAM_KEYS,
		},
	}, {
		.from = URD_QPS_RTR, .to = URD_QPS_RTS,
		.required = {
			[URD_QPC_RC]	= URD_QPA_SQ_PSN | RC_SEND,
			[URD_QPC_UC]	= URD_QPA_SQ_PSN,
			[URD_QPC_UD]	= URD_QPA_SQ_PSN,
			[URD_QPC_GSI]	= URD_QPA_SQ_PSN,
		},
		.optional = {
			[URD_QPC_RC]	= CONNECTED_RTS_O | URD_QPA_RNR_TIMER,
			[URD_QPC_UC]	= CONNECTED_RTS_O,
			[URD_QPC_UD]	= DATAGRAM_RTS_O,
			[URD_QPC_GSI]	= DATAGRAM_RTS_O,
		},
	}, {
		.from = URD_QPS_RTS, .to = URD_QPS_RTS,
		.optional = {
			[URD_QPC_RC]	= CONNECTED_RTS_O | URD_QPA_RNR_TIMER,
			[URD_QPC_UC]	= CONNECTED_RTS_O,
			[URD_QPC_UD]	= DATAGRAM_RTS_O,
			[URD_QPC_GSI]	= DATAGRAM_RTS_O,
		},
	}, {
		.from = URD_QPS_RTS, .to = URD_QPS_SQD,
		.optional = {
			[URD_QPC_RC]	= URD_QPA_SQD_NOTIFY,
			[URD_QPC_UC]	= URD_QPA_SQD_NOTIFY,
			[URD_QPC_UD]	= URD_QPA_SQD_NOTIFY,
			[URD_QPC_GSI]	= URD_QPA_SQD_NOTIFY,
		},
	}, {
		.from = URD_QPS_SQD, .to = URD_QPS_SQD,
		.optional = {
			[URD_QPC_RC]	= CONNECTED_SQD_O | URD_QPA_PORT | RC_SEND |
					  RC_RECV,
			[URD_QPC_UC]	= CONNECTED_SQD_O,
			[URD_QPC_UD]	= DATAGRAM_KEYS,
			[URD_QPC_GSI]	= DATAGRAM_KEYS,
		},
	}, {
		.from = URD_QPS_SQD, .to = URD_QPS_RTS,
		.optional = {
			[URD_QPC_RC]	= CONNECTED_RTS_O | URD_QPA_RNR_TIMER,
			[URD_QPC_UC]	= CONNECTED_RTS_O,
			[URD_QPC_UD]	= DATAGRAM_RTS_O,
			[URD_QPC_GSI]	= DATAGRAM_RTS_O,
		},
	}, {
		/* An RC QP never is in SQE: a send error takes it to ERR. */
		.from = URD_QPS_SQE, .to = URD_QPS_RTS,
		.optional = {
			[URD_QPC_UC]	= URD_QPA_CUR_STATE | URD_QPA_ACCESS,
			[URD_QPC_UD]	= DATAGRAM_RTS_O,
			[URD_QPC_GSI]	= DATAGRAM_RTS_O,
		},
	},
};

struct urd_qp_rule urd_qp_rule(enum urd_qp_class class, u32 from, u32 to)
{
	struct urd_qp_rule rule = { .valid = false };
	size_t i;

	if (from >= URD_QPS_COUNT || to >= URD_QPS_COUNT || class >= URD_QPC_COUNT)
		return rule;
	if (to == URD_QPS_RESET || (to == URD_QPS_ERR && from != URD_QPS_RESET)) {
		rule.valid = true;
		return rule;
	}
	for (i = 0; i < ARRAY_SIZE(qp_rows); i++) {
		if (qp_rows[i].from != from || qp_rows[i].to != to)
			continue;
		rule.valid = true;
		rule.required = qp_rows[i].required[class];
		rule.optional = qp_rows[i].optional[class];
		break;
	}
	return rule;
}

bool urd_qp_modify_ok(enum urd_qp_class class, u32 from, u32 to, u32 mask)
{
	struct urd_qp_rule rule = urd_qp_rule(class, from, to);

	if (!rule.valid)
		return false;
	/* These are the states in which the consumer may be one behind. */
	if ((mask & URD_QPA_CUR_STATE) && (from < URD_QPS_RTR || from > URD_QPS_SQE))
		return false;
	if ((mask & rule.required) != rule.required)
		return false;
	return !(mask & ~(rule.required | rule.optional | URD_QPA_STATE));
}
