// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user that scribbles on its rings and abuses the commands. Each case runs in
 * a child; afterwards a well-behaved pair of QPs in the parent must still
 * deliver data. Kernel splats are the caller's to find (scripts/vm does).
 *
 * hostile DEVICE GID-INDEX [CASE]
 */
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

/* ---- cases --------------------------------------------------------------- */

static const __u32 lies[] = { 0xdeadbeef, 0xffffffff, 0x7fffffff, SQ_DEPTH + 1, 1000 };

/* A slow guest does fewer rounds. */
static bool late(void)
{
	static time_t end;

	if (!end)
		end = time(NULL) + 15;
	return time(NULL) > end;
}

/* A04: SQ producer. Beyond the ring: the QP fails; nobody else notices. */
static void sq_prod(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(lies); i++) {
		struct side *s = setup(256, false);

		need(!post_recv(s, 1, 1024) && !post_send(s, 0, 64));
		need(poll_for(s, 2, 2000) == 2);
		s->sq[0]->prod += lies[i];
		need(!doorbell(s, 0));
		need(state(s->qp[0]) == IBV_QPS_ERR);
		need(event(s, IBV_EVENT_QP_FATAL, 1000));
		s->sq[0]->prod -= 3;
		doorbell(s, 0);
		drop_qps(s);
	}
}

static void rq_prod(bool srq)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(lies); i++) {
		struct side *s = setup(256, srq);
		struct urd_ring_hdr *ring = srq ? s->srq_ring : s->rq[1];

		need(!post_recv(s, 1, 1024) && !post_send(s, 0, 64));
		need(poll_for(s, 2, 2000) == 2);
		ring->prod += lies[i];
		ring->cons = lies[i];
		need(!post_send(s, 0, 64));
		poll_for(s, 1, 1000);
		need(state(s->qp[1]) == IBV_QPS_ERR);
		drop_qps(s);
	}
}

static void rq_index(void)
{
	rq_prod(false);
}

static void srq_index(void)
{
	rq_prod(true);
}

/* The CQ's consumer index: a lie leaves no room, which is an overflow. */
static void cq_cons(void)
{
	struct side *s = setup(256, false);

	need(!post_recv(s, 1, 1024));
	s->cq_ring->cons = 0x12345678;
	s->cq_ring->prod = 0x87654321;
	s->cq_ring->flags = 0xffffffff;
	need(!post_send(s, 0, 64));
	need(event(s, IBV_EVENT_CQ_ERR, 2000));
	need(event(s, IBV_EVENT_QP_FATAL, 2000));
	need(state(s->qp[0]) == IBV_QPS_ERR);
	drop_qps(s);
}

/* CQ01: more completions than entries, honestly. */
static void cq_overflow(void)
{
	struct side *s = setup(1, false);

	for (int i = 0; i < 4; i++)
		need(!post_recv(s, 1, 1024) && !post_send(s, 0, 64));
	need(event(s, IBV_EVENT_CQ_ERR, 2000));
	need(event(s, IBV_EVENT_QP_FATAL, 2000));
	usleep(100000);
	need(state(s->qp[0]) == IBV_QPS_ERR && state(s->qp[1]) == IBV_QPS_ERR);
	drop_qps(s);
}

static void noise(void *p, size_t len)
{
	static __u32 x = 1;
	unsigned char *b = p;

	while (len--) {
		x = x * 1664525 + 1013904223;
		/* half the bytes small, so that much is nearly right */
		*b++ = x & 0x8000 ? x >> 24 : x >> 29;
	}
}

/* A03, CQ09: send WQEs of arbitrary bytes. */
static void sq_noise(void)
{
	for (int round = 0; round < 60 && !late(); round++) {
		struct side *s = setup(1024, false);

		noise((char *)(s->sq[0] + 1), SQ_DEPTH * SQ_STRIDE);
		s->sq[0]->prod += 1 + round % SQ_DEPTH;
		need(!doorbell(s, 0));
		poll_for(s, 1, 20);
		teardown(s);
	}
}

static void rq_noise(bool srq)
{
	for (int round = 0; round < 60 && !late(); round++) {
		struct side *s = setup(1024, srq);
		struct urd_ring_hdr *ring = srq ? s->srq_ring : s->rq[1];

		noise((char *)(ring + 1), RQ_DEPTH * RQ_STRIDE);
		ring->prod += RQ_DEPTH;
		for (int i = 0; i < 8; i++)
			post_send(s, 0, 3000);
		poll_for(s, 1, 20);
		teardown(s);
	}
}

static void rq_wqes(void)
{
	rq_noise(false);
}

static void srq_wqes(void)
{
	rq_noise(true);
}

/* A01, A02: flip every word of the ring while the kernel reads it. */
struct flipper {
	struct urd_ring_hdr *ring;
	size_t len;
	atomic_bool stop;
};

