/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between kernels, force-included into every object.
 *
 * have.h is written by the build: one URD_HAVE_<FEATURE> for each file of
 * probes/ that this kernel's headers compile (see Kbuild). Sources test these
 * flags or, better, use the shims below; they never test a kernel version.
 * Each probe names the release that made the difference. The shims are macros,
 * so that nothing is included behind a source's back.
 *
 *   URD_HAVE_CREATE_CQ_ATTRS	create_cq takes struct uverbs_attr_bundle *
 *   URD_HAVE_CREATE_USER_CQ	ib_device_ops.create_user_cq
 *   URD_HAVE_RESIZE_USER_CQ	ib_device_ops.resize_user_cq, unsigned int cqe
 *   URD_HAVE_REG_USER_MR_DMAH	reg_user_mr takes struct ib_dmah *
 *   URD_HAVE_PORT_STATE_EVENT	the core dispatches PORT_ACTIVE and PORT_ERR
 *   URD_HAVE_VERBS_FLUSH	FLUSH in the verbs enums
 *   URD_HAVE_VERBS_ATOMIC_WRITE	ATOMIC WRITE in the verbs enums
 */
#ifndef URD_COMPAT_H
#define URD_COMPAT_H

#ifndef URD_PROBING

#include "have.h"

/* Until 6.15. */
#ifndef URD_HAVE_TIMER_CONTAINER_OF
#define timer_container_of(var, timer, field) \
	container_of(timer, typeof(*(var)), field)
#endif

/* Until 6.3. */
#ifndef URD_HAVE_VIRT_DMA_TO_PTR
#define ib_virt_dma_to_ptr(addr) ((void *)(uintptr_t)(addr))
#endif

/* Until 6.10: udev renames every device alike. */
#ifndef URD_HAVE_NAME_ASSIGNED_BY_USER
#define ib_mark_name_assigned_by_user(ibdev) ((void)(ibdev))
#endif

/* From 7.2 on under another name. */
#ifdef URD_HAVE_UMEM_GET_VA
#define urd_umem_get ib_umem_get_va
#else
#define urd_umem_get ib_umem_get
#endif

/* From 6.18 on a type of its own. */
#ifdef URD_HAVE_FLOWI4_DSCP
#define urd_flowi4_set_tos(fl, tos) \
	((fl)->flowi4_dscp = inet_dsfield_to_dscp(tos))
#else
#define urd_flowi4_set_tos(fl, tos) \
	((fl)->flowi4_tos = (tos) & INET_DSCP_MASK)
#endif

#endif /* URD_PROBING */
#endif /* URD_COMPAT_H */
