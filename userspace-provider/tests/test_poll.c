// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_poll_cq, the extended poll calls, arming, purging */
#include "test.h"

static struct urd_cqe *complete(struct rig *rig, uint64_t wr_id, uint32_t qpn)
{
	struct urd_ring_hdr *hdr = rig->cq.ring.hdr;
	struct urd_cqe *cqe = urd_ring_entry(&rig->cq.ring, hdr->prod);

	*cqe = (struct urd_cqe){ .wr_id = wr_id, .qpn = qpn,
				 .opcode = URD_WR_SEND };
	hdr->prod++;
	return cqe;
}

static void poll_takes_what_there_is(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct urd_ring_hdr *hdr = rig->cq.ring.hdr;
	struct ibv_cq *cq = &rig->cq.vcq.cq;
	struct ibv_wc wc[DEPTH];
	int i;

	CHECK(urd_poll_cq(cq, DEPTH, wc) == 0);
	for (i = 0; i < DEPTH; i++)
		complete(rig, i, 5);
	CHECK(urd_poll_cq(cq, -1, wc) == 0);
	CHECK(urd_poll_cq(cq, 0, wc) == 0);
	CHECK(urd_poll_cq(cq, 3, wc) == 3);
	CHECK(wc[0].wr_id == 0 && wc[2].wr_id == 2);
	CHECK(hdr->prod - hdr->cons == 1);
	CHECK(urd_poll_cq(cq, DEPTH, wc) == 1 && wc[0].wr_id == 3);
	CHECK(hdr->prod == hdr->cons);

	/* A mapping that lost its device reads as zeroes, or as anything */
	hdr->prod += DEPTH + 1;
	CHECK(urd_poll_cq(cq, DEPTH, wc) == 0);
	hdr->prod = hdr->cons - 1;
	CHECK(urd_poll_cq(cq, DEPTH, wc) == 0);
	rig_free(rig);
}

