// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Module in and out: one list, read in both directions.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <rdma/rdma_netlink.h>

#include "crc.h"
#include "engine.h"
#include "link.h"
#include "netdev.h"
#include "tx.h"

struct workqueue_struct *urd_wq;
struct workqueue_struct *urd_cpu_wq;

static int wq_init(void)
{
	urd_wq = alloc_workqueue("urd", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!urd_wq)
		return -ENOMEM;
	urd_cpu_wq = alloc_workqueue("urd_cpu", WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (urd_cpu_wq)
		return 0;
	destroy_workqueue(urd_wq);
	return -ENOMEM;
}

static void wq_exit(void)
{
	destroy_workqueue(urd_cpu_wq);
	destroy_workqueue(urd_wq);
}

static int crc_init(void)
{
	urd_crc_init();
	return 0;
}

struct step {
	int (*init)(void);
	void (*exit)(void);
};

/* Creation of links comes last, and is the first to end. */
static const struct step steps[] = {
	{ crc_init,		urd_crc_exit },
	{ wq_init,		wq_exit },
	{ urd_engine_init_module,	urd_tx_exit },
	{ urd_netdev_init,	urd_netdev_exit },
	{ urd_link_init,	urd_link_exit },
};

static void undo(size_t n)
{
	while (n)
		steps[--n].exit();
}

static int __init urd_init(void)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		err = steps[i].init();
		if (err) {
			undo(i);
			return err;
		}
	}
	return 0;
}

static void __exit urd_exit(void)
{
	undo(ARRAY_SIZE(steps));
	/* Socket callbacks and RCU callbacks may still be in our code. */
	synchronize_rcu();
	rcu_barrier();
}

module_init(urd_init);
module_exit(urd_exit);

MODULE_DESCRIPTION("UDP RDMA device: software RoCEv2");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_LINK("urd");
