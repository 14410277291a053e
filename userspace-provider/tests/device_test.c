// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the provider promises, on a real device: two RC queue pairs connected
 * to each other.
 *
 *	urd_device_test DEVICE GID-INDEX [COMMAND]
 *
 * COMMAND removes the device; the last case looks at what is left. Exit status
 * 0 when every check passed.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ccan/array_size.h>
#include <infiniband/verbs.h>

static unsigned int passed, failed;
static struct ibv_context *context;
static int gid_index;

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (cond) {                                                    \
			passed++;                                              \
		} else {                                                       \
			failed++;                                              \
			printf("%s:%d: failed: %s (errno %d)\n", __func__,     \
			       __LINE__, #cond, errno);                        \
		}                                                              \
	} while (0)

/* What the cases cannot go on without */
#define NEED(cond)                                                             \
	do {                                                                   \
		if (!(cond)) {                                                 \
			printf("%s:%d: %s: %s\n", __func__, __LINE__, #cond,   \
			       strerror(errno));                               \
			exit(EXIT_FAILURE);                                    \
		}                                                              \
	} while (0)

enum {
	DEPTH = 16,
	BUF_SIZE = 4096,
	WAIT_MS = 10000,
};

struct rig {
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp[2];
	char buf[BUF_SIZE];
};

static struct ibv_qp *make_qp(struct rig *rig, struct ibv_pd *pd)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rig->cq,
		.recv_cq = rig->cq,
		.srq = rig->srq,
		.cap = { DEPTH, rig->srq ? 0 : DEPTH, 2, 2, 32 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	return ibv_create_qp(pd, &attr);
}

static int connect_qp(struct ibv_qp *qp, const struct ibv_qp *to)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = to->qp_num,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = gid_index,
				      .hop_limit = 64 } },
	};

	NEED(!ibv_query_gid(context, 1, gid_index, &attr.ah_attr.grh.dgid));
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT |
					       IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV |
					       IBV_QP_PATH_MTU |
					       IBV_QP_DEST_QPN |
					       IBV_QP_RQ_PSN |
					       IBV_QP_MAX_DEST_RD_ATOMIC |
					       IBV_QP_MIN_RNR_TIMER));
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
						IBV_QP_RETRY_CNT |
						IBV_QP_RNR_RETRY |
						IBV_QP_SQ_PSN |
						IBV_QP_MAX_QP_RD_ATOMIC);
}

static int set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static struct rig *rig_new(uint32_t srq_depth)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { srq_depth, 2, 0 } };
	struct rig *rig = calloc(1, sizeof(*rig));

	NEED(rig);
	NEED(rig->pd = ibv_alloc_pd(context));
	NEED(rig->mr = ibv_reg_mr(rig->pd, rig->buf, BUF_SIZE,
				  IBV_ACCESS_LOCAL_WRITE |
				  IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ));
	NEED(rig->channel = ibv_create_comp_channel(context));
	NEED(rig->cq = ibv_create_cq(context, 4 * DEPTH, NULL, rig->channel,
				     0));
	if (srq_depth)
		NEED(rig->srq = ibv_create_srq(rig->pd, &srq_attr));
	NEED(rig->qp[0] = make_qp(rig, rig->pd));
	NEED(rig->qp[1] = make_qp(rig, rig->pd));
	NEED(!connect_qp(rig->qp[0], rig->qp[1]));
	NEED(!connect_qp(rig->qp[1], rig->qp[0]));
	return rig;
}

static void rig_free(struct rig *rig)
{
	int i;

	for (i = 0; i < 2; i++)
		if (rig->qp[i])
			CHECK(!ibv_destroy_qp(rig->qp[i]));
	if (rig->srq)
		CHECK(!ibv_destroy_srq(rig->srq));
	CHECK(!ibv_destroy_cq(rig->cq));
	CHECK(!ibv_destroy_comp_channel(rig->channel));
	CHECK(!ibv_dereg_mr(rig->mr));
	CHECK(!ibv_dealloc_pd(rig->pd));
	free(rig);
}

static int post(struct rig *rig, struct ibv_qp *qp, enum ibv_wr_opcode opcode,
		uint64_t wr_id, uint32_t from, uint32_t to, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)rig->buf + from, len, rig->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.rdma = { (uintptr_t)rig->buf + to, rig->mr->rkey },
	};
	struct ibv_send_wr *bad_wr;

	return ibv_post_send(qp, &wr, &bad_wr);
}

