// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The local path, see local.h. Ownership of a struct urd_local:
 *   sender:    takes it from its pool (busy), fills it, adds it to the peer's
 *              inbox [A, llist_add_batch is a full barrier]
 *   responder: takes it [B, llist_del_all, pairs with A], executes it, drops
 *              the regions, adds it to the sender's inbox [C], puts its hold
 *              on the sender
 *   sender:    takes it back [D, pairs with C], reads the answer, not busy
 * A QP that is destroyed waits for its packets through the holds; a dying QP
 * keeps sending back what it gets, so two of them do not wait for each other.
 */
#include "local.h"
#include "sg.h"

#define POOL_BYTES	(48u << 10)	/* at most, of one QP */
#define POOL_MAX	64u
#define CHUNK_BYTES	(64u << 10)	/* copied under the peer's lock at a time */

/* ---- the pool ------------------------------------------------------------ */

static size_t local_size(u32 max_sge)
{
	struct urd_local *l;

	return ALIGN(struct_size(l, piece, max(max_sge, 1u)), 64);
}

int urd_local_alloc(const struct urd_qp *qp, struct urd_modify_prep *prep)
{
	size_t size = local_size(qp->sq.max_sge);
	u32 n = min(POOL_MAX, qp->sq.depth);

	while (n > 1 && n * size > POOL_BYTES)
		n /= 2;
	prep->pool = kvcalloc(n, size, GFP_KERNEL_ACCOUNT);
	prep->pool_size = n;
	return prep->pool ? 0 : -ENOMEM;
}

struct urd_local *urd_local_get(struct urd_qp *qp)
{
	struct urd_eng_local *el = &qp->eng.local;
	struct urd_local *l;

	if (!el->pool)
		return NULL;
	l = el->pool + (el->head & (el->pool_size - 1)) * local_size(qp->sq.max_sge);
	if (l->busy)
		return NULL;
	l->back = false;
	l->answer = URD_ANSWER_NONE;
	l->src = qp;
	l->num = 0;
	return l;
}

static void drop_pieces(struct urd_local *l)
{
	while (l->num)
		urd_span_put(&l->piece[--l->num].span);
}

u8 urd_local_attach(struct urd_qp *qp, struct urd_local *l, struct urd_swqe *wqe,
		    u32 off, u32 len, u32 need)
{
	const struct urd_sge *sge = urd_swqe_sge(wqe);
	u32 i;

	if (wqe->flags & URD_WR_INLINE) {
		l->piece[0] = (struct urd_piece){
			.inl = (const u8 *)sge + off, .len = len };
		l->num = 1;
		return 0;
	}
	for (i = 0; len && i < wqe->num_sge; i++) {
		struct urd_piece *p = &l->piece[l->num];

		if (off >= sge[i].length) {
			off -= sge[i].length;
			continue;
		}
		p->addr = sge[i].addr + off;
		p->len = min(len, sge[i].length - off);
		p->inl = NULL;
		if (urd_span_get(qp, sge[i].lkey, false, p->addr, p->len, need,
				 &p->span) != URD_ACCESS_OK) {
			drop_pieces(l);
			return IB_WC_LOC_PROT_ERR;
		}
		l->num++;
		off = 0;
		len -= p->len;
	}
	return 0;
}

/* ---- sending ------------------------------------------------------------- */

static bool is_peer(const struct urd_qp *qp, const struct urd_qp *peer)
{
	const struct urd_av *mine = qp->av, *theirs;

	/* Freed after a grace period only; BH is off, so this is a reader. */
	theirs = READ_ONCE(peer->av);
	return mine && theirs && peer->dev->net == qp->dev->net &&
	       peer->service == qp->service && mine->v6 == theirs->v6 &&
	       ipv6_addr_equal(&mine->daddr, &theirs->saddr) &&
	       ipv6_addr_equal(&mine->saddr, &theirs->daddr);
}

