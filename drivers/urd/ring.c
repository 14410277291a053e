// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of rings. A user ring is vmalloc memory behind an mmap entry; mmap
 * gives each page a reference of its own, so a mapping outlives the ring, the
 * context and the device: the user then looks at memory that nobody else uses.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/vmalloc.h>

#include "verbs.h"

static_assert(sizeof(struct urd_ring_hdr) == 256);
static_assert(offsetof(struct urd_ring_hdr, cons) == 64);
static_assert(offsetof(struct urd_ring_hdr, flags) == 128);
static_assert(sizeof(struct urd_sge) == 16);
static_assert(sizeof(struct urd_sqe) == 64);
static_assert(sizeof(struct urd_rqe) == 16);
static_assert(sizeof(struct urd_cqe) == 64);
static_assert(sizeof(struct urd_ring_info) == 24);

static int alloc_user(struct urd_ring *ring, struct ib_udata *udata,
		      struct urd_ring_info *info)
{
	struct urd_ucontext *uc = rdma_udata_to_drv_context(udata, struct urd_ucontext,
							    ibuc);
	struct urd_mmap_entry *entry;
	int err;

	if (!uc)
		return -EINVAL;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->size = ring->size;
	entry->buf = __vmalloc(ring->size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!entry->buf) {
		err = -ENOMEM;
		goto err_entry;
	}
	err = rdma_user_mmap_entry_insert(&uc->ibuc, &entry->rdma_entry, ring->size);
	if (err)
		goto err_buf;

	info->offset = rdma_user_mmap_get_offset(&entry->rdma_entry);
	info->length = ring->size;
	info->depth = ring->depth;
	info->stride = ring->stride;
	ring->mmap = entry;
	ring->hdr = entry->buf;
	return 0;

err_buf:
	vfree(entry->buf);
err_entry:
	kfree(entry);
	return err;
}

/**
 * urd_ring_alloc() - memory of a ring, zeroed
 * @ring: filled in; urd_ring_free_mem() is legal whatever the outcome
 * @depth: entries, a power of two
 * @stride: bytes of an entry
 * @udata: NULL for a kernel ring
 * @info: for the user
 *
 * Return: 0, -ENOMEM, or -EINVAL when the size does not fit the ABI.
 */
int urd_ring_alloc(struct urd_ring *ring, u32 depth, u32 stride,
		   struct ib_udata *udata, struct urd_ring_info *info)
{
	u32 bytes;
	int err;

	memset(ring, 0, sizeof(*ring));
	memset(info, 0, sizeof(*info));
	if (check_mul_overflow(depth, stride, &bytes) ||
	    check_add_overflow(bytes, (u32)sizeof(*ring->hdr) + (u32)PAGE_SIZE - 1,
			       &bytes))
		return -EINVAL;

	ring->depth = depth;
	ring->mask = depth - 1;
	ring->stride = stride;
	ring->size = bytes & PAGE_MASK;
	ring->user = udata;
	if (udata) {
		err = alloc_user(ring, udata, info);
		if (err)
			return err;
	} else {
		ring->hdr = kvzalloc(ring->size, GFP_KERNEL);
		if (!ring->hdr)
			return -ENOMEM;
	}
	ring->entries = (u8 *)(ring->hdr + 1);
	return 0;
}

void urd_ring_free_mem(struct urd_ring *ring)
{
	if (ring->mmap)
		rdma_user_mmap_entry_remove(&ring->mmap->rdma_entry);
	else
		kvfree(ring->hdr);
	memset(ring, 0, sizeof(*ring));
}

/* The last holder is gone: the ring's owner, or an mmap that was under way. */
void urd_mmap_free(struct rdma_user_mmap_entry *rdma_entry)
{
	struct urd_mmap_entry *entry = container_of(rdma_entry, struct urd_mmap_entry,
						    rdma_entry);

	vfree(entry->buf);
	kfree(entry);
}

static int insert_pages(struct vm_area_struct *vma, void *buf, size_t size)
{
	size_t off;
	int err;

	for (off = 0; off < size; off += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + off,
				     vmalloc_to_page(buf + off));
		if (err)
			return err;
	}
	return 0;
}

/**
 * urd_mmap() - map a ring
 * @ibuc: context that the ring was created in
 * @vma: shared, of exactly the ring's length, at the offset of its ring_info
 *
 * Return: 0 or -EINVAL, -ENOMEM.
 */
int urd_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *rdma_entry;
	struct urd_mmap_entry *entry;
	int err;

	rdma_entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!rdma_entry)
		return -EINVAL;
	entry = container_of(rdma_entry, struct urd_mmap_entry, rdma_entry);
	err = insert_pages(vma, entry->buf, entry->size);
	rdma_user_mmap_entry_put(rdma_entry);
	return err;
}
