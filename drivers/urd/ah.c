// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address vectors and address handles (IBTA volume 1, 11.2.2; RoCEv2 is Annex
 * A17). A vector never changes: QPs and WQEs hold the one that was in force
 * when they took it. The last put may come from any context.
 */
#include <net/dst.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "objtab.h"
#include "udata.h"
#include "verbs.h"

#define DEFAULT_TTL	64

/* Only RoCEv2 addresses, both of one IP version. */
static int check_attr(const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh;
	bool v4;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return -EINVAL;
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return -EINVAL;
	grh = rdma_ah_read_grh(attr);
	if (!grh->sgid_attr || grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	v4 = rdma_gid_attr_network_type(grh->sgid_attr) == RDMA_NETWORK_IPV4;
	if (v4 != ipv6_addr_v4mapped((const struct in6_addr *)grh->dgid.raw))
		return -EINVAL;
	return 0;
}

/**
 * urd_av_create() - resolve what the headers need to know
 * @dev: device
 * @attr: with its sgid_attr filled in by the core
 * @local_qpn: for the source port, where there is no flow label
 * @remote_qpn: likewise
 * @gfp: address handles are created in atomic context, too (fault T10)
 *
 * Return: a vector with one reference, or an ERR_PTR().
 */
struct urd_av *urd_av_create(struct urd_dev *dev, const struct rdma_ah_attr *attr,
			     u32 local_qpn, u32 remote_qpn, gfp_t gfp)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	struct urd_av *av;
	int err;

	err = check_attr(attr);
	if (err)
		return ERR_PTR(err);
	av = kzalloc(sizeof(*av), gfp);
	if (!av)
		return ERR_PTR(-ENOMEM);
	refcount_set(&av->ref, 1);
	spin_lock_init(&av->dst_lock);
	av->v6 = rdma_gid_attr_network_type(grh->sgid_attr) == RDMA_NETWORK_IPV6;
	av->tos = grh->traffic_class;
	av->ttl = grh->hop_limit ?: DEFAULT_TTL;
	av->flow_label = grh->flow_label & IB_GRH_FLOWLABEL_MASK;
	av->sport = htons(rdma_get_udp_sport(av->flow_label, local_qpn, remote_qpn));
	memcpy(&av->saddr, grh->sgid_attr->gid.raw, sizeof(av->saddr));
	memcpy(&av->daddr, grh->dgid.raw, sizeof(av->daddr));
	rdma_hold_gid_attr(grh->sgid_attr);
	av->sgid_attr = grh->sgid_attr;
	return av;
}

void urd_av_put(struct urd_av *av)
{
	if (!refcount_dec_and_test(&av->ref))
		return;
	dst_release(rcu_dereference_protected(av->dst, true));
	rdma_put_gid_attr(av->sgid_attr);
	/* urd_av_find() may be looking at the count. */
	kfree_rcu(av, rcu);
}

struct urd_av *urd_av_find(struct urd_dev *dev, u32 handle, const struct ib_pd *pd)
{
	struct urd_av *av;

	rcu_read_lock();
	av = xa_load(&dev->avs, handle);
	if (av && !refcount_inc_not_zero(&av->ref))
		av = NULL;
	rcu_read_unlock();
	if (av && av->pd != pd) {
		urd_av_put(av);
		av = NULL;
	}
	return av;
}

/* ---- verbs ------------------------------------------------------------- */

/* The handle is found by post_send once the answer is out. */
static int publish(struct urd_dev *dev, struct urd_ah *ah, struct ib_udata *udata)
{
	struct urd_create_ah_resp resp = {};
	int err;

	err = urd_limit_get(dev, URD_LIM_AH, true);
	if (err)
		return err;
	err = xa_alloc_cyclic(&dev->avs, &ah->handle, NULL, xa_limit_32b,
			      &dev->av_next, GFP_KERNEL);
	if (err < 0)
		goto err_limit;
	resp.ah = ah->handle;
	err = urd_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_handle;
	xa_store(&dev->avs, ah->handle, ah->av, GFP_KERNEL);
	return 0;

err_handle:
	xa_erase(&dev->avs, ah->handle);
err_limit:
	urd_limit_put(dev, URD_LIM_AH, true);
	return err;
}

int urd_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
	struct urd_dev *dev = to_urd_dev(ibah->device);
	struct urd_ah *ah = to_urd_ah(ibah);
	int err;

	/* No QPs to hash yet: any number spreads the source ports. */
	ah->av = urd_av_create(dev, init->ah_attr, get_random_u32(), 0, gfp);
	if (IS_ERR(ah->av))
		return PTR_ERR(ah->av);
	ah->av->pd = ibah->pd;
	ah->attr = *init->ah_attr;
	ah->is_user = udata;
	if (!udata)
		return 0;
	err = publish(dev, ah, udata);
	if (err)
		urd_av_put(ah->av);
	return err;
}

int urd_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_urd_ah(ibah)->attr;
	return 0;
}

int urd_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct urd_dev *dev = to_urd_dev(ibah->device);
	struct urd_ah *ah = to_urd_ah(ibah);

	if (ah->is_user) {
		xa_erase(&dev->avs, ah->handle);
		urd_limit_put(dev, URD_LIM_AH, true);
	}
	urd_av_put(ah->av);
	return 0;
}