static void *flip(void *arg)
{
	struct flipper *f = arg;
	atomic_uint *w = (void *)(f->ring + 1);
	size_t i = 0;

	while (!f->stop) {
		__u32 old = w[i];

		w[i] = 0xffff;
		w[i] = 0xffffffff;
		w[i] = old;
		i = (i + 1) % (f->len / 4);
	}
	return NULL;
}

static void flipping(struct side *s, struct urd_ring_hdr *ring, size_t len)
{
	struct flipper f = { .ring = ring, .len = len };
	struct ibv_wc wc[16];
	pthread_t t;
	time_t end = time(NULL) + 5;

	pthread_create(&t, NULL, flip, &f);
	while (time(NULL) < end) {
		for (int i = 0; i < 8; i++) {
			post_recv(s, 1, 1024);
			post_send(s, 0, 512);
		}
		while (ibv_poll_cq(s->cq, 16, wc) > 0)
			;
		if (state(s->qp[0]) != IBV_QPS_RTS || state(s->qp[1]) != IBV_QPS_RTS) {
			drop_qps(s);
			s->cq_ring->cons = s->cq_ring->prod;
			make_qps(s);
			if (!s->srq)
				f.ring = ring == s->sq[0] ? s->sq[0] : f.ring;
		}
	}
	f.stop = true;
	pthread_join(t, NULL);
}

static void srq_flip(void)
{
	struct side *s = setup(4096, true);

	flipping(s, s->srq_ring, RQ_DEPTH * RQ_STRIDE);
}

/* Own QPs stay until the end here: a ring that is unmapped cannot be flipped. */
static void qp_flip(bool send)
{
	for (int round = 0; round < 20 && !late(); round++) {
		struct side *s = setup(4096, false);
		struct flipper f = { .ring = send ? s->sq[0] : s->rq[1],
				     .len = send ? SQ_DEPTH * SQ_STRIDE : RQ_DEPTH * RQ_STRIDE };
		struct ibv_wc wc[16];
		pthread_t t;

		pthread_create(&t, NULL, flip, &f);
		for (int i = 0; i < 400; i++) {
			post_recv(s, 1, 1024);
			post_send(s, 0, 512);
			while (ibv_poll_cq(s->cq, 16, wc) > 0)
				;
		}
		f.stop = true;
		pthread_join(t, NULL);
		drop_qps(s);
	}
}

static void sq_flip(void)
{
	qp_flip(true);
}

static void rq_flip(void)
{
	qp_flip(false);
}

/* Several threads resize one CQ, and the kernel completes into it. */
static void *resizer(void *arg)
{
	char out[256];

	for (int i = 0; i < 300 && !late(); i++)
		raw_resize(arg, 1 + rand() % 5000, out);
	return NULL;
}

static void resize_race(void)
{
	struct side *s = setup(4096, false);
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, resizer, s);
	for (int i = 0; i < 300; i++) {
		post_recv(s, 1, 1024);
		post_send(s, 0, 64);
		usleep(500);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	drop_qps(s);
}

/* A05: map what is being destroyed. */
static atomic_bool stop;

static void *mapper(void *arg)
{
	struct ibv_context *ctx = arg;
	long page = sysconf(_SC_PAGESIZE);

	while (!stop) {
		size_t len = page * (1 + rand() % 4);
		atomic_uint *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
					    ctx->cmd_fd, (rand() % 64) * page);

		if (p == MAP_FAILED)
			continue;
		for (size_t i = 0; i < len / 4; i += page / 4)
			p[i]++;
		munmap((void *)p, len);
	}
	return NULL;
}

static void map_race(void)
{
	struct ibv_context *ctx = open_dev();
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct urd_create_cq_resp urd;
	} out;
	pthread_t t[2];

	pthread_create(&t[0], NULL, mapper, ctx);
	pthread_create(&t[1], NULL, mapper, ctx);
	for (int i = 0; i < 3000 && !late(); i++) {
		need(!raw_create_cq(ctx, 1 + rand() % 200, &out));
		need(!raw_destroy_cq(ctx, out.core.cq_handle));
	}
	stop = true;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* CQ07, A08: the answer cannot be stored; nothing may be left behind. */
static void no_answer(void)
{
	long page = sysconf(_SC_PAGESIZE);
	struct ibv_context *ctx = open_dev();
	struct side *s = setup(64, true);
	struct ibv_srq_attr attr;
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(!munmap(p + page, page));
	for (int i = 0; i < 500; i++) {
		char *core = p + page - sizeof(struct ib_uverbs_create_cq_resp);

		need(raw_create_cq(ctx, 100, core) == EFAULT);
		need(raw_resize(s, 100, p + page -
				sizeof(struct ib_uverbs_resize_cq_resp)) == EFAULT);
	}
	/* the old rings still work */
	need(!post_recv(s, 1, 1024) && !post_send(s, 0, 64));
	need(poll_for(s, 2, 2000) == 2);
	attr.max_wr = 0x10000;
	need(ibv_modify_srq(s->srq, &attr, IBV_SRQ_MAX_WR));
	attr.max_wr = 100;
	need(!ibv_modify_srq(s->srq, &attr, IBV_SRQ_MAX_WR));
	need(!post_recv(s, 1, 1024) && !post_send(s, 0, 64));
	need(poll_for(s, 2, 2000) == 2);
	drop_qps(s);
}

