// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <fcntl.h>
#include <poll.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile.h"

const char *dev_name;
int gid_index;

void fail(const char *what, int line)
{
	printf("  line %d: %s (errno %d)\n", line, what, errno);
	fflush(stdout);
	_exit(1);
}

/* ---- verbs --------------------------------------------------------------- */

struct map {
	unsigned long start, end;
};

static int ring_maps(struct map *maps, int max)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "/uverbs") && n < max &&
		    sscanf(line, "%lx-%lx", &maps[n].start, &maps[n].end) == 2)
			n++;
	if (f)
		fclose(f);
	return n;
}

/* Rings mapped since *before was taken, the longest first. */
static int new_rings(const struct map *before, int n, struct urd_ring_hdr **out)
{
	struct map now[256];
	unsigned long len[2] = {};
	int total = ring_maps(now, 256), found = 0, i, j;

	for (i = 0; i < total; i++) {
		for (j = 0; j < n; j++)
			if (now[i].start == before[j].start)
				break;
		if (j < n || found == 2)
			continue;
		out[found] = (void *)now[i].start;
		len[found++] = now[i].end - now[i].start;
	}
	if (found == 2 && len[1] > len[0]) {
		struct urd_ring_hdr *t = out[0];

		out[0] = out[1];
		out[1] = t;
	}
	return found;
}

struct ibv_context *open_dev(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), dev_name))
			ctx = ibv_open_device(list[i]);
	need(ctx);
	fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	return ctx;
}

int try_rts(struct side *s, struct ibv_qp *qp, __u32 peer)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
	int ret;

	ret = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	if (ret)
		return ret;
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh.sgid_index = gid_index, .grh.hop_limit = 1 } };
	ret = ibv_query_gid(s->ctx, 1, gid_index, &a.ah_attr.grh.dgid);
	if (ret)
		return ret;
	ret = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 12,
		.retry_cnt = 3, .rnr_retry = 3, .max_rd_atomic = 4 };
	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			     IBV_QP_MAX_QP_RD_ATOMIC);
}

void make_qps(struct side *s)
{
	struct ibv_qp_init_attr init = { .send_cq = s->cq, .recv_cq = s->cq,
		.srq = s->srq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { SQ_DEPTH, RQ_DEPTH, 4, 4, 0 } };
	struct urd_ring_hdr *rings[2];
	struct map before[256];

	for (int i = 0; i < 2; i++) {
		struct ibv_qp_init_attr copy = init;
		int n = ring_maps(before, 256);

		s->qp[i] = ibv_create_qp(s->pd, &copy);
		need(s->qp[i]);
		need(new_rings(before, n, rings) == (s->srq ? 1 : 2));
		s->sq[i] = rings[0];
		s->rq[i] = s->srq ? NULL : rings[1];
	}
	need(!try_rts(s, s->qp[0], s->qp[1]->qp_num));
	need(!try_rts(s, s->qp[1], s->qp[0]->qp_num));
}

void drop_qps(struct side *s)
{
	need(!ibv_destroy_qp(s->qp[0]));
	need(!ibv_destroy_qp(s->qp[1]));
}

struct side *setup(int cqe, bool srq)
{
	struct side *s = calloc(1, sizeof(*s));
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RQ_DEPTH, .max_sge = 4 } };
	struct map before[256];
	int n;

	s->ctx = open_dev();
	need(s->pd = ibv_alloc_pd(s->ctx));
	s->buf = mmap(NULL, BUF, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(s->mr = ibv_reg_mr(s->pd, s->buf, BUF, IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_MW_BIND));
	n = ring_maps(before, 256);
	need(s->cq = ibv_create_cq(s->ctx, cqe, NULL, NULL, 0));
	need(new_rings(before, n, &s->cq_ring) == 1);
	if (srq) {
		n = ring_maps(before, 256);
		need(s->srq = ibv_create_srq(s->pd, &init));
		need(new_rings(before, n, &s->srq_ring) == 1);
	}
	make_qps(s);
	return s;
}

