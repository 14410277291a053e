// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The pure code once more, for a module that does not need urd.ko. */
#include "../drivers/urd/proto/access.c"
#include "../drivers/urd/proto/icrc.c"
#include "../drivers/urd/proto/opcode.c"
#include "../drivers/urd/proto/packet.c"
#include "../drivers/urd/proto/qp_table.c"
#include "../drivers/urd/proto/respond.c"
#include "../drivers/urd/proto/segment.c"
#include "../drivers/urd/proto/window.c"

#ifdef __KERNEL__
#include <linux/crc32.h>

u32 urd_crc32_le(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}
#endif