void urd_local_open(struct urd_qp *qp, struct urd_local_batch *batch)
{
	*batch = (struct urd_local_batch){};
	/* A UC send is complete before anybody copied, so it has to be a packet. */
	if (qp->service != URD_SVC_RC || !READ_ONCE(qp->dev->local_path))
		return;
	batch->peer = urd_ref_find(&urd_qpns, qp->attr.dest_qp_num);
	if (batch->peer && !is_peer(qp, batch->peer->obj)) {
		urd_ref_put(batch->peer);
		batch->peer = NULL;
	}
	batch->chunk = CHUNK_BYTES / qp->mtu;
}

void urd_local_add(struct urd_local_batch *batch, struct urd_local *l)
{
	struct urd_qp *qp = l->src;

	l->busy = true;
	qp->eng.local.head++;
	qp->eng.local.out++;
	refcount_inc(&qp->ref->count);
	urd_count_n(qp->dev, tx_packets, l->psns);
	urd_count_n(qp->dev, tx_bytes, l->pkt.payload_len);
	urd_count(qp->dev, tx_local);
	l->node.next = batch->first;
	batch->first = &l->node;
	if (!batch->last)
		batch->last = &l->node;
}

void urd_local_close(struct urd_qp *qp, struct urd_local_batch *batch)
{
	struct urd_qp *peer;

	if (!batch->peer)
		return;
	peer = batch->peer->obj;
	if (batch->first) {
		llist_add_batch(batch->first, batch->last, &peer->eng.local.inbox);
		urd_qp_kick_later(peer);
	}
	urd_ref_put(batch->peer);
	batch->peer = NULL;
}

/* ---- copying ------------------------------------------------------------- */

static void *piece_at(const struct urd_piece *p, u32 off, u32 want, u32 *n)
{
	u64 contig = p->len - off;
	void *at;

	if (p->inl)
		at = (void *)(p->inl + off);
	else
		at = urd_span_at(&p->span, p->addr + off, &contig);
	*n = min_t(u64, min(want, p->len - off), contig);
	return at;
}

int urd_local_to_sgl(const struct urd_local *l, u32 len, struct urd_sgl *sgl)
{
	u32 i = 0, off = 0, n, m;

	while (len) {
		const void *from = piece_at(&l->piece[i], off, len, &n);
		void *to = urd_sgl_next(sgl, n, &m);

		if (!to)
			return -EFAULT;
		memcpy(to, from, m);
		len -= m;
		off += m;
		if (off == l->piece[i].len) {
			i++;
			off = 0;
		}
	}
	return 0;
}

/* Copy between the pieces and [addr, addr + len) of a region. */
static void copy_span(const struct urd_local *l, u32 len, const struct urd_span *span,
		      u64 addr, bool to_span)
{
	u32 i = 0, off = 0, n;
	u64 contig;

	for (; len; len -= n, addr += n, off += n) {
		void *piece, *at;

		if (off == l->piece[i].len) {
			i++;
			off = 0;
		}
		piece = piece_at(&l->piece[i], off, len, &n);
		at = urd_span_at(span, addr, &contig);
		n = min_t(u64, n, contig);
		memcpy(to_span ? at : piece, to_span ? piece : at, n);
	}
}

void urd_local_to_span(const struct urd_local *l, u32 len,
		       const struct urd_span *span, u64 addr)
{
	copy_span(l, len, span, addr, true);
}

void urd_local_from_span(const struct urd_local *l, u32 len,
			 const struct urd_span *span, u64 addr)
{
	copy_span(l, len, span, addr, false);
}

bool urd_local_get_u64(const struct urd_local *l, u64 *value)
{
	u32 done = 0, i, n;

	for (i = 0; i < l->num && done < sizeof(*value); i++) {
		u32 off = 0;

		for (; off < l->piece[i].len && done < sizeof(*value); off += n) {
			void *p = piece_at(&l->piece[i], off, sizeof(*value) - done, &n);

			memcpy((u8 *)value + done, p, n);
			done += n;
		}
	}
	return done == sizeof(*value);
}

