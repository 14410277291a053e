// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions: ibv_poll_cq, the extended poll calls, arming, and the removal
 * of a dead QP's entries. No system call in any of them.
 */
#include "urd.h"

/* By enum urd_wr_op, of a send queue's completion */
static const uint8_t send_opcodes[URD_WR_OP_COUNT] = {
	[URD_WR_SEND] = IBV_WC_SEND,
	[URD_WR_SEND_IMM] = IBV_WC_SEND,
	[URD_WR_SEND_INV] = IBV_WC_SEND,
	[URD_WR_WRITE] = IBV_WC_RDMA_WRITE,
	[URD_WR_WRITE_IMM] = IBV_WC_RDMA_WRITE,
	[URD_WR_READ] = IBV_WC_RDMA_READ,
	[URD_WR_CMP_SWP] = IBV_WC_COMP_SWAP,
	[URD_WR_FETCH_ADD] = IBV_WC_FETCH_ADD,
	[URD_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[URD_WR_BIND_MW] = IBV_WC_BIND_MW,
	[URD_WR_FLUSH] = IBV_WC_FLUSH,
	[URD_WR_ATOMIC_WRITE] = IBV_WC_ATOMIC_WRITE,
};

static enum ibv_wc_opcode wc_opcode_of(const struct urd_cqe *cqe)
{
	if (cqe->flags & URD_CQE_RECV)
		return cqe->opcode == URD_WR_WRITE_IMM ?
			       IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	return cqe->opcode < URD_WR_OP_COUNT ? send_opcodes[cqe->opcode] : 0;
}

static unsigned int wc_flags_of(const struct urd_cqe *cqe)
{
	unsigned int flags = 0;

	if (cqe->flags & URD_CQE_GRH)
		flags |= IBV_WC_GRH;
	if (cqe->flags & URD_CQE_IMM)
		flags |= IBV_WC_WITH_IMM;
	if (cqe->flags & URD_CQE_INV)
		flags |= IBV_WC_WITH_INV;
	return flags;
}

/* imm holds either kind; the flags say in which order its bytes are. */
static __be32 wc_imm_of(const struct urd_cqe *cqe)
{
	__be32 imm;

	memcpy(&imm, &cqe->imm, sizeof(imm));
	return imm;
}

static void fill_wc(struct ibv_wc *wc, const struct urd_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = wc_opcode_of(cqe);
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = wc_imm_of(cqe);
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = wc_flags_of(cqe);
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = 0;
	wc->dlid_path_bits = 0;
}

int urd_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	struct urd_ring *ring = &cq->ring;
	uint32_t avail, i;

	urd_lock(&cq->lock);
	if (unlikely(!ring->hdr)) {
		urd_unlock(&cq->lock);
		return -EIO;
	}
	avail = urd_ring_avail(ring);
	if (num_entries < 0)
		avail = 0;
	else if (avail > (uint32_t)num_entries)
		avail = num_entries;
	for (i = 0; i < avail; i++)
		fill_wc(&wc[i], urd_ring_entry(ring, ring->index + i));
	if (avail)
		urd_ring_consume(ring, ring->index + avail);
	urd_unlock(&cq->lock);

	return avail;
}

/*
 * Arm. The kernel stores prod, then a full barrier, then looks at the bits;
 * here it is the bits, a full barrier, then the poll that the caller owes
 * (ibv_req_notify_cq(3)). One of both sees the other, so no completion is
 * missed by the two together.
 */
int urd_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct urd_cq *cq = to_urd_cq(ibcq);
	uint32_t arm = solicited_only ? URD_CQ_ARM_SOLICITED : URD_CQ_ARM_NEXT;
	int ret = 0;

	urd_lock(&cq->lock);
	if (likely(cq->ring.hdr))
		atomic_fetch_or(urd_shared(&cq->ring.hdr->flags), arm);
	else
		ret = EIO;
	urd_unlock(&cq->lock);
	atomic_thread_fence(memory_order_seq_cst);

	return ret;
}

/*
 * Drop the entries of @qpn, whose QP is gone in the kernel. The kernel may be
 * adding entries of other QPs meanwhile, so what is kept moves towards the
 * producer, into slots that are ours, and the consumer index moves up.
 */