static int post_recv(struct rig *rig, struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)rig->buf, 64, rig->mr->lkey };
	struct ibv_recv_wr wr = { wr_id, NULL, &sge, 1 };
	struct ibv_recv_wr *bad_wr;

	return qp->srq ? ibv_post_srq_recv(qp->srq, &wr, &bad_wr) :
			 ibv_post_recv(qp, &wr, &bad_wr);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Poll until @count are there, or too long. Return: how many came. */
static int poll_n(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	uint64_t end = now_ms() + WAIT_MS;
	int n = 0, ret;

	while (n < count && now_ms() < end) {
		ret = ibv_poll_cq(cq, count - n, wc + n);
		if (ret < 0)
			return ret;
		n += ret;
		if (!ret)
			usleep(100);
	}
	return n;
}

static void lists_are_posted_up_to_the_bad_wr(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_sge sge[3] = {
		{ (uintptr_t)rig->buf, 8, rig->mr->lkey },
		{ (uintptr_t)rig->buf, 8, rig->mr->lkey },
		{ (uintptr_t)rig->buf, 8, rig->mr->lkey },
	};
	struct ibv_send_wr wr[4] = {}, *bad_wr = NULL;
	struct ibv_wc wc[4];
	int i;

	memcpy(rig->buf, "payload", sizeof("payload"));
	for (i = 0; i < 4; i++) {
		wr[i].wr_id = i;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
		wr[i].sg_list = sge;
		wr[i].num_sge = i == 2 ? 3 : 1;
		wr[i].opcode = IBV_WR_RDMA_WRITE;
		wr[i].wr.rdma.remote_addr = (uintptr_t)rig->buf + 100 * i + 100;
		wr[i].wr.rdma.rkey = rig->mr->rkey;
	}
	CHECK(ibv_post_send(rig->qp[0], wr, &bad_wr) == EINVAL);
	CHECK(bad_wr == &wr[2]);
	CHECK(poll_n(rig->cq, 2, wc) == 2);
	CHECK(wc[0].wr_id == 0 && wc[1].wr_id == 1);
	CHECK(!wc[0].status && !wc[1].status);
	CHECK(!strcmp(rig->buf + 100, "payload"));
	CHECK(!strcmp(rig->buf + 200, "payload"));
	CHECK(!rig->buf[300]);
	CHECK(ibv_poll_cq(rig->cq, 1, wc) == 0);
	rig_free(rig);
}

/* A posted receive makes no system call, yet in ERR the kernel must see it. */
static void error_state_flushes_what_comes_later(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[4];
	unsigned int i;

	CHECK(!post_recv(rig, rig->qp[0], 1));
	CHECK(!set_state(rig->qp[0], IBV_QPS_ERR));
	CHECK(poll_n(rig->cq, 1, wc) == 1 && wc[0].wr_id == 1);
	CHECK(wc[0].status == IBV_WC_WR_FLUSH_ERR);
	for (i = 2; i < 4; i++) {
		CHECK(!post_recv(rig, rig->qp[0], i));
		CHECK(poll_n(rig->cq, 1, wc) == 1 && wc[0].wr_id == i);
		CHECK(wc[0].status == IBV_WC_WR_FLUSH_ERR);
	}
	CHECK(!post(rig, rig->qp[0], IBV_WR_SEND, 4, 0, 0, 8));
	CHECK(poll_n(rig->cq, 1, wc) == 1 && wc[0].wr_id == 4);
	CHECK(wc[0].status == IBV_WC_WR_FLUSH_ERR);
	rig_free(rig);
}

static void reset_empties_the_queues(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[2 * DEPTH];
	int i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < DEPTH; i++)
			CHECK(!post_recv(rig, rig->qp[1], i));
		CHECK(!post(rig, rig->qp[0], IBV_WR_SEND, 99, 0, 64, 8));
		CHECK(poll_n(rig->cq, 2, wc) == 2);
		CHECK(!wc[0].status && !wc[1].status);

		CHECK(!set_state(rig->qp[1], IBV_QPS_ERR));
		CHECK(!set_state(rig->qp[1], IBV_QPS_RESET));
		CHECK(ibv_poll_cq(rig->cq, DEPTH, wc) == 0);
		CHECK(post_recv(rig, rig->qp[1], 0) == EINVAL);
		CHECK(!set_state(rig->qp[0], IBV_QPS_RESET));
		CHECK(!connect_qp(rig->qp[0], rig->qp[1]));
		CHECK(!connect_qp(rig->qp[1], rig->qp[0]));
	}
	rig_free(rig);
}

