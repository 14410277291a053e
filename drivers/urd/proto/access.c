// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "access.h"

bool urd_range_ok(u64 base, u64 size, u64 addr, u64 len)
{
	return addr >= base && len <= size && addr - base <= size - len;
}

enum urd_access urd_access_check(const struct urd_region *r, u32 key, const void *pd,
				 u32 qpn, u64 addr, u64 len, u32 need)
{
	if (!r->valid)
		return URD_ACCESS_STATE;
	if (r->key != key)
		return URD_ACCESS_KEY;
	if (r->pd != pd || (r->qpn && r->qpn != qpn))
		return URD_ACCESS_PD;
	if (need & ~r->rights)
		return URD_ACCESS_RIGHTS;
	if (!urd_range_ok(r->base, r->len, addr, len))
		return URD_ACCESS_RANGE;
	return URD_ACCESS_OK;
}
