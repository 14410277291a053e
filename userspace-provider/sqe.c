// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The parts of a send WQE. They write to an entry that was reserved and not
 * yet submitted; the kernel does not look at it.
 */
#include "urd.h"

static_assert(sizeof(struct urd_sge) == sizeof(struct ibv_sge) &&
	      offsetof(struct urd_sge, addr) ==
		      offsetof(struct ibv_sge, addr) &&
	      offsetof(struct urd_sge, length) ==
		      offsetof(struct ibv_sge, length) &&
	      offsetof(struct urd_sge, lkey) ==
		      offsetof(struct ibv_sge, lkey),
	      "SGE lists are copied as they are");

static uint16_t wqe_flags(const struct urd_sq *sq, unsigned int send_flags)
{
	uint16_t flags = 0;

	if (sq->signal_all || (send_flags & IBV_SEND_SIGNALED))
		flags |= URD_WR_SIGNALED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= URD_WR_FENCE;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= URD_WR_SOLICITED;
	return flags;
}

struct urd_sqe *urd_sqe_init(struct urd_sq *sq, uint32_t index, uint64_t wr_id,
			     enum urd_wr_op op, unsigned int send_flags)
{
	struct urd_sqe *sqe = urd_ring_entry(&sq->ring, index);

	memset(sqe, 0, sizeof(*sqe));
	sqe->wr_id = wr_id;
	sqe->opcode = op;
	sqe->flags = wqe_flags(sq, send_flags);
	return sqe;
}

int urd_sqe_set_sges(const struct urd_sq *sq, struct urd_sqe *sqe,
		     const struct ibv_sge *sges, size_t num_sge)
{
	uint64_t total = 0;
	size_t i;

	if (num_sge > sq->max_sge)
		return EINVAL;
	for (i = 0; i < num_sge; i++)
		total += sges[i].length;
	if (total > URD_MAX_MSG_SIZE)
		return EINVAL;

	if (num_sge)
		memcpy(sqe + 1, sges, num_sge * sizeof(*sges));
	sqe->num_sge = num_sge;
	return 0;
}

/* Append to the WQE's inline data; @max_inline bounds the sum. */
int urd_sqe_add_inline(struct urd_sqe *sqe, const void *addr, size_t length,
		       uint32_t max_inline)
{
	uint8_t *data = (uint8_t *)(sqe + 1);

	sqe->flags |= URD_WR_INLINE;
	if (length > max_inline - sqe->inline_len)
		return EINVAL;
	if (length)
		memcpy(data + sqe->inline_len, addr, length);
	sqe->inline_len += length;
	return 0;
}

void urd_sqe_set_rdma(struct urd_sqe *sqe, uint64_t remote_addr, uint32_t rkey)
{
	sqe->rdma.remote_addr = remote_addr;
	sqe->rdma.rkey = rkey;
}

void urd_sqe_set_atomic(struct urd_sqe *sqe, uint64_t remote_addr,
			uint32_t rkey, uint64_t compare, uint64_t swap_add)
{
	sqe->atomic.remote_addr = remote_addr;
	sqe->atomic.rkey = rkey;
	sqe->atomic.compare = compare;
	sqe->atomic.swap_add = swap_add;
}

int urd_sqe_set_ud(struct urd_sqe *sqe, struct ibv_ah *ah, uint32_t remote_qpn,
		   uint32_t remote_qkey)
{
	if (!ah)
		return EINVAL;

	sqe->ud.ah = to_urd_ah(ah)->number;
	sqe->ud.remote_qpn = remote_qpn;
	sqe->ud.remote_qkey = remote_qkey;
	return 0;
}

int urd_sqe_set_bind(struct urd_sqe *sqe, const struct ibv_mw *mw,
		     uint32_t new_rkey, const struct ibv_mw_bind_info *info)
{
	if (!info->mr && (info->addr || info->length))
		return EINVAL;

	sqe->bind.addr = info->addr;
	sqe->bind.length = info->length;
	sqe->bind.mr_lkey = info->mr ? info->mr->lkey : 0;
	sqe->bind.mw_rkey = mw->rkey;
	sqe->bind.new_rkey = new_rkey;
	sqe->bind.access = info->mw_access_flags;
	return 0;
}
