// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scatter and gather. An SGE's region is held while the cursor is on it, so
 * that deregistration waits for a copy and for nothing longer.
 */
#include "local.h"
#include "sg.h"
#include "proto/icrc.h"

void urd_sgl_init(struct urd_sgl *sgl, struct urd_qp *qp,
		  const struct urd_sge *sge, u32 num, u32 need)
{
	*sgl = (struct urd_sgl){ .qp = qp, .sge = sge, .num = num, .need = need };
}

void urd_sgl_done(struct urd_sgl *sgl)
{
	if (sgl->held)
		urd_span_put(&sgl->span);
	sgl->held = false;
}

static void sgl_advance(struct urd_sgl *sgl)
{
	urd_sgl_done(sgl);
	sgl->idx++;
	sgl->off = 0;
}

void urd_sgl_seek(struct urd_sgl *sgl, u32 off)
{
	while (sgl->idx < sgl->num && off >= sgl->sge[sgl->idx].length - sgl->off) {
		off -= sgl->sge[sgl->idx].length - sgl->off;
		sgl_advance(sgl);
	}
	sgl->off += off;
}

void *urd_sgl_next(struct urd_sgl *sgl, u32 want, u32 *n)
{
	const struct urd_sge *sge;
	u64 contig;
	void *p;

	while (sgl->idx < sgl->num && sgl->off == sgl->sge[sgl->idx].length)
		sgl_advance(sgl);
	if (sgl->idx == sgl->num)
		return NULL;
	sge = &sgl->sge[sgl->idx];
	if (!sgl->held) {
		if (urd_span_get(sgl->qp, sge->lkey, false, sge->addr, sge->length,
				 sgl->need, &sgl->span) != URD_ACCESS_OK)
			return NULL;
		sgl->held = true;
	}
	p = urd_span_at(&sgl->span, sge->addr + sgl->off, &contig);
	*n = min_t(u64, min(want, sge->length - sgl->off), contig);
	sgl->off += *n;
	return p;
}

/* What to do with one contiguous run of an skb; false ends the walk. */
typedef bool (*run_fn)(void *ctx, const void *p, u32 len);

/* Part of [*off, *off + *len) that lies in a run that starts at @start. */
static bool walk_run(const void *base, u32 start, u32 size, u32 *off, u32 *len,
		     run_fn fn, void *ctx)
{
	u32 n;

	if (!*len || *off >= start + size)
		return true;
	n = min(*len, start + size - *off);
	if (!fn(ctx, base + (*off - start), n))
		return false;
	*off += n;
	*len -= n;
	return true;
}

/* @base is the offset of @skb within the outermost one. */
static bool walk_skb(const struct sk_buff *skb, u32 base, u32 *off, u32 *len,
		     run_fn fn, void *ctx)
{
	const struct sk_buff *child;
	u32 start = base;
	int i;

	if (!walk_run(skb->data, start, skb_headlen(skb), off, len, fn, ctx))
		return false;
	start += skb_headlen(skb);
	for (i = 0; *len && i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		if (!walk_run(skb_frag_address(frag), start, skb_frag_size(frag),
			      off, len, fn, ctx))
			return false;
		start += skb_frag_size(frag);
	}
	/* GRO nests one level at most. */
	skb_walk_frags(skb, child) {
		if (!*len)
			break;
		if (*off < start + child->len &&
		    !walk_skb(child, start, off, len, fn, ctx))
			return false;
		start += child->len;
	}
	return true;
}

static bool crc_run(void *ctx, const void *p, u32 len)
{
	u32 *crc = ctx;

	*crc = urd_icrc_update(*crc, p, len);
	return true;
}

u32 urd_skb_crc(const struct sk_buff *skb, u32 off, u32 len, u32 crc)
{
	walk_skb(skb, 0, &off, &len, crc_run, &crc);
	return crc;
}

static bool sgl_run(void *ctx, const void *p, u32 len)
{
	struct urd_sgl *sgl = ctx;
	void *dst;
	u32 n;

	for (; len; len -= n, p += n) {
		dst = urd_sgl_next(sgl, len, &n);
		if (!dst)
			return false;
		memcpy(dst, p, n);
	}
	return true;
}

int urd_skb_to_sgl(const struct sk_buff *skb, u32 off, u32 len, struct urd_sgl *sgl)
{
	return walk_skb(skb, 0, &off, &len, sgl_run, sgl) ? 0 : -EFAULT;
}

struct span_ctx {
	const struct urd_span *span;
	u64 addr;
};

static bool span_run(void *ctx, const void *p, u32 len)
{
	struct span_ctx *c = ctx;
	u64 contig;
	void *dst;
	u32 n;

	for (; len; len -= n, p += n, c->addr += n) {
		dst = urd_span_at(c->span, c->addr, &contig);
		n = min_t(u64, len, contig);
		memcpy(dst, p, n);
	}
	return true;
}

void urd_skb_to_span(const struct sk_buff *skb, u32 off, u32 len,
		     const struct urd_span *span, u64 addr)
{
	struct span_ctx ctx = { .span = span, .addr = addr };

	walk_skb(skb, 0, &off, &len, span_run, &ctx);
}

int urd_rx_to_sgl(const struct urd_rx *rx, struct urd_sgl *sgl)
{
	if (rx->local)
		return urd_local_to_sgl(rx->local, rx->pkt.payload_len, sgl);
	return urd_skb_to_sgl(rx->skb, rx->off + rx->pkt.payload_off,
			      rx->pkt.payload_len, sgl);
}

void urd_rx_to_span(const struct urd_rx *rx, const struct urd_span *span, u64 addr)
{
	if (rx->local)
		urd_local_to_span(rx->local, rx->pkt.payload_len, span, addr);
	else
		urd_skb_to_span(rx->skb, rx->off + rx->pkt.payload_off,
				rx->pkt.payload_len, span, addr);
}
