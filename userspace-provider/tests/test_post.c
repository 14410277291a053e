// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_post_send, ibv_wr_*, ibv_bind_mw, ibv_post_recv */
#include "test.h"

static struct urd_sqe *sqe_at(struct rig *rig, uint32_t offset)
{
	return urd_ring_entry(&rig->qp.sq.ring, START + offset);
}

static uint32_t sq_posted(struct rig *rig)
{
	return rig->qp.sq.ring.hdr->prod - (START);
}

static int send_one(struct rig *rig, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad_wr = NULL;
	int ret = urd_post_send(&rig->qp.vqp.qp, wr, &bad_wr);

	CHECK(!ret == !bad_wr);
	return ret;
}

static void send_list_stops_when_full(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_send_wr wr[DEPTH + 1] = {};
	struct ibv_send_wr *bad_wr = NULL;
	uint32_t i;

	for (i = 0; i <= DEPTH; i++) {
		wr[i].wr_id = 100 + i;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < DEPTH ? &wr[i + 1] : NULL;
	}
	CHECK(urd_post_send(&rig->qp.vqp.qp, wr, &bad_wr) == ENOMEM);
	CHECK(bad_wr == &wr[DEPTH]);
	CHECK(sq_posted(rig) == DEPTH);
	CHECK(doorbells == 1);
	for (i = 0; i < DEPTH; i++)
		CHECK(sqe_at(rig, i)->wr_id == 100 + i);

	/* The kernel takes one: exactly one more fits */
	rig->qp.sq.ring.hdr->cons++;
	CHECK(!send_one(rig, &wr[DEPTH]));
	CHECK(send_one(rig, &wr[DEPTH]) == ENOMEM);
	CHECK(sqe_at(rig, 0)->wr_id == 100 + DEPTH);
	CHECK(doorbells == 2);
	rig_free(rig);
}

static void send_to_dead_mapping_is_eio(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	int i;

	for (i = 0; i < DEPTH; i++)
		CHECK(!send_one(rig, &wr));
	rig->qp.sq.ring.hdr->cons -= 1000;
	CHECK(send_one(rig, &wr) == EIO);
	rig_free(rig);
}

static void doorbell_is_skipped_retried_and_reported(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	rig->qp.sq.ring.hdr->flags = URD_SQ_NO_DOORBELL;
	CHECK(!send_one(rig, &wr));
	CHECK(doorbells == 0 && sq_posted(rig) == 1);
	rig->qp.sq.ring.hdr->flags = 0;
	doorbell_err = EINTR;
	CHECK(!send_one(rig, &wr));
	CHECK(doorbells == 2 && sq_posted(rig) == 2);
	doorbell_err = EIO;
	CHECK(send_one(rig, &wr) == EIO);
	CHECK(doorbells == 3);
	rig_free(rig);
}

static void send_needs_rts(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	enum ibv_qp_state state;

	for (state = IBV_QPS_RESET; state <= IBV_QPS_ERR; state++) {
		rig->qp.vqp.qp.state = state;
		if (state < IBV_QPS_RTS)
			CHECK(send_one(rig, &wr) == EINVAL);
		else
			CHECK(!send_one(rig, &wr));
	}
	rig_free(rig);
}

/* ibv_post_send(3) has the table; SEND_WITH_INV is RC's alone here. */
static void send_opcode_is_legal_for_type(void)
{
	static const struct {
		int opcode;
		int rc, uc, ud;
	} rows[] = {
		{ IBV_WR_SEND, 1, 1, 1 },
		{ IBV_WR_SEND_WITH_IMM, 1, 1, 1 },
		{ IBV_WR_SEND_WITH_INV, 1, 0, 0 },
		{ IBV_WR_RDMA_WRITE, 1, 1, 0 },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, 1, 1, 0 },
		{ IBV_WR_RDMA_READ, 1, 0, 0 },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, 1, 0, 0 },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 0, 0 },
		{ IBV_WR_LOCAL_INV, 1, 1, 0 },
		{ IBV_WR_ATOMIC_WRITE, 1, 0, 0 },
		{ IBV_WR_TSO, 0, 0, 0 },
		{ IBV_WR_DRIVER1, 0, 0, 0 },
		{ IBV_WR_FLUSH, 0, 0, 0 },
		{ 16, 0, 0, 0 },
		{ -1, 0, 0, 0 },
	};
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC,
						  IBV_QPT_UD };
	size_t i, t;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (t = 0; t < ARRAY_SIZE(types); t++) {
			struct rig *rig = rig_new(types[t]);
			struct ibv_send_wr wr = { .opcode = rows[i].opcode };
			int legal = t == 0 ? rows[i].rc :
				    t == 1 ? rows[i].uc : rows[i].ud;

			if (types[t] == IBV_QPT_UD)
				wr.wr.ud.ah = &rig->ah.ah;
			CHECK(send_one(rig, &wr) == (legal ? 0 : EINVAL));
			CHECK(sq_posted(rig) == (uint32_t)legal);
			rig_free(rig);
		}
	}
}

