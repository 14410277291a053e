// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fake device, and the list of tests. */
#include "test.h"
#include "../urd_abi.h"

unsigned int passed, failed, doorbells;
int doorbell_err;

/* The provider calls write() for the doorbell alone. */
ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	const struct ibv_post_send *cmd = buf;

	doorbells++;
	if (doorbell_err) {
		errno = doorbell_err;
		/* An interrupted call comes through when tried again */
		if (doorbell_err == EINTR)
			doorbell_err = 0;
		return -1;
	}
	CHECK(cmd->hdr.command == IB_USER_VERBS_CMD_POST_SEND);
	CHECK(cmd->hdr.in_words * 4 == size && cmd->wr_count == 0);
	return size;
}

static void ring_init(struct urd_ring *ring, uint32_t stride)
{
	ring->hdr = calloc(1, sizeof(*ring->hdr) + DEPTH * stride);
	if (!ring->hdr)
		abort();
	ring->entries = (uint8_t *)(ring->hdr + 1);
	ring->mask = DEPTH - 1;
	ring->stride = stride;
	ring->limit = DEPTH;
	ring->index = START;
	ring->peer = START;
	ring->hdr->prod = START;
	ring->hdr->cons = START;
}

struct rig *rig_new(enum ibv_qp_type type)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig)
		abort();
	rig->qp.vqp.qp.context = &rig->context;
	rig->qp.vqp.qp.qp_type = type;
	rig->qp.vqp.qp.state = IBV_QPS_RTS;
	urd_lock_init(&rig->qp.sq.lock, false);
	urd_lock_init(&rig->qp.rq.lock, false);
	urd_lock_init(&rig->cq.lock, false);
	ring_init(&rig->qp.sq.ring, SQE_SIZE);
	ring_init(&rig->qp.rq.ring, RQE_SIZE);
	ring_init(&rig->cq.ring, sizeof(struct urd_cqe));
	rig->qp.sq.max_sge = MAX_SGE;
	rig->qp.rq.max_sge = MAX_SGE;
	rig->qp.sq.max_inline = MAX_INLINE;
	rig->ah.number = 77;
	urd_qp_init_ex(&rig->qp, type);
	urd_cq_init_ex(&rig->cq, IBV_WC_STANDARD_FLAGS);
	doorbells = 0;
	doorbell_err = 0;
	return rig;
}

void rig_free(struct rig *rig)
{
	free(rig->qp.sq.ring.hdr);
	free(rig->qp.rq.ring.hdr);
	free(rig->cq.ring.hdr);
	free(rig);
}

int main(void)
{
	test_post();
	test_poll();

	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
