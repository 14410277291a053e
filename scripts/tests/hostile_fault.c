// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every allocation and every copy to or from the user fails once, in each
 * command (fault rows M25, A08, CQ07): the command fails or succeeds, nothing
 * is left behind, and the next one works. Needs CONFIG_FAILSLAB, better also
 * CONFIG_FAULT_INJECTION_USERCOPY; see Documentation/fault-injection.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

#define MOST	400	/* no command allocates that often */

static bool tell(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, value, strlen(value)) > 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static int nth;	/* /proc/thread-self/fail-nth */

/* The @n-th possible fault of what this thread does next happens. */
static void arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	need(pwrite(nth, text, len, 0) == len);
}

/* Return: true if it happened; reading may be what it happens to. */
static bool disarm(void)
{
	char text[16] = "";
	bool happened = pread(nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	while (pwrite(nth, "0", 1, 0) != 1)
		;
	return happened;
}

static struct side *s;

static void *pd(void)
{
	return ibv_alloc_pd(s->ctx);
}

static void no_pd(void *p)
{
	need(!ibv_dealloc_pd(p));
}

static void *mr(void)
{
	return ibv_reg_mr(s->pd, s->buf, BUF, IBV_ACCESS_LOCAL_WRITE);
}

static void no_mr(void *p)
{
	need(!ibv_dereg_mr(p));
}

static void *mw(void)
{
	return ibv_alloc_mw(s->pd, IBV_MW_TYPE_2);
}

static void no_mw(void *p)
{
	need(!ibv_dealloc_mw(p));
}

static void *ah(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1,
				  .grh.sgid_index = gid_index };

	if (ibv_query_gid(s->ctx, 1, gid_index, &to.grh.dgid))
		return NULL;
	return ibv_create_ah(s->pd, &to);
}

static void no_ah(void *p)
{
	need(!ibv_destroy_ah(p));
}

static void *cq(void)
{
	return ibv_create_cq(s->ctx, 100, NULL, NULL, 0);
}

static void no_cq(void *p)
{
	need(!ibv_destroy_cq(p));
}

static void *srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 100, .max_sge = 4 } };

	return ibv_create_srq(s->pd, &init);
}

static void no_srq(void *p)
{
	need(!ibv_destroy_srq(p));
}

static void *qp(void)
{
	struct ibv_qp_init_attr init = { .send_cq = s->cq, .recv_cq = s->cq,
		.qp_type = IBV_QPT_RC, .cap = { 100, 100, 4, 4, 0 } };

	return ibv_create_qp(s->pd, &init);
}

static void no_qp(void *p)
{
	need(!ibv_destroy_qp(p));
}

/* Connecting may stop half way; what counts is that RESET works after it. */
static void *reconnect(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	if (ibv_modify_qp(s->qp[0], &a, IBV_QP_STATE))
		return NULL;
	return try_rts(s, s->qp[0], s->qp[1]->qp_num) ? NULL : s;
}

static void *resize_cq(void)
{
	return ibv_resize_cq(s->cq, 1 + rand() % 500) ? NULL : s;
}

static void *resize_srq(void)
{
	struct ibv_srq_attr attr = { .max_wr = 1 + rand() % 500 };

	return ibv_modify_srq(s->srq, &attr, IBV_SRQ_MAX_WR) ? NULL : s;
}

static void *rereg(void)
{
	int ret = ibv_rereg_mr(s->mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, s->buf,
			       BUF, 0);

	return ret ? NULL : s;
}

static void nothing(void *p)
{
	need(p == s);
}

static const struct {
	const char *name;
	void *(*create)(void);
	void (*destroy)(void *object);
} commands[] = {
	{ "pd", pd, no_pd }, { "mr", mr, no_mr }, { "mw", mw, no_mw },
	{ "ah", ah, no_ah }, { "cq", cq, no_cq }, { "srq", srq, no_srq },
	{ "qp", qp, no_qp }, { "modify_qp", reconnect, nothing },
	{ "resize_cq", resize_cq, nothing }, { "resize_srq", resize_srq, nothing },
	{ "rereg_mr", rereg, nothing },
};

static void fail_each(unsigned int i)
{
	void *object;
	bool failed;
	int n = 0;

	do {
		need(++n < MOST);
		arm(n);
		object = commands[i].create();
		failed = disarm();
		if (object)
			commands[i].destroy(object);
	} while (failed);
	/* the last round was without a fault */
	printf("  %s: %d faults\n", commands[i].name, n - 1);
	need(object && n > 2);
}

bool can_fail(void)
{
	/* its messages look like splats */
	tell("/sys/kernel/debug/fail_usercopy/verbose", "0");
	return tell("/sys/kernel/debug/failslab/ignore-gfp-wait", "N") &&
	       tell("/sys/kernel/debug/failslab/verbose", "0") &&
	       tell("/proc/thread-self/fail-nth", "0");
}

void faults(void)
{
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	need(nth >= 0);
	s = setup(64, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		fail_each(i);
	teardown(s);
}
