/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Driver part of verbs commands: the growth rules of urd-abi.h in one place. */
#ifndef URD_UDATA_H
#define URD_UDATA_H

#include <rdma/ib_verbs.h>

/**
 * urd_udata_in() - copy a request
 * @udata: may be NULL: then, and where the user sent less, @req is zero
 * @req: struct of urd-abi.h
 * @size: its size
 *
 * Return: 0, -EFAULT, or -EOPNOTSUPP if the user sent more than this kernel
 * knows and it is not all zero.
 */
static inline int urd_udata_in(struct ib_udata *udata, void *req, size_t size)
{
	memset(req, 0, size);
	if (!udata)
		return 0;
	if (udata->inlen > size &&
	    !ib_is_udata_cleared(udata, size, udata->inlen - size))
		return -EOPNOTSUPP;
	return ib_copy_from_udata(req, udata, min(udata->inlen, size));
}

/**
 * urd_udata_none() - for requests that are only { comp_mask, reserved }
 * @udata: may be NULL
 *
 * Return: 0, -EFAULT, -EOPNOTSUPP for an unknown bit, -EINVAL for a reserved
 * field that is not zero.
 */
static inline int urd_udata_none(struct ib_udata *udata)
{
	struct {
		__u32 comp_mask;
		__u32 reserved;
	} req;
	int err = urd_udata_in(udata, &req, sizeof(req));

	if (err)
		return err;
	if (req.comp_mask)
		return -EOPNOTSUPP;
	return req.reserved ? -EINVAL : 0;
}

/* Answer, cut to what the user has room for. 0 or -EFAULT. */
static inline int urd_udata_out(struct ib_udata *udata, void *resp, size_t size)
{
	if (!udata)
		return 0;
	return ib_copy_to_udata(udata, resp, min(udata->outlen, size));
}

#endif /* URD_UDATA_H */