static void send_flags_and_sizes_are_checked(void)
{
	static const struct {
		const char *desc;
		unsigned int flags;
		int opcode, num_sge;
		uint32_t len0, len1;
		int ret;
	} rows[] = {
		{ "no data", 0, IBV_WR_SEND, 0, 0, 0, 0 },
		{ "2^31 bytes", 0, IBV_WR_SEND, 2, 1U << 30, 1U << 30, 0 },
		{ "one more", 0, IBV_WR_SEND, 2, 1U << 31, 1, EINVAL },
		{ "sum wraps", 0, IBV_WR_SEND, 2, ~0U, 1, EINVAL },
		{ "SGE too many", 0, IBV_WR_SEND, 3, 0, 0, EINVAL },
		{ "SGE negative", 0, IBV_WR_SEND, -1, 0, 0, EINVAL },
		{ "checksum", IBV_SEND_IP_CSUM, IBV_WR_SEND, 0, 0, 0, EINVAL },
		{ "unknown flag", 1 << 20, IBV_WR_SEND, 0, 0, 0, EINVAL },
		{ "inline fits", IBV_SEND_INLINE, IBV_WR_SEND, 2, 60, 4, 0 },
		{ "inline over", IBV_SEND_INLINE, IBV_WR_SEND, 2, 60, 5,
		  EINVAL },
		{ "inline wraps", IBV_SEND_INLINE, IBV_WR_SEND, 2, 60, ~0U,
		  EINVAL },
		{ "inline negative", IBV_SEND_INLINE, IBV_WR_SEND, -1, 0, 0,
		  EINVAL },
		{ "inline read", IBV_SEND_INLINE, IBV_WR_RDMA_READ, 1, 8, 0,
		  EINVAL },
	};
	static uint8_t data[MAX_INLINE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig *rig = rig_new(IBV_QPT_RC);
		struct ibv_sge sge[3] = {
			{ (uintptr_t)data, rows[i].len0, 1 },
			{ (uintptr_t)data, rows[i].len1, 2 },
		};
		struct ibv_send_wr wr = {
			.opcode = rows[i].opcode,
			.send_flags = rows[i].flags,
			.sg_list = sge,
			.num_sge = rows[i].num_sge,
		};
		int ret = send_one(rig, &wr);

		CHECK(ret == rows[i].ret);
		if (ret != rows[i].ret)
			printf("  case: %s\n", rows[i].desc);
		rig_free(rig);
	}
}

static void wqe_says_what_the_wr_said(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_sge sge[2] = { { 0x1000, 5, 7 }, { 0x2000, 6, 8 } };
	struct ibv_send_wr wr = {
		.wr_id = 0x1122334455667788,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE |
			      IBV_SEND_SOLICITED,
		.imm_data = htobe32(0xdeadbeef),
		.sg_list = sge,
		.num_sge = 2,
		.wr.rdma = { .remote_addr = 0xabcd, .rkey = 42 },
	};
	struct urd_sqe *sqe = sqe_at(rig, 0);

	/* What an earlier lap left must not shine through */
	memset(sqe, 0xff, SQE_SIZE);
	CHECK(!send_one(rig, &wr));
	CHECK(sqe->wr_id == wr.wr_id && sqe->opcode == URD_WR_WRITE_IMM);
	CHECK(sqe->flags ==
	      (URD_WR_SIGNALED | URD_WR_FENCE | URD_WR_SOLICITED));
	CHECK(sqe->imm == htobe32(0xdeadbeef));
	CHECK(sqe->rdma.remote_addr == 0xabcd && sqe->rdma.rkey == 42);
	CHECK(sqe->rdma.reserved == 0 && sqe->reserved2 == 0);
	CHECK(sqe->num_sge == 2 && sqe->inline_len == 0);
	CHECK(!memcmp(sqe + 1, sge, sizeof(sge)));

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.remote_addr = 0x88;
	wr.wr.atomic.compare_add = 3;
	wr.wr.atomic.swap = 4;
	wr.wr.atomic.rkey = 5;
	CHECK(!send_one(rig, &wr));
	sqe = sqe_at(rig, 1);
	CHECK(sqe->atomic.remote_addr == 0x88 && sqe->atomic.rkey == 5);
	CHECK(sqe->atomic.compare == 3 && sqe->atomic.swap_add == 4);

	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	CHECK(!send_one(rig, &wr));
	CHECK(sqe_at(rig, 2)->atomic.swap_add == 3);
	rig_free(rig);
}