static void destroyed_qp_leaves_no_completion(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[8];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, i, 0, 64, 8));
		CHECK(!post(rig, rig->qp[1], IBV_WR_RDMA_WRITE, 10 + i, 0, 64,
			    8));
	}
	/* The last one's completion says that all others are in the CQ, too */
	CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_READ, 4, 0, 64, 8));
	CHECK(!post(rig, rig->qp[1], IBV_WR_RDMA_READ, 14, 0, 64, 8));
	usleep(200000);
	CHECK(!ibv_destroy_qp(rig->qp[0]));
	rig->qp[0] = NULL;
	CHECK(poll_n(rig->cq, 5, wc) == 5);
	for (i = 0; i < 5; i++)
		CHECK(wc[i].qp_num == rig->qp[1]->qp_num &&
		      wc[i].wr_id == 10 + i);
	CHECK(ibv_poll_cq(rig->cq, 8, wc) == 0);
	rig_free(rig);
}

static void resized_cq_keeps_its_completions(void)
{
	static const int sizes[] = { 8, 200, 8, 1000 };
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[8];
	size_t s;
	unsigned int i;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (i = 0; i < 6; i++)
			CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, i, 0,
				    64, 8));
		usleep(100000);
		CHECK(poll_n(rig->cq, 1, wc) == 1 && wc[0].wr_id == 0);
		CHECK(ibv_resize_cq(rig->cq, 1) == EINVAL);
		CHECK(!ibv_resize_cq(rig->cq, sizes[s]));
		CHECK(rig->cq->cqe >= sizes[s]);
		CHECK(poll_n(rig->cq, 5, wc) == 5);
		for (i = 0; i < 5; i++)
			CHECK(wc[i].wr_id == i + 1 && !wc[i].status);
	}
	rig_free(rig);
}

static void resized_srq_keeps_its_receives(void)
{
	struct rig *rig = rig_new(8);
	struct ibv_srq_attr attr = { .max_wr = 100 };
	struct ibv_wc wc[2];
	unsigned int i;

	for (i = 0; i < 8; i++)
		CHECK(!post_recv(rig, rig->qp[1], i));
	CHECK(post_recv(rig, rig->qp[1], 8) == ENOMEM);
	CHECK(!ibv_modify_srq(rig->srq, &attr, IBV_SRQ_MAX_WR));
	CHECK(!ibv_query_srq(rig->srq, &attr));
	CHECK(attr.max_wr >= 100);
	for (; i < attr.max_wr; i++)
		CHECK(!post_recv(rig, rig->qp[1], i));
	CHECK(post_recv(rig, rig->qp[1], i) == ENOMEM);
	attr.max_wr = 4;
	CHECK(ibv_modify_srq(rig->srq, &attr, IBV_SRQ_MAX_WR));

	for (i = 0; i < 20; i++) {
		CHECK(!post(rig, rig->qp[0], IBV_WR_SEND, 1000, 0, 64, 8));
		CHECK(poll_n(rig->cq, 2, wc) == 2);
		CHECK(wc[0].wr_id + wc[1].wr_id == 1000 + i);
		CHECK(!wc[0].status && !wc[1].status);
	}
	rig_free(rig);
}

static int wait_event(struct rig *rig, int ms)
{
	struct pollfd pfd = { rig->channel->fd, POLLIN, 0 };
	struct ibv_cq *cq;
	void *arg;

	if (poll(&pfd, 1, ms) != 1 ||
	    ibv_get_cq_event(rig->channel, &cq, &arg))
		return 0;
	ibv_ack_cq_events(cq, 1);
	return 1;
}

