/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A process with a pair of connected QPs, and a view of its rings. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>

#include "urd-abi.h"

#define SQ_DEPTH	64
#define RQ_DEPTH	16
#define SQ_STRIDE	128
#define RQ_STRIDE	80
#define BUF		65536

#define need(c)		do { if (!(c)) fail(#c, __LINE__); } while (0)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Print and end the process. */
void fail(const char *what, int line);

/**
 * struct side - two QPs connected to each other, and what they need
 * @cq: of both
 * @srq: of both, or NULL
 * @buf: sent from its first half, received into its second
 * @cq_ring, @srq_ring, @sq, @rq: where the rings are mapped
 */
struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_qp *qp[2];
	char *buf;
	struct urd_ring_hdr *cq_ring, *srq_ring, *sq[2], *rq[2];
};

extern const char *dev_name;
extern int gid_index;

struct ibv_context *open_dev(void);
struct side *setup(int cqe, bool srq);
void make_qps(struct side *s);
void drop_qps(struct side *s);
void teardown(struct side *s);
int post_send(struct side *s, int q, __u32 len);
int post_recv(struct side *s, int q, __u32 len);
int poll_for(struct side *s, int want, int ms);
/* Wait for an event; true if it came. */
bool event(struct side *s, enum ibv_event_type type, int ms);
enum ibv_qp_state state(struct ibv_qp *qp);
/* 0 or errno */
int try_rts(struct side *s, struct ibv_qp *qp, __u32 peer);

/* hostile_fault.c */
bool can_fail(void);
void faults(void);

/* The commands themselves, past the provider: 0 or errno. */
int doorbell(struct side *s, int q);
int raw_resize(struct side *s, __u32 cqe, void *out);
int raw_create_cq(struct ibv_context *ctx, __u32 cqe, void *out);
int raw_destroy_cq(struct ibv_context *ctx, __u32 handle);

#endif /* HOSTILE_H */