void teardown(struct side *s)
{
	drop_qps(s);
	if (s->srq)
		ibv_destroy_srq(s->srq);
	ibv_destroy_cq(s->cq);
	ibv_dereg_mr(s->mr);
	ibv_dealloc_pd(s->pd);
	ibv_close_device(s->ctx);
	munmap(s->buf, BUF);
	free(s);
}

int post_send(struct side *s, int q, __u32 len)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, len, s->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	return ibv_post_send(s->qp[q], &wr, &bad);
}

int post_recv(struct side *s, int q, __u32 len)
{
	struct ibv_sge sge = { (uintptr_t)s->buf + BUF / 2, len, s->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return s->srq ? ibv_post_srq_recv(s->srq, &wr, &bad) :
			ibv_post_recv(s->qp[q], &wr, &bad);
}

int poll_for(struct side *s, int want, int ms)
{
	struct ibv_wc wc;
	int got = 0;

	for (; ms > 0 && got < want; ms--) {
		int n = ibv_poll_cq(s->cq, 1, &wc);

		if (n > 0) {
			got++;
			ms++;
		} else {
			usleep(1000);
		}
	}
	return got;
}

bool event(struct side *s, enum ibv_event_type type, int ms)
{
	struct pollfd p = { s->ctx->async_fd, POLLIN, 0 };
	struct ibv_async_event ev;
	bool found = false;

	while (!found && poll(&p, 1, ms) == 1 && !ibv_get_async_event(s->ctx, &ev)) {
		found = ev.event_type == type;
		ibv_ack_async_event(&ev);
	}
	return found;
}

enum ibv_qp_state state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	need(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

/* ---- raw commands -------------------------------------------------------- */

#define HDR(cmd, c, r) { .command = (cmd), .in_words = sizeof(c) / 4, .out_words = (r) / 4 }

int doorbell(struct side *s, int q)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} c = { .hdr = HDR(IB_USER_VERBS_CMD_POST_SEND, c,
			   sizeof(struct ib_uverbs_post_send_resp)) };
	struct ib_uverbs_post_send_resp resp;

	c.cmd.response = (uintptr_t)&resp;
	c.cmd.qp_handle = s->qp[q]->handle;
	c.cmd.wqe_size = sizeof(struct ib_uverbs_send_wr);
	return write(s->ctx->cmd_fd, &c, sizeof(c)) == sizeof(c) ? 0 : errno;
}

int raw_resize(struct side *s, __u32 cqe, void *out)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_resize_cq cmd;
	} c = { .hdr = HDR(IB_USER_VERBS_CMD_RESIZE_CQ, c,
			   sizeof(struct ib_uverbs_resize_cq_resp) +
			   sizeof(struct urd_resize_cq_resp)) };

	c.cmd.response = (uintptr_t)out;
	c.cmd.cq_handle = s->cq->handle;
	c.cmd.cqe = cqe;
	return write(s->ctx->cmd_fd, &c, sizeof(c)) == sizeof(c) ? 0 : errno;
}

int raw_create_cq(struct ibv_context *ctx, __u32 cqe, void *out)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_cq cmd;
	} c = { .hdr = HDR(IB_USER_VERBS_CMD_CREATE_CQ, c,
			   sizeof(struct ib_uverbs_create_cq_resp) +
			   sizeof(struct urd_create_cq_resp)) };

	c.cmd.response = (uintptr_t)out;
	c.cmd.cqe = cqe;
	c.cmd.comp_channel = -1;
	return write(ctx->cmd_fd, &c, sizeof(c)) == sizeof(c) ? 0 : errno;
}

int raw_destroy_cq(struct ibv_context *ctx, __u32 handle)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_cq cmd;
	} c = { .hdr = HDR(IB_USER_VERBS_CMD_DESTROY_CQ, c,
			   sizeof(struct ib_uverbs_destroy_cq_resp)) };
	struct ib_uverbs_destroy_cq_resp resp;

	c.cmd.response = (uintptr_t)&resp;
	c.cmd.cq_handle = handle;
	return write(ctx->cmd_fd, &c, sizeof(c)) == sizeof(c) ? 0 : errno;
}