static void events_come_as_asked_for(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[2];
	struct ibv_sge sge = { (uintptr_t)rig->buf, 8, rig->mr->lkey };
	struct ibv_send_wr *bad_wr, wr = { .sg_list = &sge, .num_sge = 1,
					   .opcode = IBV_WR_SEND };
	int i;

	CHECK(!ibv_req_notify_cq(rig->cq, 0));
	CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, 0, 0, 64, 8));
	CHECK(wait_event(rig, WAIT_MS));
	CHECK(poll_n(rig->cq, 1, wc) == 1);

	/* Once, and not before it is asked for again */
	CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, 0, 0, 64, 8));
	CHECK(poll_n(rig->cq, 1, wc) == 1);
	CHECK(!wait_event(rig, 100));

	for (i = 0; i < 2; i++)
		CHECK(!post_recv(rig, rig->qp[1], i));
	CHECK(!ibv_req_notify_cq(rig->cq, 1));
	CHECK(!ibv_post_send(rig->qp[0], &wr, &bad_wr));
	CHECK(poll_n(rig->cq, 2, wc) == 2);
	CHECK(!wait_event(rig, 100));
	wr.send_flags = IBV_SEND_SOLICITED;
	CHECK(!ibv_post_send(rig->qp[0], &wr, &bad_wr));
	CHECK(wait_event(rig, WAIT_MS));
	CHECK(poll_n(rig->cq, 2, wc) == 2);
	rig_free(rig);
}

static void timestamps_are_of_the_device_clock(void)
{
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_values_ex before = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_values_ex after = before;
	struct ibv_poll_cq_attr poll_attr = {};
	struct rig *rig = rig_new(0);
	uint64_t end = now_ms() + WAIT_MS, ts, from, to;
	struct ibv_cq *plain = rig->cq;
	struct ibv_cq_ex *cq;
	int i, ret;

	NEED(cq = ibv_create_cq_ex(context, &cq_attr));
	for (i = 0; i < 2; i++) {
		CHECK(!ibv_destroy_qp(rig->qp[i]));
		rig->cq = ibv_cq_ex_to_cq(cq);
		NEED(rig->qp[i] = make_qp(rig, rig->pd));
	}
	NEED(!connect_qp(rig->qp[0], rig->qp[1]));
	NEED(!connect_qp(rig->qp[1], rig->qp[0]));

	CHECK(!ibv_query_rt_values_ex(context, &before));
	CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, 5, 0, 64, 8));
	do {
		ret = ibv_start_poll(cq, &poll_attr);
	} while (ret == ENOENT && now_ms() < end);
	CHECK(!ret && cq->wr_id == 5 && !cq->status);
	if (!ret) {
		ts = ibv_wc_read_completion_ts(cq);
		ibv_end_poll(cq);
		CHECK(!ibv_query_rt_values_ex(context, &after));
		from = before.raw_clock.tv_sec * 1000000000ULL +
		       before.raw_clock.tv_nsec;
		to = after.raw_clock.tv_sec * 1000000000ULL +
		     after.raw_clock.tv_nsec;
		CHECK(from <= ts && ts <= to);
	}
	for (i = 0; i < 2; i++) {
		CHECK(!ibv_destroy_qp(rig->qp[i]));
		rig->qp[i] = NULL;
	}
	CHECK(!ibv_destroy_cq(rig->cq));
	rig->cq = plain;
	rig_free(rig);
}

static void domains_are_counted(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct rig *rig = rig_new(0);
	struct ibv_pd *parent;
	struct ibv_qp *qp;
	struct ibv_wc wc;

	NEED(attr.td = ibv_alloc_td(context, &td_attr));
	attr.pd = rig->pd;
	NEED(parent = ibv_alloc_parent_domain(context, &attr));
	CHECK(ibv_dealloc_td(attr.td) == EBUSY);
	CHECK(ibv_dealloc_pd(rig->pd) == EBUSY);

	NEED(qp = make_qp(rig, parent));
	CHECK(!set_state(rig->qp[0], IBV_QPS_RESET));
	NEED(!connect_qp(qp, rig->qp[0]));
	NEED(!connect_qp(rig->qp[0], qp));
	CHECK(!post(rig, qp, IBV_WR_RDMA_WRITE, 3, 0, 64, 8));
	CHECK(poll_n(rig->cq, 1, &wc) == 1 && wc.wr_id == 3 && !wc.status);
	CHECK(!ibv_destroy_qp(qp));
	CHECK(!ibv_dealloc_pd(parent));
	CHECK(!ibv_dealloc_td(attr.td));

	attr.td = NULL;
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	CHECK(!ibv_alloc_parent_domain(context, &attr) && errno == EOPNOTSUPP);
	rig_free(rig);
}

