/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The few things that pure code needs from its world: kernel or user space. */
#ifndef URD_PORTABLE_H
#define URD_PORTABLE_H

#ifdef __KERNEL__

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/build_bug.h>
#include <linux/overflow.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/byteorder.h>

/* CRC-32 as crc32_le(): the fastest one that the kernel offers (crc.c). */
u32 urd_crc32_le(u32 crc, const void *p, size_t len);

#else

#include "../../../kunit/host/portable_host.h"

#endif

#endif /* URD_PORTABLE_H */
