// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User memory: pinned by the core, listed as one kernel address per page. There
 * is no highmem where virtual DMA devices exist, so each page has an address,
 * and nothing is DMA mapped (fault M29).
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_umem.h>

#include "mr.h"

static int list_pages(struct urd_pages *pages, struct ib_umem *umem)
{
	size_t max = ib_umem_num_pages(umem);
	struct sg_page_iter iter;

	if (max > U32_MAX)
		return -EINVAL;
	pages->addr = kvmalloc_array(max, sizeof(*pages->addr), GFP_KERNEL_ACCOUNT);
	if (!pages->addr)
		return -ENOMEM;
	pages->max = max;
	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		if (pages->count == pages->max)
			return -EINVAL;
		pages->addr[pages->count++] =
			(uintptr_t)page_address(sg_page_iter_page(&iter));
	}
	pages->page_shift = PAGE_SHIFT;
	pages->offset = ib_umem_offset(umem);
	return pages->count == pages->max ? 0 : -EINVAL;
}

int urd_mr_pin(struct urd_mr *mr, u64 start, u64 length, int access)
{
	struct ib_umem *umem;

	if (start != (unsigned long)start || length != (size_t)length)
		return -EINVAL;
	umem = urd_umem_get(mr->ibmr.device, start, length, access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr->umem = umem;
	return list_pages(&mr->tbl[0], umem);
}
