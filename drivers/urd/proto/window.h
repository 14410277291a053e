/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester and completer decisions: what an acknowledge means, whether a
 * response fits what is outstanding, timer tables.
 */
#ifndef URD_WINDOW_H
#define URD_WINDOW_H

#include "portable.h"
#include "packet.h"
#include "psn.h"

enum urd_ack_class {
	URD_ACK_NONE,		/* reserved syndrome: ignore the packet */
	URD_ACK_OK,
	URD_ACK_RNR,		/* wait urd_rnr_usec(value), then resend */
	URD_ACK_SEQ,		/* PSN sequence error: resend from that PSN */
	URD_ACK_FATAL,		/* complete with urd_nak_status() */
};

enum urd_ack_class urd_ack_classify(u8 syndrome);

/* Work completion status (numeric enum ib_wc_status) of a fatal NAK. */
u8 urd_nak_status(u8 syndrome);

/* RNR NAK timer code (0..31) to microseconds: table 46; 0 is 655360. */
u32 urd_rnr_usec(u8 code);

/* Local ACK timeout code (0..31) to nanoseconds: 4.096 us * 2^code; 0 is never. */
u64 urd_timeout_nsec(u8 code);

enum urd_resp_fit {
	URD_FIT_OK,		/* belongs to the oldest outstanding request */
	URD_FIT_AHEAD,		/* acknowledges what precedes it, see below */
	URD_FIT_STALE,		/* PSN already acknowledged: ignore */
	URD_FIT_UNSENT,		/* PSN never sent: ignore */
	URD_FIT_BAD,		/* opcode cannot answer that request: IB_WC_BAD_RESP */
};

/**
 * struct urd_outstanding - the oldest unacknowledged request
 * @any: there is one
 * @wr_op: enum urd_wr_op
 * @first_psn: its first PSN not yet answered
 * @last_psn: its last PSN
 * @next_psn: first PSN never sent
 */
struct urd_outstanding {
	bool any;
	u8 wr_op;
	u32 first_psn;
	u32 last_psn;
	u32 next_psn;
};

/*
 * Does a response packet fit? A SEND or WRITE is acknowledged by any response
 * from its last PSN on; past it the answer is AHEAD: complete it and ask again.
 *
 * READs, atomics, FLUSH and ATOMIC WRITE are only completed by a response of
 * their own kind: READ response, ATOMIC ACK, and a READ response ONLY without
 * payload for the last two (Annex A19). For them AHEAD is the implied loss of a
 * response: a plain ACK at or past them, any response past them, or a READ
 * response that skips one; resend from @first_psn (9.7.5.1.1, fault C07).
 *
 * A NAK or RNR NAK within the oldest request fits, whatever that is.
 */
enum urd_resp_fit urd_resp_fit(const struct urd_outstanding *out,
			       const struct urd_packet *pkt);

#endif /* URD_WINDOW_H */