void urd_local_reply(struct urd_local *l, const struct urd_packet *pkt)
{
	l->answer = URD_ANSWER_PACKET;
	l->reply = *pkt;
	l->reply.op = &urd_opinfo[pkt->opcode];
}

/* ---- receiving ----------------------------------------------------------- */

/* Packets that go back to one sender. */
struct returns {
	struct urd_qp *src;
	struct llist_node *first;
	struct llist_node *last;
	u32 n;
};

static void send_back(struct returns *r)
{
	struct urd_qp *src = r->src;

	if (!r->n)
		return;
	llist_add_batch(r->first, r->last, &src->eng.local.inbox);
	urd_qp_kick_later(src);
	while (r->n--)
		urd_ref_put(src->ref);
	*r = (struct returns){};
}

static void add_return(struct returns *r, struct urd_local *l)
{
	drop_pieces(l);
	l->back = true;
	if (r->n && r->src != l->src)
		send_back(r);
	r->src = l->src;
	l->node.next = r->first;
	r->first = &l->node;
	if (!r->last)
		r->last = &l->node;
	r->n++;
}

static void serve(struct urd_qp *qp, struct urd_local *l)
{
	struct urd_rx rx = { .local = l, .pkt = l->pkt };

	urd_count_n(qp->dev, rx_packets, l->psns);
	urd_count_n(qp->dev, rx_bytes, l->pkt.payload_len);
	urd_count(qp->dev, rx_local);
	if (!urd_rx_state_ok(qp, true)) {
		urd_count(qp->dev, rx_drop_qp_state);
		return;
	}
	if (!is_peer(qp, l->src)) {
		urd_count(qp->dev, rx_drop_address);
		return;
	}
	qp->eng.resp.local = l;
	urd_resp_packet(qp, &rx);
	qp->eng.resp.local = NULL;
}

static void is_back(struct urd_qp *qp, struct urd_local *l)
{
	l->busy = false;
	WRITE_ONCE(qp->eng.local.out, qp->eng.local.out - 1);
}

static void take_answer(struct urd_qp *qp, struct urd_local *l)
{
	struct urd_rx rx = { .local = l, .pkt = l->reply };
	u8 answer = l->answer;

	is_back(qp, l);
	if (answer == URD_ANSWER_PACKET)
		urd_comp_packet(qp, &rx);
	else if (answer == URD_ANSWER_READ)
		urd_comp_local_read(qp, l->pkt.psn, l->psns);
}

static struct urd_local *next_local(struct urd_qp *qp)
{
	struct urd_eng_local *el = &qp->eng.local;

	if (!el->fifo)
		el->fifo = llist_reverse_order(llist_del_all(&el->inbox));
	return el->fifo ? llist_entry(el->fifo, struct urd_local, node) : NULL;
}

void urd_local_run(struct urd_qp *qp, u32 *budget)
{
	struct returns back = {};
	struct urd_local *l;

	while (*budget && (l = next_local(qp))) {
		if (!l->back && qp->eng.resp.read_active)
			break;	/* a READ on the wire path goes first */
		qp->eng.local.fifo = l->node.next;
		if (l->back) {
			take_answer(qp, l);
			continue;
		}
		(*budget)--;
		serve(qp, l);
		add_return(&back, l);
	}
	send_back(&back);
}

bool urd_local_pending(const struct urd_qp *qp)
{
	return qp->eng.local.fifo || !llist_empty(&qp->eng.local.inbox);
}

void urd_local_bounce(struct urd_qp *qp)
{
	struct returns back = {};
	struct urd_local *l;

	while ((l = next_local(qp))) {
		qp->eng.local.fifo = l->node.next;
		if (l->back)
			is_back(qp, l);
		else
			add_return(&back, l);
	}
	send_back(&back);
}
