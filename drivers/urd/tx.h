/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets out. A struct urd_txb collects packets of one QP into an skb. Packets
 * of equal length, and a shorter one as the last, share a GSO super-packet;
 * a packet that does not fit closes the skb and opens the next. All calls are
 * made by the owner of the QP's engine, with BH off.
 */
#ifndef URD_TX_H
#define URD_TX_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <urd.h>

struct urd_ip4_hdrs {
	struct iphdr ip;
	struct udphdr udp;
} __packed;

struct urd_ip6_hdrs {
	struct ipv6hdr ip;
	struct udphdr udp;
} __packed;

/**
 * struct urd_txb - skb under construction
 * @qp: sender; @av: destination
 * @skb: NULL when empty
 * @at, @room: write cursor: linear tail of @skb, or the page fragment
 * @seg_len: UDP payload of a full segment, @segs of them so far
 * @bytes: UDP payload so far
 * @short_tail: the last segment was shorter: no more can follow
 * @seg_at: @bytes at the start of the segment being written
 * @crc: of that segment
 * @id: IPv4 identification of the first segment
 * @sent: skbs given to the stack since urd_txb_init()
 */
struct urd_txb {
	struct urd_qp *qp;
	struct urd_av *av;
	struct sk_buff *skb;
	u8 *at;
	u32 room;
	bool in_page;
	u32 seg_len;
	u32 segs;
	u32 bytes;
	bool short_tail;
	u32 seg_at;
	u32 crc;
	u16 id;
	u32 sent;
	union {
		struct urd_ip4_hdrs v4;
		struct urd_ip6_hdrs v6;
	};
};

void urd_txb_init(struct urd_txb *b, struct urd_qp *qp, struct urd_av *av);
/*
 * Start a packet with @pkt's headers and @payload bytes to come, whose pad is
 * filled in. 0 or -ENOMEM.
 */
int urd_txb_begin(struct urd_txb *b, struct urd_packet *pkt, u32 payload);
/* Payload of the current packet, copied and added to its ICRC. 0 or -ENOMEM. */
int urd_txb_put(struct urd_txb *b, const void *p, u32 len);
/* Pad and ICRC. 0 or -ENOMEM. */
int urd_txb_end(struct urd_txb *b, u32 pad);
/* Take the current, unfinished packet back. */
void urd_txb_abort(struct urd_txb *b);
/* Send what was collected. */
void urd_txb_flush(struct urd_txb *b);

/* Source of skb ownership of a QP; tx_close is idempotent. */
int urd_tx_open(struct urd_qp *qp);
void urd_tx_close(struct urd_qp *qp);

/*
 * False when the QP has enough bytes in the queues below; URD_ENG_TX_FULL is
 * then set and the engine runs again when there is room.
 */
bool urd_tx_ready(struct urd_qp *qp);

void urd_tx_exit(void);

#endif /* URD_TX_H */
