/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The parts of the engine, for each other. Everything here is called by the
 * owner of qp->lock with BH off.
 */
#ifndef URD_ENGINE_PARTS_H
#define URD_ENGINE_PARTS_H

#include <urd.h>

/**
 * struct urd_rx - one packet under examination
 * @skb: the packet, or the super-packet that it is a segment of
 * @off: offset of the BTH in @skb
 * @len: bytes from BTH to ICRC
 * @pkt: decoded
 * @local: packet of the local path; then there is no @skb
 */
struct urd_rx {
	struct sk_buff *skb;
	u32 off;
	u32 len;
	struct urd_packet pkt;
	struct urd_local *local;
};

/**
 * struct urd_skb_cb - of an skb between the socket and the end of its QP
 * @off: next segment that is to be looked at; 0 is the first BTH
 * @end: where the segments for this QP end
 * @iif: netdev it came in on
 * @v6: IP version
 */
struct urd_skb_cb {
	u32 off;
	u32 end;
	int iif;
	bool v6;
};

static inline struct urd_skb_cb *urd_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct urd_skb_cb) > sizeof(skb->cb));
	return (struct urd_skb_cb *)skb->cb;
}

/* segments.c: are packets of this direction looked at in the QP's state? */
bool urd_rx_state_ok(const struct urd_qp *qp, bool is_request);
/* True with the next acceptable packet of the skb, else the end. */
bool urd_rx_next(struct urd_qp *qp, struct urd_rx *rx, struct sk_buff *skb);

/* Every FLUSH right that this kernel's verbs know. */
#ifdef URD_HAVE_VERBS_FLUSH
#define URD_ACCESS_FLUSH_ANY (IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)
#else
#define URD_ACCESS_FLUSH_ANY 0
#endif

/* responder.c */
void urd_resp_caps(const struct urd_qp *qp, struct urd_resp_caps *caps);
void urd_resp_packet(struct urd_qp *qp, const struct urd_rx *rx);
void urd_resp_send_ack(struct urd_qp *qp);
/* An ACK is owed: at the end of the turn, or at once on the local path. */
void urd_resp_ack_due(struct urd_qp *qp);
void urd_resp_reset(struct urd_qp *qp);
/* NAK (RC) or drop, then the error state where the syndrome demands it. */
void urd_resp_fail(struct urd_qp *qp, u8 syndrome, u8 wc_status);
void urd_resp_complete(struct urd_qp *qp, const struct urd_packet *pkt, u8 status);

/* resp_read.c: requests with an answer of their own, and their replay */
void urd_resp_read_like(struct urd_qp *qp, const struct urd_rx *rx);
void urd_resp_duplicate(struct urd_qp *qp, const struct urd_packet *pkt);
/* Go on with the READ in progress; true when budget is left. */
bool urd_resp_read_run(struct urd_qp *qp, u32 *budget);

/* ud.c: a datagram for a UD or GSI QP */
void urd_resp_datagram(struct urd_qp *qp, const struct urd_rx *rx);

/* requester.c */
bool urd_req_run(struct urd_qp *qp, u32 *budget);
void urd_req_go_back(struct urd_qp *qp, u32 psn);
void urd_req_reset(struct urd_qp *qp);
void urd_req_arm_timer(struct urd_qp *qp);
/* Window: a connection begins, packets were acknowledged, a loss was seen. */
void urd_req_open_window(struct urd_qp *qp);
void urd_req_acked(struct urd_qp *qp, u32 packets);
void urd_req_lost(struct urd_qp *qp, bool timeout);
/* PSNs of one READ request of this QP: long READs go out in pieces. */
u32 urd_req_read_chunk(const struct urd_qp *qp);
void urd_req_pull(struct urd_qp *qp);

/* completer.c */
void urd_comp_packet(struct urd_qp *qp, const struct urd_rx *rx);
void urd_comp_timers(struct urd_qp *qp);
/* The READ request at @psn was answered on the local path. */
void urd_comp_local_read(struct urd_qp *qp, u32 psn, u32 psns);
/* Complete what is done at the head of the SQ. */
void urd_comp_advance(struct urd_qp *qp);
/* The oldest WQE failed with @status: complete it, then error and flush. */
void urd_comp_fail(struct urd_qp *qp, u8 status);
void urd_comp_flush_sq(struct urd_qp *qp);

/* local_op.c: LOCAL_INV, REG_MR, BIND_MW; an IB_WC_* status */
u8 urd_local_op(struct urd_qp *qp, const struct urd_swqe *wqe);

/*
 * engine.c. Packets of a QP are still in another CPU's queues, where what is
 * sent here would overtake them: let that CPU go on.
 */
bool urd_engine_tx_elsewhere(const struct urd_qp *qp);
void urd_engine_move(struct urd_qp *qp);
int urd_engine_init_module(void);
void urd_engine_cqe(struct urd_qp *qp, struct urd_cq *cq, struct urd_cqe *cqe);
/* Have this CPU run the QP once it holds no QP's lock. BH off. */
void urd_qp_kick_later(struct urd_qp *qp);
/* local.c: the pool, for urd_engine_modify_prepare() */
int urd_local_alloc(const struct urd_qp *qp, struct urd_modify_prep *prep);
/* As urd_qp_kick(), but no handler of the consumer is called from here. */
void urd_qp_kick_from_post(struct urd_qp *qp);

static inline bool urd_op_is_local(u8 op)
{
	return op == URD_WR_LOCAL_INV || op == URD_WR_BIND_MW || op == URD_WR_REG_MR;
}

/* Answered by something other than a plain ACK, and counted in max_rd_atomic. */
static inline bool urd_op_has_response(u8 op)
{
	return op == URD_WR_READ || op == URD_WR_CMP_SWP ||
	       op == URD_WR_FETCH_ADD || op == URD_WR_FLUSH ||
	       op == URD_WR_ATOMIC_WRITE;
}

#endif /* URD_ENGINE_PARTS_H */
