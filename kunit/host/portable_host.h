/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What portable.h takes from the kernel, for programs in user space. */
#ifndef URD_PORTABLE_HOST_H
#define URD_PORTABLE_HOST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define cpu_to_le32(x)	((__le32)(u32)(x))
#define cpu_to_be32(x)	((__be32)__builtin_bswap32(x))
#else
#define cpu_to_le32(x)	((__le32)__builtin_bswap32(x))
#define cpu_to_be32(x)	((__be32)(u32)(x))
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* CRC-32 as the kernel's crc32_le(): neither start nor end is inverted. */
u32 urd_crc32_le(u32 crc, const void *p, size_t len);

#endif /* URD_PORTABLE_HOST_H */
