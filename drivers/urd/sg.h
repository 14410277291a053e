/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Scatter and gather: SGE lists, checked regions and skbs as runs of bytes. */
#ifndef URD_SG_H
#define URD_SG_H

#include "engine.h"

/**
 * struct urd_sgl - cursor over the bytes of an SGE list
 * @qp: whose protection domain counts
 * @sge, @num: the list; the kernel's own copy
 * @need: enum urd_right on each element
 * @idx, @off: position
 * @held: @span is that of element @idx
 */
struct urd_sgl {
	struct urd_qp *qp;
	const struct urd_sge *sge;
	u32 num;
	u32 need;
	u32 idx;
	u32 off;
	bool held;
	struct urd_span span;
};

void urd_sgl_init(struct urd_sgl *sgl, struct urd_qp *qp,
		  const struct urd_sge *sge, u32 num, u32 need);
void urd_sgl_seek(struct urd_sgl *sgl, u32 off);
/*
 * Next run of at most @want bytes: its kernel address, length in *n, and the
 * cursor moves past it. NULL when the list ends or an element may not be used.
 */
void *urd_sgl_next(struct urd_sgl *sgl, u32 want, u32 *n);
void urd_sgl_done(struct urd_sgl *sgl);

/* CRC over len bytes of an skb from off. */
u32 urd_skb_crc(const struct sk_buff *skb, u32 off, u32 len, u32 crc);

/* Copy from an skb into an SGE list or a checked region. 0 or -EFAULT. */
int urd_skb_to_sgl(const struct sk_buff *skb, u32 off, u32 len, struct urd_sgl *sgl);
void urd_skb_to_span(const struct sk_buff *skb, u32 off, u32 len,
		     const struct urd_span *span, u64 addr);

/* Payload of a packet, whichever path it came on. */
int urd_rx_to_sgl(const struct urd_rx *rx, struct urd_sgl *sgl);
void urd_rx_to_span(const struct urd_rx *rx, const struct urd_span *span, u64 addr);

#endif /* URD_SG_H */