static void inline_data_is_gathered(void)
{
	struct rig *rig = rig_new(IBV_QPT_UD);
	char a[] = "abc", b[] = "defg";
	struct ibv_sge sge[2] = { { (uintptr_t)a, 3, 0 },
				  { (uintptr_t)b, 4, 0 } };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = sge,
		.num_sge = 2,
		.wr.ud = { .ah = &rig->ah.ah, .remote_qpn = 9,
			   .remote_qkey = 0x11111111 },
	};
	struct urd_sqe *sqe = sqe_at(rig, 0);

	CHECK(!send_one(rig, &wr));
	CHECK(sqe->flags == URD_WR_INLINE && sqe->num_sge == 0);
	CHECK(sqe->inline_len == 7 && !memcmp(sqe + 1, "abcdefg", 7));
	CHECK(sqe->ud.ah == 77 && sqe->ud.remote_qpn == 9 &&
	      sqe->ud.remote_qkey == 0x11111111);

	wr.wr.ud.ah = NULL;
	CHECK(send_one(rig, &wr) == EINVAL);
	CHECK(sq_posted(rig) == 1);
	rig_free(rig);
}

static void windows_are_bound_by_type(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_mr mr = { .lkey = 0x500 };
	struct ibv_mw mw = { .rkey = 0x6ff, .type = IBV_MW_TYPE_2 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = &mw, .rkey = 0x601,
			     .bind_info = { &mr, 0x1000, 64,
					    IBV_ACCESS_REMOTE_READ } },
	};
	struct ibv_mw_bind bind = { .wr_id = 8, .send_flags = IBV_SEND_SIGNALED,
				    .bind_info = wr.bind_mw.bind_info };
	struct urd_sqe *sqe = sqe_at(rig, 0);

	CHECK(!send_one(rig, &wr));
	CHECK(sqe->opcode == URD_WR_BIND_MW && sqe->bind.mw_rkey == 0x6ff);
	CHECK(sqe->bind.new_rkey == 0x601 && sqe->bind.mr_lkey == 0x500);
	CHECK(sqe->bind.addr == 0x1000 && sqe->bind.length == 64);
	CHECK(sqe->bind.access == IBV_ACCESS_REMOTE_READ);

	mw.type = IBV_MW_TYPE_1;
	CHECK(send_one(rig, &wr) == EINVAL);

	/* The low byte wraps within the key */
	CHECK(!urd_bind_mw(&rig->qp.vqp.qp, &mw, &bind));
	CHECK(mw.rkey == 0x600 && sqe_at(rig, 1)->bind.new_rkey == 0x600);
	CHECK(sqe_at(rig, 1)->flags == URD_WR_SIGNALED);
	CHECK(doorbells == 2);
	rig_free(rig);
}

static void wr_calls_roll_back(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_qp_ex *qpx = &rig->qp.vqp.qp_ex;
	uint64_t val = 0x0102030405060708;
	int i;

	/* abort */
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_abort(qpx);
	CHECK(sq_posted(rig) == 0 && doorbells == 0);

	/* the first error undoes all and is the one reported */
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0, 4);
	ibv_wr_rdma_read(qpx, 1, 2);
	ibv_wr_set_inline_data(qpx, &val, sizeof(val));
	ibv_wr_send(qpx);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	CHECK(sq_posted(rig) == 0 && doorbells == 0);

	/* a setter without a WR; one WR more than fits */
	ibv_wr_start(qpx);
	ibv_wr_set_sge(qpx, 1, 0, 4);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	ibv_wr_start(qpx);
	for (i = 0; i <= DEPTH; i++)
		ibv_wr_send(qpx);
	CHECK(ibv_wr_complete(qpx) == ENOMEM);
	CHECK(sq_posted(rig) == 0 && doorbells == 0);

	/* an empty region is no post */
	ibv_wr_start(qpx);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(doorbells == 0);

	rig->qp.vqp.qp.state = IBV_QPS_RTR;
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	rig_free(rig);
}

