/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The local path: packets between two connected QPs of this module, without an
 * skb. A struct urd_local is a packet whose payload is a list of checked
 * pieces of the sender's memory and may be many path MTUs long. The responder
 * copies from there, or, for a READ, to there, notes its answer in it and
 * sends it back. PSNs, checks, answers and counters are those of the wire.
 */
#ifndef URD_LOCAL_H
#define URD_LOCAL_H

#include "engine.h"

struct urd_sgl;

enum urd_answer {
	URD_ANSWER_NONE,	/* as if lost */
	URD_ANSWER_PACKET,	/* @reply is the response packet */
	URD_ANSWER_READ,	/* the data of a READ is in place */
};

/* A piece of memory with its region held. */
struct urd_piece {
	u64 addr;
	u32 len;
	const u8 *inl;		/* inline data instead of addr */
	struct urd_span span;
};

/**
 * struct urd_local - one packet on the local path
 * @node: in the inbox of a QP
 * @busy: under way; set by the sender, cleared when it took the answer
 * @back: on its way back
 * @answer: enum urd_answer
 * @src: sender, held through its handle
 * @psns: PSNs that it stands for
 * @pkt: the packet; payload_len may exceed the path MTU
 * @reply: response
 * @num: pieces
 */
struct urd_local {
	struct llist_node node;
	bool busy;
	bool back;
	u8 answer;
	struct urd_qp *src;
	u32 psns;
	struct urd_packet pkt;
	struct urd_packet reply;
	u32 num;
	struct urd_piece piece[];
};

/**
 * struct urd_local_batch - packets for one peer, collected during a turn
 * @peer: handle, held; NULL: there is no local path
 * @first, @last: newest and oldest
 * @chunk: PSNs of one packet at most
 */
struct urd_local_batch {
	struct urd_ref *peer;
	struct llist_node *first;
	struct llist_node *last;
	u32 chunk;
};

void urd_local_open(struct urd_qp *qp, struct urd_local_batch *batch);
/* A free packet of this QP, or NULL until one comes back. */
struct urd_local *urd_local_get(struct urd_qp *qp);
/* Attach [off, off + len) of the WQE. 0 or IB_WC_LOC_PROT_ERR. */
u8 urd_local_attach(struct urd_qp *qp, struct urd_local *l, struct urd_swqe *wqe,
		    u32 off, u32 len, u32 need);
void urd_local_add(struct urd_local_batch *batch, struct urd_local *l);
/* Hand the batch over and see to it that the peer runs. */
void urd_local_close(struct urd_qp *qp, struct urd_local_batch *batch);

/* Take in what arrived: requests, and own packets with answers. */
void urd_local_run(struct urd_qp *qp, u32 *budget);
bool urd_local_pending(const struct urd_qp *qp);
/* The QP dies: send back what others sent. */
void urd_local_bounce(struct urd_qp *qp);

/* Payload of a request to the responder's memory, data of a READ from it. */
int urd_local_to_sgl(const struct urd_local *l, u32 len, struct urd_sgl *sgl);
void urd_local_to_span(const struct urd_local *l, u32 len,
		       const struct urd_span *span, u64 addr);
void urd_local_from_span(const struct urd_local *l, u32 len,
			 const struct urd_span *span, u64 addr);

/* Payload of an ATOMIC WRITE. */
bool urd_local_get_u64(const struct urd_local *l, u64 *value);

/* The responder's answers while it executes the packet l. */
void urd_local_reply(struct urd_local *l, const struct urd_packet *pkt);

#endif /* URD_LOCAL_H */
