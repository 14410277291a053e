// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CRC-32 for the ICRC. Before Linux 6.14 or so crc32_le() of x86 is plain C
 * and the fast one is the crypto API's "crc32"; on other CPUs, and under
 * emulation, it may be the other way round. So both are raced when the module
 * is loaded, as the RAID6 code does, and the winner is used for payloads.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "crc.h"
#include "proto/portable.h"

#define RACE_BYTES	16384
#define RACE_ROUNDS	8
#define SHASH_MIN	256	/* below, set-up costs more than it saves */

static DEFINE_STATIC_KEY_FALSE(use_shash);
static struct crypto_shash *shash;

static u32 crc32_shash(u32 crc, const void *p, size_t len)
{
	SHASH_DESC_ON_STACK(desc, shash);
	u32 *state = shash_desc_ctx(desc);

	desc->tfm = shash;
	*state = crc;
	crypto_shash_update(desc, p, len);
	crc = *state;
	barrier_data(desc);
	return crc;
}

u32 urd_crc32_le(u32 crc, const void *p, size_t len)
{
	if (static_branch_unlikely(&use_shash) && len >= SHASH_MIN)
		return crc32_shash(crc, p, len);
	return crc32_le(crc, p, len);
}

static u64 race(u32 (*fn)(u32, const void *, size_t), const void *buf, u32 *crc)
{
	u64 best = U64_MAX;
	int i;

	for (i = 0; i < RACE_ROUNDS; i++) {
		u64 start = ktime_get_ns();

		*crc = fn(~0u, buf, RACE_BYTES);
		best = min(best, ktime_get_ns() - start);
	}
	return best;
}

static u32 crc32_lib(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}

void urd_crc_init(void)
{
	u64 lib_ns, shash_ns;
	u32 a, b;
	u8 *buf;

	shash = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(shash))
		shash = NULL;
	buf = kzalloc(RACE_BYTES, GFP_KERNEL);
	if (!shash || !buf || crypto_shash_descsize(shash) != sizeof(u32))
		goto out;
	lib_ns = race(crc32_lib, buf, &a);
	shash_ns = race(crc32_shash, buf, &b);
	/* A driver whose state is not the running CRC would show here. */
	if (a == b && shash_ns < lib_ns)
		static_branch_enable(&use_shash);
out:
	kfree(buf);
}

const char *urd_crc_name(void)
{
	if (static_key_enabled(&use_shash))
		return crypto_shash_driver_name(shash);
	return "crc32_le";
}

void urd_crc_exit(void)
{
	static_branch_disable(&use_shash);
	if (shash)
		crypto_free_shash(shash);
}