static void wr_calls_build_a_list(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_qp_ex *qpx = &rig->qp.vqp.qp_ex;
	struct ibv_data_buf bufs[2] = { { (char *)"ab", 2 },
					{ (char *)"cde", 3 } };
	uint64_t val = 0x0102030405060708;

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, 0x33, 0x4444);
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	qpx->wr_id = 2;
	ibv_wr_atomic_write(qpx, 0x34, 0x5555, &val);
	qpx->wr_id = 3;
	ibv_wr_flush(qpx, 0x35, 0x6666, 4096, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);
	CHECK(sq_posted(rig) == 0);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(sq_posted(rig) == 3 && doorbells == 1);

	CHECK(sqe_at(rig, 0)->wr_id == 1 && sqe_at(rig, 0)->inline_len == 5);
	CHECK(!memcmp(sqe_at(rig, 0) + 1, "abcde", 5));
	CHECK(sqe_at(rig, 1)->flags == (URD_WR_INLINE | URD_WR_SIGNALED));
	CHECK(sqe_at(rig, 1)->inline_len == 8);
	CHECK(!memcmp(sqe_at(rig, 1) + 1, &val, 8));
	CHECK(sqe_at(rig, 2)->opcode == URD_WR_FLUSH);
	CHECK(sqe_at(rig, 2)->flush.length == 4096 &&
	      sqe_at(rig, 2)->flush.type == IBV_FLUSH_GLOBAL &&
	      sqe_at(rig, 2)->flush.level == IBV_FLUSH_MR);
	rig_free(rig);
}

static void receives_make_no_call_until_in_error(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_qp *qp = &rig->qp.vqp.qp;
	struct ibv_sge sge = { 0x1000, 5, 7 };
	struct ibv_recv_wr wr[DEPTH + 1] = {};
	struct ibv_recv_wr *bad_wr = NULL;
	struct urd_rqe *rqe = urd_ring_entry(&rig->qp.rq.ring, START);
	int i;

	for (i = 0; i <= DEPTH; i++)
		wr[i] = (struct ibv_recv_wr){
			.wr_id = 50 + i, .sg_list = &sge, .num_sge = 1,
			.next = i < DEPTH ? &wr[i + 1] : NULL,
		};
	CHECK(urd_post_recv(qp, wr, &bad_wr) == ENOMEM);
	CHECK(bad_wr == &wr[DEPTH] && doorbells == 0);
	CHECK(rig->qp.rq.ring.hdr->prod == START + DEPTH);
	CHECK(rqe->wr_id == 50 && rqe->num_sge == 1);
	CHECK(!memcmp(rqe + 1, &sge, sizeof(sge)));

	rig->qp.rq.ring.hdr->cons++;
	rig->qp.rq.ring.hdr->flags = URD_RQ_DOORBELL;
	CHECK(!urd_post_recv(qp, &wr[DEPTH], &bad_wr));
	CHECK(doorbells == 1);

	wr[DEPTH].num_sge = MAX_SGE + 1;
	CHECK(urd_post_recv(qp, &wr[DEPTH], &bad_wr) == EINVAL);
	wr[DEPTH].num_sge = -1;
	CHECK(urd_post_recv(qp, &wr[DEPTH], &bad_wr) == EINVAL);
	wr[DEPTH].num_sge = 0;
	qp->state = IBV_QPS_RESET;
	bad_wr = NULL;
	CHECK(urd_post_recv(qp, &wr[DEPTH], &bad_wr) == EINVAL);
	CHECK(bad_wr == &wr[DEPTH]);
	rig_free(rig);
}

void test_post(void)
{
	send_list_stops_when_full();
	send_to_dead_mapping_is_eio();
	doorbell_is_skipped_retried_and_reported();
	send_needs_rts();
	send_opcode_is_legal_for_type();
	send_flags_and_sizes_are_checked();
	wqe_says_what_the_wr_said();
	inline_data_is_gathered();
	windows_are_bound_by_type();
	wr_calls_roll_back();
	wr_calls_build_a_list();
	receives_make_no_call_until_in_error();
}