static void cqe_becomes_wc(void)
{
	static const struct {
		uint8_t opcode;
		uint16_t flags;
		enum ibv_wc_opcode wc_opcode;
		unsigned int wc_flags;
	} rows[] = {
		{ URD_WR_SEND, 0, IBV_WC_SEND, 0 },
		{ URD_WR_SEND_IMM, 0, IBV_WC_SEND, 0 },
		{ URD_WR_SEND_INV, 0, IBV_WC_SEND, 0 },
		{ URD_WR_WRITE, 0, IBV_WC_RDMA_WRITE, 0 },
		{ URD_WR_WRITE_IMM, 0, IBV_WC_RDMA_WRITE, 0 },
		{ URD_WR_READ, 0, IBV_WC_RDMA_READ, 0 },
		{ URD_WR_CMP_SWP, 0, IBV_WC_COMP_SWAP, 0 },
		{ URD_WR_FETCH_ADD, 0, IBV_WC_FETCH_ADD, 0 },
		{ URD_WR_LOCAL_INV, 0, IBV_WC_LOCAL_INV, 0 },
		{ URD_WR_BIND_MW, 0, IBV_WC_BIND_MW, 0 },
		{ URD_WR_FLUSH, 0, IBV_WC_FLUSH, 0 },
		{ URD_WR_ATOMIC_WRITE, 0, IBV_WC_ATOMIC_WRITE, 0 },
		{ 0xff, 0, 0, 0 },
		{ URD_WR_SEND, URD_CQE_RECV, IBV_WC_RECV, 0 },
		{ URD_WR_SEND, URD_CQE_RECV | URD_CQE_IMM, IBV_WC_RECV,
		  IBV_WC_WITH_IMM },
		{ URD_WR_SEND, URD_CQE_RECV | URD_CQE_INV, IBV_WC_RECV,
		  IBV_WC_WITH_INV },
		{ URD_WR_SEND, URD_CQE_RECV | URD_CQE_GRH | URD_CQE_SOLICITED,
		  IBV_WC_RECV, IBV_WC_GRH },
		{ URD_WR_WRITE_IMM, URD_CQE_RECV | URD_CQE_IMM,
		  IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig *rig = rig_new(IBV_QPT_RC);
		struct urd_cqe *cqe = complete(rig, 1, 2);
		struct ibv_wc wc;

		cqe->opcode = rows[i].opcode;
		cqe->flags = rows[i].flags;
		cqe->status = IBV_WC_REM_ACCESS_ERR;
		cqe->vendor_err = 3;
		cqe->byte_len = 4;
		cqe->imm = 5;
		cqe->src_qp = 6;
		cqe->pkey_index = 7;
		memset(&wc, 0xff, sizeof(wc));
		CHECK(urd_poll_cq(&rig->cq.vcq.cq, 1, &wc) == 1);
		CHECK(wc.opcode == rows[i].wc_opcode &&
		      wc.wc_flags == rows[i].wc_flags);
		CHECK(wc.wr_id == 1 && wc.qp_num == 2 && wc.vendor_err == 3 &&
		      wc.byte_len == 4 && wc.invalidated_rkey == 5 &&
		      wc.src_qp == 6 && wc.pkey_index == 7);
		CHECK(wc.status == IBV_WC_REM_ACCESS_ERR);
		CHECK(!wc.slid && !wc.sl && !wc.dlid_path_bits);
		rig_free(rig);
	}
}

static void extended_poll_frees_as_it_goes(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct urd_ring_hdr *hdr = rig->cq.ring.hdr;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	CHECK(ibv_start_poll(cq, &attr) == ENOENT);
	attr.comp_mask = 1;
	CHECK(ibv_start_poll(cq, &attr) == EINVAL);
	attr.comp_mask = 0;

	complete(rig, 10, 5)->byte_len = 99;
	complete(rig, 11, 6)->flags = URD_CQE_RECV;
	CHECK(!ibv_start_poll(cq, &attr));
	CHECK(cq->wr_id == 10 && ibv_wc_read_byte_len(cq) == 99);
	CHECK(hdr->prod - hdr->cons == 2);
	CHECK(!ibv_next_poll(cq));
	CHECK(cq->wr_id == 11 && ibv_wc_read_opcode(cq) == IBV_WC_RECV &&
	      ibv_wc_read_qp_num(cq) == 6);
	CHECK(hdr->prod - hdr->cons == 1);
	CHECK(ibv_next_poll(cq) == ENOENT);
	CHECK(hdr->prod == hdr->cons);
	ibv_end_poll(cq);
	CHECK(hdr->prod == hdr->cons);

	/* end_poll alone takes the current one; the lock is free again */
	complete(rig, 12, 5);
	complete(rig, 13, 5);
	CHECK(!ibv_start_poll(cq, &attr));
	ibv_end_poll(cq);
	CHECK(hdr->prod - hdr->cons == 1);
	CHECK(!ibv_start_poll(cq, &attr) && cq->wr_id == 13);
	ibv_end_poll(cq);
	rig_free(rig);
}

static void arming_sets_bits(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_cq *cq = &rig->cq.vcq.cq;

	CHECK(!urd_req_notify_cq(cq, 1));
	CHECK(rig->cq.ring.hdr->flags == URD_CQ_ARM_SOLICITED);
	CHECK(!urd_req_notify_cq(cq, 0));
	CHECK(rig->cq.ring.hdr->flags ==
	      (URD_CQ_ARM_SOLICITED | URD_CQ_ARM_NEXT));
	rig_free(rig);
}

/* Each of the 2^DEPTH ways in which two QPs can share a full CQ */
static void purge_keeps_the_others_in_order(void)
{
	unsigned int ways, i, kept;

	for (ways = 0; ways < 1 << DEPTH; ways++) {
		struct rig *rig = rig_new(IBV_QPT_RC);
		struct ibv_wc wc[DEPTH];

		for (i = 0; i < DEPTH; i++)
			complete(rig, i, ways & (1 << i) ? 1 : 2);
		urd_cq_purge(&rig->cq, 2);
		kept = urd_poll_cq(&rig->cq.vcq.cq, DEPTH, wc);
		CHECK(kept == (unsigned int)__builtin_popcount(ways));
		for (i = 0; i < kept; i++)
			CHECK(wc[i].qp_num == 1 &&
			      (i == 0 || wc[i].wr_id > wc[i - 1].wr_id));
		CHECK(rig->cq.ring.hdr->prod == rig->cq.ring.hdr->cons);
		rig_free(rig);
	}
}

static void lost_cq_says_so(void)
{
	struct rig *rig = rig_new(IBV_QPT_RC);
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc;

	free(rig->cq.ring.hdr);
	memset(&rig->cq.ring, 0, sizeof(rig->cq.ring));
	CHECK(urd_poll_cq(&rig->cq.vcq.cq, 1, &wc) == -EIO);
	CHECK(ibv_start_poll(&rig->cq.vcq.cq_ex, &attr) == EIO);
	CHECK(urd_req_notify_cq(&rig->cq.vcq.cq, 0) == EIO);
	urd_cq_purge(&rig->cq, 1);
	rig_free(rig);
}

void test_poll(void)
{
	poll_takes_what_there_is();
	cqe_becomes_wc();
	extended_poll_frees_as_it_goes();
	arming_sets_bits();
	purge_keeps_the_others_in_order();
	lost_cq_says_so();
}
