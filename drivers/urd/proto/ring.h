/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Index arithmetic of the rings in urd-abi.h. The other side may be hostile:
 * whoever reads its index clamps or refuses it here and trusts only its own.
 */
#ifndef URD_RING_H
#define URD_RING_H

#include "portable.h"

/* Entries between the indices, both free-running. */
static inline u32 urd_ring_count(u32 prod, u32 cons)
{
	return prod - cons;
}

/*
 * Entries that a hostile producer offers: own cons, its prod, the depth.
 * More than depth entries is a lie. Return: true and *n, or false.
 */
static inline bool urd_ring_avail(u32 their_prod, u32 my_cons, u32 depth, u32 *n)
{
	u32 count = their_prod - my_cons;

	if (count > depth)
		return false;
	*n = count;
	return true;
}

/* Free slots that a hostile consumer leaves: its lie leaves none. */
static inline u32 urd_ring_free(u32 my_prod, u32 their_cons, u32 depth)
{
	u32 count = my_prod - their_cons;

	return count > depth ? 0 : depth - count;
}

#endif /* URD_RING_H */
