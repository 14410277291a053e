/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder decisions (IBTA volume 1, 9.7.4 and 9.8.3): given the responder's
 * state and one request packet, say what is to be done. No side effects but
 * on struct urd_resp_state, and those only in urd_respond_accept() and
 * urd_respond_forget(). A duplicate is never accepted, so replaying it does not
 * touch what may come next (fault R02).
 */
#ifndef URD_RESPOND_H
#define URD_RESPOND_H

#include "portable.h"
#include "packet.h"
#include "psn.h"

enum urd_verdict {
	URD_V_NONE,
	URD_V_EXECUTE,		/* in order and legal: do it */
	URD_V_DUPLICATE,	/* RC: PSN in the past: replay or ACK again */
	URD_V_NAK_SEQ,		/* RC: PSN in the future, NAK once */
	URD_V_DROP,		/* silently */
	URD_V_NAK_INVALID,	/* RC: NAK invalid request and error state */
	URD_V_DROP_MESSAGE,	/* UC: forget the message being received */
	URD_V_NAK_ACCESS,	/* RC: for the caller's R_Key check, not from here */
};

/**
 * struct urd_resp_state - ordering state of a responder
 * @epsn: expected PSN
 * @msg_kind: URD_KIND_SEND or URD_KIND_WRITE while a message of several
 *	packets is being received, else URD_KIND_NONE
 * @nak_sent: a sequence or RNR NAK was sent for @epsn, no second sequence NAK
 *	(9.7.5.2.8); set by the caller when it sends one
 * @psn_lost: UC: PSN gap seen, wait for the next FIRST or ONLY
 */
struct urd_resp_state {
	u32 epsn;
	u8 msg_kind;
	bool nak_sent;
	bool psn_lost;
};

/**
 * struct urd_resp_caps - what the responder QP allows
 * @service: URD_SVC_*
 * @mtu: path MTU in bytes
 * @allow_write: remote WRITE enabled (also ATOMIC WRITE)
 * @allow_read: remote READ enabled
 * @allow_atomic: remote atomics enabled
 * @allow_flush: FLUSH enabled
 * @max_rd_atomic: READ and atomic resources; 0 refuses both (fault A18)
 */
struct urd_resp_caps {
	u8 service;
	u32 mtu;
	bool allow_write;
	bool allow_read;
	bool allow_atomic;
	bool allow_flush;
	u32 max_rd_atomic;
};

/*
 * PSN order only. A packet that is no request of the QP's service: DROP.
 * RC: EXECUTE, DUPLICATE, NAK_SEQ or DROP.
 * UC: EXECUTE also for a FIRST or ONLY after a gap, otherwise DROP_MESSAGE or,
 *     when there is nothing left to forget, DROP (9.8.3.1).
 * UD: EXECUTE.
 */
enum urd_verdict urd_respond_psn(const struct urd_resp_state *st,
				 const struct urd_resp_caps *caps,
				 const struct urd_packet *pkt);

/*
 * For a packet that is in PSN order, and in this order: opcode sequence, payload
 * length, operation enabled on the QP, READ and atomic resources, RETH length
 * (at most 2^31), alignment of atomics, fields of FLUSH.
 * RC: EXECUTE or NAK_INVALID. A disabled operation is an invalid request, not
 *     an access error (9.7.4.1.4).
 * UC: EXECUTE or DROP_MESSAGE. A FIRST or ONLY executes even while a message is
 *     being received: that message is forgotten, and the receive WQE that it
 *     holds serves the next SEND (9.8.3.2).
 * UD: EXECUTE or DROP.
 */
enum urd_verdict urd_respond_op(const struct urd_resp_state *st,
				const struct urd_resp_caps *caps,
				const struct urd_packet *pkt);

/*
 * Account for an executed packet: advance @epsn by the PSNs that it uses (a
 * READ uses one per response packet), note the message in progress, allow the
 * next sequence NAK.
 */
void urd_respond_accept(struct urd_resp_state *st, const struct urd_resp_caps *caps,
			const struct urd_packet *pkt);

/* UC: after DROP_MESSAGE: nothing counts until the next FIRST or ONLY. */
void urd_respond_forget(struct urd_resp_state *st);

/* PSNs used by a request packet. */
u32 urd_respond_psn_span(const struct urd_packet *pkt, u32 mtu);

#endif /* URD_RESPOND_H */