/* The parent's rings stay where they are, whatever becomes of the child. */
static void fork_does_not_disturb(void)
{
	struct rig *rig = rig_new(0);
	struct ibv_wc wc[2];
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		CHECK(!post_recv(rig, rig->qp[1], i));
		pid = fork();
		NEED(pid >= 0);
		if (!pid) {
			memset(rig->buf, 0xff, BUF_SIZE);
			_exit(0);
		}
		memset(rig->buf, 0, BUF_SIZE);
		memcpy(rig->buf + 1024, "parent", sizeof("parent"));
		CHECK(!post(rig, rig->qp[0], IBV_WR_SEND, 100, 1024, 0, 8));
		CHECK(poll_n(rig->cq, 2, wc) == 2);
		CHECK(wc[0].wr_id + wc[1].wr_id == 100 + i);
		CHECK(!strcmp(rig->buf, "parent"));
		CHECK(waitpid(pid, &status, 0) == pid && !status);
	}
	rig_free(rig);
}

#define THREADS 4
#define PER_THREAD 200

static struct rig *shared;

/* Each posts on the same QP and polls the same CQ until its share is through. */
static void *post_and_poll(void *arg)
{
	uint64_t end = now_ms() + WAIT_MS;
	uintptr_t errors = 0;
	int posted = 0, done = 0, ret;
	struct ibv_wc wc;

	while (done < PER_THREAD && now_ms() < end) {
		ret = posted < PER_THREAD ?
			      post(shared, shared->qp[0], IBV_WR_RDMA_WRITE, 1,
				   0, 64, 8) : ENOMEM;
		posted += !ret;
		errors += ret && ret != ENOMEM;
		ret = ibv_poll_cq(shared->cq, 1, &wc);
		done += ret;
		errors += ret && (wc.status || wc.wr_id != 1);
		if (ret == 0)
			sched_yield();
	}
	return (void *)(errors + PER_THREAD - done);
}

static void threads_share_queues(void)
{
	pthread_t thread[THREADS];
	struct ibv_wc wc;
	void *missing;
	int i;

	shared = rig_new(0);
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&thread[i], NULL, post_and_poll, NULL));
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &missing);
		CHECK(!missing);
	}
	CHECK(ibv_poll_cq(shared->cq, 1, &wc) == 0);
	rig_free(shared);
}

/* Last: the device goes away under a program that has it open. */
static void removed_device_fails_cleanly(const char *command)
{
	struct rig *rig = rig_new(0);
	struct ibv_async_event event;
	struct pollfd pfd = { context->async_fd, POLLIN, 0 };
	struct ibv_wc wc;
	int i;

	CHECK(!post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, 1, 0, 64, 8));
	CHECK(poll_n(rig->cq, 1, &wc) == 1);
	CHECK(!system(command));
	for (i = 0; i < 100; i++)
		CHECK(ibv_poll_cq(rig->cq, 1, &wc) == 0);
	CHECK(post(rig, rig->qp[0], IBV_WR_RDMA_WRITE, 2, 0, 64, 8) == EIO);
	CHECK(!ibv_req_notify_cq(rig->cq, 0));
	CHECK(ibv_resize_cq(rig->cq, 100) == EIO);
	CHECK(ibv_poll_cq(rig->cq, 1, &wc) == 0);

	do {
		if (poll(&pfd, 1, WAIT_MS) != 1)
			break;
		NEED(!ibv_get_async_event(context, &event));
		ibv_ack_async_event(&event);
	} while (event.event_type != IBV_EVENT_DEVICE_FATAL);
	CHECK(event.event_type == IBV_EVENT_DEVICE_FATAL);

	/* With RDMAV_ALLOW_DISASSOC_DESTROY what is left can be freed */
	rig_free(rig);
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	NEED(list);
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	NEED(context);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s DEVICE GID-INDEX [COMMAND]\n",
			argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("RDMAV_ALLOW_DISASSOC_DESTROY", "1", 1);
	NEED(!ibv_fork_init());
	gid_index = atoi(argv[2]);
	open_device(argv[1]);

	lists_are_posted_up_to_the_bad_wr();
	error_state_flushes_what_comes_later();
	reset_empties_the_queues();
	destroyed_qp_leaves_no_completion();
	resized_cq_keeps_its_completions();
	resized_srq_keeps_its_receives();
	events_come_as_asked_for();
	timestamps_are_of_the_device_clock();
	domains_are_counted();
	fork_does_not_disturb();
	threads_share_queues();
	if (argc > 3)
		removed_device_fails_cleanly(argv[3]);
	CHECK(!ibv_close_device(context));

	printf("%u passed, %u failed, %d skipped\n", passed, failed, argc < 4);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
