/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rings in ordinary memory, with the test as the kernel's side: what posting
 * and polling do needs no device. Built in rdma-core as bin/urd_ring_test.
 */
#ifndef URD_TEST_H
#define URD_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include <ccan/array_size.h>

#include "../urd.h"

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (cond) {                                                    \
			passed++;                                              \
		} else {                                                       \
			failed++;                                              \
			printf("%s:%d: failed: %s\n", __func__, __LINE__,      \
			       #cond);                                         \
		}                                                              \
	} while (0)

enum {
	DEPTH = 4,
	MAX_SGE = 2,
	MAX_INLINE = 64,
	SQE_SIZE = sizeof(struct urd_sqe) + MAX_INLINE,
	RQE_SIZE = sizeof(struct urd_rqe) + MAX_SGE * sizeof(struct urd_sge),
};

/* Indices begin shortly before they wrap, so that each case crosses it. */
#define START (UINT32_MAX - 1)

struct rig {
	struct ibv_context context;
	struct urd_qp qp;
	struct urd_cq cq;
	struct urd_ah ah;
};

extern unsigned int passed, failed;
extern unsigned int doorbells;		/* system calls made */
extern int doorbell_err;		/* errno of the next ones, or zero */

struct rig *rig_new(enum ibv_qp_type type);
void rig_free(struct rig *rig);

/* Linked in place of write(), see CMakeLists.txt */
ssize_t __wrap_write(int fd, const void *buf, size_t size);

void test_post(void);
void test_poll(void);

#endif
