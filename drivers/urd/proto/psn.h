/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * 24-bit packet sequence numbers (IBTA volume 1, 9.7.1): serial arithmetic
 * that holds over the wrap. A PSN is "before" another when it lies within
 * the 2^23 numbers that precede it.
 */
#ifndef URD_PSN_H
#define URD_PSN_H

#include "portable.h"

#define URD_PSN_MASK	0xffffffu

static inline u32 urd_psn_add(u32 psn, u32 n)
{
	return (psn + n) & URD_PSN_MASK;
}

/* Signed distance a - b, in [-2^23, 2^23). */
static inline s32 urd_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline bool urd_psn_before(u32 a, u32 b)
{
	return urd_psn_diff(a, b) < 0;
}

/* Packets from first to last, both included; last is not before first. */
static inline u32 urd_psn_count(u32 first, u32 last)
{
	return ((last - first) & URD_PSN_MASK) + 1;
}

/* Is psn one of first .. last, both included? */
static inline bool urd_psn_in(u32 psn, u32 first, u32 last)
{
	return ((psn - first) & URD_PSN_MASK) <= ((last - first) & URD_PSN_MASK);
}

#endif /* URD_PSN_H */
