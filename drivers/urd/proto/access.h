/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory access rules (IBTA volume 1, 10.6): one pure check for every path. */
#ifndef URD_ACCESS_H
#define URD_ACCESS_H

#include "portable.h"

enum urd_access {
	URD_ACCESS_OK,
	URD_ACCESS_STATE,	/* not valid: never registered or invalidated */
	URD_ACCESS_KEY,		/* index exists, variant part differs */
	URD_ACCESS_PD,		/* other protection domain (or other QP, type 2 MW) */
	URD_ACCESS_RIGHTS,	/* permission missing */
	URD_ACCESS_RANGE,	/* not inside [base, base + len) */
};

/* Rights; the kernel maps enum ib_access_flags to these. */
enum urd_right {
	URD_RIGHT_LOCAL_WRITE	= 1 << 0,
	URD_RIGHT_REMOTE_WRITE	= 1 << 1,
	URD_RIGHT_REMOTE_READ	= 1 << 2,
	URD_RIGHT_REMOTE_ATOMIC	= 1 << 3,
	URD_RIGHT_FLUSH_GLOBAL	= 1 << 4,
	URD_RIGHT_FLUSH_PERSIST	= 1 << 5,
};

/**
 * struct urd_region - what a key stands for
 * @valid: may be used
 * @key: full key, index and variant
 * @pd: identity of the protection domain, compared only
 * @qpn: type 2 window: QP it is bound to, else 0
 * @base: first address
 * @len: bytes
 * @rights: enum urd_right
 */
struct urd_region {
	bool valid;
	u32 key;
	const void *pd;
	u32 qpn;
	u64 base;
	u64 len;
	u32 rights;
};

/* Is [addr, addr + len) inside [base, base + size)? No sum may wrap (M02). */
bool urd_range_ok(u64 base, u64 size, u64 addr, u64 len);

/* Check in the order of enum urd_access; the first failure is the answer. */
enum urd_access urd_access_check(const struct urd_region *r, u32 key, const void *pd,
				 u32 qpn, u64 addr, u64 len, u32 need);

#endif /* URD_ACCESS_H */
