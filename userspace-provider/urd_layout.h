/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The layout that user and kernel share, asserted; the kernel asserts the same
 * numbers. Includes rdma/urd-abi.h alone, so that tests/layout.c can ask a
 * compiler for 32-bit code without its libraries.
 */
#ifndef URD_LAYOUT_H
#define URD_LAYOUT_H

#include <stddef.h>

#include <rdma/urd-abi.h>

#define URD_ASSERT_SIZE(type, size)                                            \
	_Static_assert(sizeof(struct type) == (size), "Bad size of " #type)
#define URD_ASSERT_OFFSET(type, memb, off)                                     \
	_Static_assert(offsetof(struct type, memb) == (off),                    \
		      "Bad offset of " #type "." #memb)

URD_ASSERT_SIZE(urd_ring_hdr, 256);
URD_ASSERT_OFFSET(urd_ring_hdr, cons, 64);
URD_ASSERT_OFFSET(urd_ring_hdr, flags, 128);
URD_ASSERT_SIZE(urd_sge, 16);
URD_ASSERT_SIZE(urd_sqe, 64);
URD_ASSERT_OFFSET(urd_sqe, imm, 12);
URD_ASSERT_OFFSET(urd_sqe, rdma, 16);
URD_ASSERT_OFFSET(urd_sqe, inline_len, 56);
URD_ASSERT_SIZE(urd_rqe, 16);
URD_ASSERT_SIZE(urd_cqe, 64);
URD_ASSERT_OFFSET(urd_cqe, flags, 18);
URD_ASSERT_OFFSET(urd_cqe, qpn, 32);
URD_ASSERT_OFFSET(urd_cqe, timestamp, 48);
URD_ASSERT_SIZE(urd_ring_info, 24);
URD_ASSERT_SIZE(urd_alloc_ucontext_req, 8);
URD_ASSERT_SIZE(urd_alloc_ucontext_resp, 16);
URD_ASSERT_SIZE(urd_create_cq_req, 8);
URD_ASSERT_SIZE(urd_create_cq_resp, 32);
URD_ASSERT_SIZE(urd_resize_cq_resp, 24);
URD_ASSERT_SIZE(urd_create_qp_req, 8);
URD_ASSERT_SIZE(urd_create_qp_resp, 56);
URD_ASSERT_SIZE(urd_create_srq_req, 8);
URD_ASSERT_SIZE(urd_create_srq_resp, 32);
URD_ASSERT_SIZE(urd_modify_srq_req, 16);
URD_ASSERT_SIZE(urd_create_ah_resp, 8);

#endif