void urd_cq_purge(struct urd_cq *cq, uint32_t qpn)
{
	struct urd_ring *ring = &cq->ring;
	const struct urd_cqe *cqe;
	uint32_t from, to, end;

	urd_lock(&cq->lock);
	if (!ring->hdr)
		goto out;

	end = ring->index + urd_ring_avail(ring);
	for (from = end, to = end; from != ring->index; from--) {
		cqe = urd_ring_entry(ring, from - 1);
		if (cqe->qpn == qpn)
			continue;
		to--;
		if (to != from - 1)
			memcpy(urd_ring_entry(ring, to), cqe, sizeof(*cqe));
	}
	if (to != ring->index)
		urd_ring_consume(ring, to);
out:
	urd_unlock(&cq->lock);
}

/* Make the entry at the ring's index the current one. Return: 0 or ENOENT. */
static int load_current(struct urd_cq *cq)
{
	if (!urd_ring_avail(&cq->ring))
		return ENOENT;
	cq->cqe = urd_ring_entry(&cq->ring, cq->ring.index);
	cq->vcq.cq_ex.wr_id = cq->cqe->wr_id;
	cq->vcq.cq_ex.status = cq->cqe->status;
	return 0;
}

/* The entry stays in the ring while it is read; then its slot is given back. */
static void drop_current(struct urd_cq *cq)
{
	if (!cq->cqe)
		return;
	cq->cqe = NULL;
	urd_ring_consume(&cq->ring, cq->ring.index + 1);
}

/* Keeps the lock until end_poll, unless it fails. */
static int start_poll(struct ibv_cq_ex *cqx, struct ibv_poll_cq_attr *attr)
{
	struct urd_cq *cq = to_urd_cq_ex(cqx);
	int ret;

	if (attr->comp_mask)
		return EINVAL;

	urd_lock(&cq->lock);
	ret = likely(cq->ring.hdr) ? load_current(cq) : EIO;
	if (ret)
		urd_unlock(&cq->lock);
	return ret;
}

static int next_poll(struct ibv_cq_ex *cqx)
{
	struct urd_cq *cq = to_urd_cq_ex(cqx);

	drop_current(cq);
	return load_current(cq);
}

static void end_poll(struct ibv_cq_ex *cqx)
{
	struct urd_cq *cq = to_urd_cq_ex(cqx);

	drop_current(cq);
	urd_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cqx)
{
	return wc_opcode_of(to_urd_cq_ex(cqx)->cqe);
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cqx)
{
	return to_urd_cq_ex(cqx)->cqe->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cqx)
{
	return to_urd_cq_ex(cqx)->cqe->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cqx)
{
	return wc_imm_of(to_urd_cq_ex(cqx)->cqe);
}

static uint32_t read_qp_num(struct ibv_cq_ex *cqx)
{
	return to_urd_cq_ex(cqx)->cqe->qpn;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cqx)
{
	return to_urd_cq_ex(cqx)->cqe->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cqx)
{
	return wc_flags_of(to_urd_cq_ex(cqx)->cqe);
}

/* RoCE has neither LIDs nor path bits; the service level is not on the wire. */
static uint32_t read_slid(struct ibv_cq_ex *cqx)
{
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *cqx)
{
	return 0;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cqx)
{
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cqx)
{
	return to_urd_cq_ex(cqx)->cqe->timestamp;
}

void urd_cq_init_ex(struct urd_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *cqx = &cq->vcq.cq_ex;

	cqx->start_poll = start_poll;
	cqx->next_poll = next_poll;
	cqx->end_poll = end_poll;
	cqx->read_opcode = read_opcode;
	cqx->read_vendor_err = read_vendor_err;
	cqx->read_wc_flags = read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		cqx->read_byte_len = read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		cqx->read_imm_data = read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		cqx->read_qp_num = read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		cqx->read_src_qp = read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		cqx->read_slid = read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		cqx->read_sl = read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		cqx->read_dlid_path_bits = read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cqx->read_completion_ts = read_completion_ts;
}