/* A bound window keeps its region; unbinding lets it go. */
static void bound_window(void)
{
	struct side *s = setup(64, false);
	struct ibv_mw *mw = ibv_alloc_mw(s->pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = { .bind_info = { s->mr, (uintptr_t)s->buf, 4096,
				    IBV_ACCESS_REMOTE_WRITE } };

	need(mw && !ibv_bind_mw(s->qp[0], mw, &bind) && poll_for(s, 1, 1000) == 1);
	need(ibv_dereg_mr(s->mr) == EBUSY);
	bind.bind_info.length = 0;
	need(!ibv_bind_mw(s->qp[0], mw, &bind) && poll_for(s, 1, 1000) == 1);
	need(!ibv_dereg_mr(s->mr));
	/* M04: the range wraps */
	bind.bind_info.addr = -0x400ull;
	bind.bind_info.length = 0x1400;
	ibv_bind_mw(s->qp[0], mw, &bind);
	poll_for(s, 1, 1000);
	drop_qps(s);
	need(!ibv_dealloc_mw(mw));
}

/* D04, D05: exactly as many as promised, and one more fails. */
static void limits(void)
{
	struct ibv_context *ctx = open_dev();
	struct ibv_device_attr attr;
	struct ibv_pd **pd;
	struct ibv_ah **ah;
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1, .grh.sgid_index = gid_index };
	int i;

	need(!ibv_query_device(ctx, &attr));
	need(!ibv_query_gid(ctx, 1, gid_index, &to.grh.dgid));
	pd = calloc(attr.max_pd + 1, sizeof(*pd));
	/* the parent has one */
	for (i = 0; i <= attr.max_pd && (pd[i] = ibv_alloc_pd(ctx)); i++)
		;
	need(i == attr.max_pd - 1 && errno == ENOMEM);
	ah = calloc(attr.max_ah + 1, sizeof(*ah));
	for (i = 0; i <= attr.max_ah && (ah[i] = ibv_create_ah(pd[0], &to)); i++)
		;
	need(i == attr.max_ah && errno == ENOMEM);
	need(!ibv_destroy_ah(ah[5]) && (ah[5] = ibv_create_ah(pd[0], &to)));
}

/* Killed while a flood runs: everything is taken down by the kernel. */
static void die_busy(void)
{
	struct side *s = setup(4096, true);

	for (int i = 0; i < 2000; i++) {
		post_recv(s, 1, 4096);
		post_send(s, 0, 4096);
		if (i == 1500)
			kill(getpid(), SIGKILL);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
	int status;		/* that wait() reports */
} cases[] = {
	{ "sq_prod", sq_prod, 0 },
	{ "rq_index", rq_index, 0 },
	{ "srq_index", srq_index, 0 },
	{ "cq_cons", cq_cons, 0 },
	{ "cq_overflow", cq_overflow, 0 },
	{ "sq_noise", sq_noise, 0 },
	{ "rq_wqes", rq_wqes, 0 },
	{ "srq_wqes", srq_wqes, 0 },
	{ "sq_flip", sq_flip, 0 },
	{ "rq_flip", rq_flip, 0 },
	{ "srq_flip", srq_flip, 0 },
	{ "resize_race", resize_race, 0 },
	{ "map_race", map_race, 0 },
	{ "no_answer", no_answer, 0 },
	{ "bound_window", bound_window, 0 },
	{ "faults", faults, 0 },
	{ "limits", limits, 0 },
	{ "die_busy", die_busy, SIGKILL },
};

static bool witness(struct side *s)
{
	static int round;
	int i;

	round++;
	for (i = 0; i < 4096; i++)
		s->buf[i] = i * 7 + round;
	memset(s->buf + BUF / 2, 0, 4096);
	if (post_recv(s, 1, 4096) || post_send(s, 0, 4096) || poll_for(s, 2, 5000) != 2)
		return false;
	return !memcmp(s->buf, s->buf + BUF / 2, 4096);
}

/* In a child of its own, so that nothing stays but what the kernel keeps. */
static int run(void (*test)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		test();
		fflush(stdout);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(int argc, char **argv)
{
	struct side *good;
	int failed = 0;

	if (argc < 3)
		return 2;
	dev_name = argv[1];
	gid_index = atoi(argv[2]);
	good = setup(64, false);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int status;
		bool ok;

		if (argc > 3 && strcmp(argv[3], cases[i].name))
			continue;
		if (cases[i].run == faults && !can_fail()) {
			printf("skip %s: the kernel injects no faults\n", cases[i].name);
			continue;
		}
		status = run(cases[i].run);
		ok = status == cases[i].status;
		if (!witness(good)) {
			printf("  QPs of another process do not work any more\n");
			ok = false;
		}
		printf("%s %s (status %#x)\n", ok ? "ok" : "FAIL", cases[i].name, status);
		failed += !ok;
	}
	return !!failed;
}
