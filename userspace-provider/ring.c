// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping of rings. The memory belongs to the kernel and is mapped shared, so
 * fork() neither copies nor moves it under this process; a child inherits the
 * mapping as it inherits the command fd.
 */
#include <string.h>
#include <sys/mman.h>

#include "urd.h"

/* What the kernel says is checked once, so that index arithmetic needs none. */
static bool info_is_sane(const struct urd_ring_info *info, uint32_t min_stride)
{
	uint64_t need = sizeof(struct urd_ring_hdr) +
			(uint64_t)info->depth * info->stride;

	return info->depth && info->depth <= URD_RING_MAX_DEPTH &&
	       !(info->depth & (info->depth - 1)) &&
	       info->stride >= min_stride && info->stride % 8 == 0 &&
	       info->length >= need;
}

/*
 * Map the ring of @info, or none when its length is zero: a queue without
 * entries has no ring. Return: 0 or an errno value.
 */
int urd_ring_map(struct urd_ring *ring, const struct urd_ring_info *info,
		 int cmd_fd, uint32_t min_stride)
{
	void *addr;

	memset(ring, 0, sizeof(*ring));
	if (!info->length)
		return 0;
	if (!info_is_sane(info, min_stride))
		return EINVAL;

	addr = mmap(NULL, info->length, PROT_READ | PROT_WRITE, MAP_SHARED,
		    cmd_fd, info->offset);
	if (addr == MAP_FAILED)
		return errno;

	ring->hdr = addr;
	ring->entries = (uint8_t *)addr + sizeof(struct urd_ring_hdr);
	ring->mask = info->depth - 1;
	ring->stride = info->stride;
	ring->limit = info->depth;
	ring->length = info->length;
	return 0;
}

/* Leaves a ring that takes and gives nothing. */
void urd_ring_unmap(struct urd_ring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->length);
	memset(ring, 0, sizeof(*ring));
}
