// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers, handles and limits of verbs objects.
 *
 * Lookup runs in softirq under RCU and yields a held handle or nothing. An
 * object is published last and hidden first: a packet never finds one that is
 * half built or half gone. Destroying waits for the last holder.
 *
 * Indices are given out cyclically, so that a number that was just freed does
 * not come back while packets for its old owner are still under way. They begin
 * anywhere, because the peer remembers what an unloaded module does not.
 */
#include "objtab.h"

#define QPN_FIRST	16		/* 0 and 1 are special, the rest is margin */
#define QPN_LAST	0xfffffe	/* 0xffffff is multicast */
#define KEY_FIRST	1
#define KEY_LAST	0xffffff

DEFINE_XARRAY_ALLOC(urd_qpns);
static u32 qpn_next;
static atomic_t serial;

static const int limits[URD_LIM_COUNT] = {
	[URD_LIM_PD]		= URD_MAX_PD,
	[URD_LIM_UCONTEXT]	= URD_MAX_UCONTEXT,
	[URD_LIM_AH]		= URD_MAX_AH,
	[URD_LIM_CQ]		= URD_MAX_CQ,
	[URD_LIM_QP]		= URD_MAX_QP,
	[URD_LIM_SRQ]		= URD_MAX_SRQ,
	[URD_LIM_MR]		= URD_MAX_MR,
	[URD_LIM_MW]		= URD_MAX_MW,
};

struct urd_ref *urd_ref_alloc(void *obj, u32 kind, gfp_t gfp)
{
	struct urd_ref *ref = kzalloc(sizeof(*ref), gfp);

	if (!ref)
		return NULL;
	refcount_set(&ref->count, 1);
	ref->kind = kind;
	ref->obj = obj;
	init_completion(&ref->idle);
	return ref;
}

struct urd_ref *urd_ref_find(struct xarray *xa, unsigned long index)
{
	struct urd_ref *ref;

	rcu_read_lock();
	ref = xa_load(xa, index);
	if (ref && !refcount_inc_not_zero(&ref->count))
		ref = NULL;
	rcu_read_unlock();
	return ref;
}

void urd_ref_kill(struct urd_ref *ref)
{
	if (!ref)
		return;
	urd_ref_put(ref);
	wait_for_completion(&ref->idle);
	kfree_rcu(ref, rcu);
}

void urd_objtab_dev_init(struct urd_dev *dev)
{
	xa_init_flags(&dev->keys, XA_FLAGS_ALLOC1);
	xa_init_flags(&dev->avs, XA_FLAGS_ALLOC1);
	dev->key_next = get_random_u32_below(KEY_LAST) + KEY_FIRST;
	dev->av_next = 1;
}

void urd_objtab_dev_exit(struct urd_dev *dev)
{
	WARN_ON(!xa_empty(&dev->keys));
	WARN_ON(!xa_empty(&dev->avs));
	xa_destroy(&dev->keys);
	xa_destroy(&dev->avs);
}

int urd_limit_get(struct urd_dev *dev, enum urd_limit lim, bool is_user)
{
	if (is_user && !atomic_add_unless(&dev->limits[lim], 1, limits[lim]))
		return -ENOMEM;
	return 0;
}

void urd_limit_put(struct urd_dev *dev, enum urd_limit lim, bool is_user)
{
	if (is_user)
		atomic_dec(&dev->limits[lim]);
}

int urd_key_reserve(struct urd_dev *dev, u32 *key)
{
	u32 index;
	int err;

	err = xa_alloc_cyclic(&dev->keys, &index, NULL,
			      XA_LIMIT(KEY_FIRST, KEY_LAST), &dev->key_next,
			      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;
	*key = index << 8 | get_random_u8();
	return 0;
}

void urd_key_publish(struct urd_dev *dev, u32 key, struct urd_ref *ref)
{
	/* The slot exists: nothing is allocated, nothing can fail. */
	xa_store(&dev->keys, key >> 8, ref, GFP_KERNEL);
}

void urd_key_hide(struct urd_dev *dev, u32 key)
{
	xa_erase(&dev->keys, key >> 8);
}

int urd_qpn_reserve(u32 *qpn)
{
	int err;

	xa_lock(&urd_qpns);
	if (!qpn_next)
		qpn_next = get_random_u32_below(QPN_LAST - QPN_FIRST) + QPN_FIRST;
	err = __xa_alloc_cyclic(&urd_qpns, qpn, NULL, XA_LIMIT(QPN_FIRST, QPN_LAST),
				&qpn_next, GFP_KERNEL);
	xa_unlock(&urd_qpns);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;
	return 0;
}

void urd_qpn_publish(u32 qpn, struct urd_ref *ref)
{
	xa_store(&urd_qpns, qpn, ref, GFP_KERNEL);
}

void urd_qpn_hide(u32 qpn)
{
	xa_erase(&urd_qpns, qpn);
}

u32 urd_serial(void)
{
	return atomic_inc_return(&serial);
}
