/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A mapped ring, seen from user space. This side keeps its own index and
 * trusts it alone: the other index is read, never believed beyond the depth.
 * The order of stores is described in rdma/urd-abi.h; each pair is named here.
 *
 * The caller holds the lock of the queue that the ring belongs to.
 */
#ifndef URD_RING_H
#define URD_RING_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rdma/urd-abi.h>
#include <util/compiler.h>

/* One entry at least, and no index arithmetic that could overflow */
#define URD_RING_MAX_DEPTH 0x1000000

struct urd_ring {
	struct urd_ring_hdr *hdr;	/* NULL: the queue has no ring */
	uint8_t *entries;
	uint32_t mask;			/* depth - 1 */
	uint32_t stride;
	uint32_t limit;			/* entries that may be in use */
	uint32_t index;			/* own: prod of SQ, RQ, SRQ; cons of CQ */
	uint32_t peer;			/* theirs, when last looked at */
	uint32_t length;		/* of the mapping */
};

/* What both sides write is accessed through this and no other way. */
static inline _Atomic uint32_t *urd_shared(__u32 *p)
{
	return (_Atomic uint32_t *)p;
}

static inline uint32_t urd_load_acquire(__u32 *p)
{
	return atomic_load_explicit(urd_shared(p), memory_order_acquire);
}

static inline void urd_store_release(__u32 *p, uint32_t val)
{
	atomic_store_explicit(urd_shared(p), val, memory_order_release);
}

static inline void *urd_ring_entry(const struct urd_ring *ring, uint32_t index)
{
	return ring->entries + (size_t)(index & ring->mask) * ring->stride;
}

/*
 * May the producer fill the entry at @index? The acquire pairs with the
 * kernel's release of cons: its last read of the slot comes before our write.
 * More entries in use than the ring has means that the mapping is dead.
 * Return: 0, ENOMEM when full, EIO when the ring is not alive.
 */
static inline int urd_ring_reserve(struct urd_ring *ring, uint32_t index)
{
	if (likely(index - ring->peer < ring->limit))
		return 0;
	if (!ring->hdr)
		return ENOMEM;
	ring->peer = urd_load_acquire(&ring->hdr->cons);
	if (index - ring->peer < ring->limit)
		return 0;
	return index - ring->peer > ring->mask + 1 ? EIO : ENOMEM;
}

/* Publish entries up to @index; pairs with the kernel's acquire of prod. */
static inline void urd_ring_submit(struct urd_ring *ring, uint32_t index)
{
	ring->index = index;
	urd_store_release(&ring->hdr->prod, index);
}

/*
 * Entries to consume. The acquire pairs with the kernel's release of prod. A
 * count beyond the depth can only come from a dead mapping and counts as none.
 */
static inline uint32_t urd_ring_avail(const struct urd_ring *ring)
{
	uint32_t count = urd_load_acquire(&ring->hdr->prod) - ring->index;

	return likely(count <= ring->mask + 1) ? count : 0;
}

/* Give entries before @index back; pairs with the kernel's acquire of cons. */
static inline void urd_ring_consume(struct urd_ring *ring, uint32_t index)
{
	ring->index = index;
	urd_store_release(&ring->hdr->cons, index);
}

/*
 * Flags that the kernel sets before it goes idle or into error. The fence
 * between the store of prod and this load pairs with the kernel's between its
 * store of the flag and its last look at prod: one of both sees the other.
 */
static inline uint32_t urd_ring_flags_after_submit(struct urd_ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(urd_shared(&ring->hdr->flags),
				    memory_order_relaxed);
}

#endif
