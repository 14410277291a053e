// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts and protection domains: little more than counted names. */
#include "objtab.h"
#include "udata.h"
#include "verbs.h"

int urd_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct urd_dev *dev = to_urd_dev(ibuc->device);
	struct urd_alloc_ucontext_resp resp = {
		.abi_version = URD_ABI_VERSION,
		.max_inline = URD_MAX_INLINE,
		.max_sge = URD_MAX_SGE,
	};
	struct urd_alloc_ucontext_req req;
	int err;

	err = urd_udata_in(udata, &req, sizeof(req));
	if (err)
		return err;
	if (req.comp_mask || (req.abi_version && req.abi_version != URD_ABI_VERSION))
		return -EOPNOTSUPP;

	err = urd_limit_get(dev, URD_LIM_UCONTEXT, true);
	if (err)
		return err;
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (err)
		urd_limit_put(dev, URD_LIM_UCONTEXT, true);
	return err;
}

void urd_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	urd_limit_put(to_urd_dev(ibuc->device), URD_LIM_UCONTEXT, true);
}

/*
 * Having this op lets the device go while contexts are open. There is nothing
 * to take back: the core destroys all objects, mapped rings keep their pages.
 */
void urd_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

int urd_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return urd_limit_get(to_urd_dev(ibpd->device), URD_LIM_PD, udata);
}

int urd_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	urd_limit_put(to_urd_dev(ibpd->device), URD_LIM_PD, udata);
	return 0;
}
