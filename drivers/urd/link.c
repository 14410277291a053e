// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Coming and going of devices.
 *
 * Four things take a device away: "rdma link delete", its netdev, its network
 * namespace and the module. Each of them only asks the RDMA core, which takes
 * one of them seriously and makes the others wait; urd_dealloc_driver() is the
 * one place where a device gives back what it holds.
 *
 * Lock order: RTNL or the core's unregistration lock, then urd_dev_mutex.
 */
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <rdma/rdma_netlink.h>

#include "device.h"
#include "link.h"
#include "net.h"
#include "netdev.h"
#include "objtab.h"

/* see link.h */
DEFINE_MUTEX(urd_dev_mutex);

struct urd_dev *urd_link_find(const struct net_device *ndev)
{
	struct urd_dev *dev;
	struct urd_net *un;

	lockdep_assert_held(&urd_dev_mutex);
	list_for_each_entry(un, &urd_nets, link) {
		if (!net_eq(un->net, dev_net(ndev)))
			continue;
		list_for_each_entry(dev, &un->devs, link) {
			if (dev->ndev == ndev)
				return dev;
		}
	}
	return NULL;
}

static bool guid_in_use(__be64 guid)
{
	struct urd_dev *dev;
	struct urd_net *un;

	list_for_each_entry(un, &urd_nets, link) {
		list_for_each_entry(dev, &un->devs, link) {
			if (dev->ibdev.node_guid == guid)
				return true;
		}
	}
	return false;
}

static int check_netdev(const struct net_device *ndev, struct netlink_ext_ack *extack)
{
	if (ndev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "the netdev is going away");
		return -ENODEV;
	}
	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "only Ethernet and loopback netdevs can carry RoCEv2");
		return -EOPNOTSUPP;
	}
	if (READ_ONCE(ndev->mtu) < URD_MIN_NETDEV_MTU) {
		NL_SET_ERR_MSG(extack, "the netdev's MTU is too small for a path MTU of 256 bytes");
		return -EINVAL;
	}
	if (urd_link_find(ndev)) {
		NL_SET_ERR_MSG(extack, "the netdev has a URD device already");
		return -EEXIST;
	}
	return 0;
}

/* RTNL and urd_dev_mutex are held. From here on the notifier knows the device. */
static int attach_locked(struct urd_dev *dev, struct net_device *ndev,
			 struct netlink_ext_ack *extack)
{
	struct urd_net *un;
	int err;

	err = check_netdev(ndev, extack);
	if (err)
		return err;
	un = urd_net_get(dev_net(ndev), extack);
	if (IS_ERR(un))
		return PTR_ERR(un);
	dev->ibdev.node_guid = urd_device_guid(ndev, 0);
	if (guid_in_use(dev->ibdev.node_guid))
		dev->ibdev.node_guid = urd_device_guid(ndev, ndev->ifindex);
	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	dev->ndev = ndev;
	dev->net = un;
	urd_netdev_refresh(dev);
	list_add_tail_rcu(&dev->link, &un->devs);
	return 0;
}

/*
 * *net is held on success. A namespace that begins to exit after that waits in
 * no one's way: its exit handler meets registered devices only.
 */
static int attach(struct urd_dev *dev, struct net_device *ndev, struct net **net,
		  struct netlink_ext_ack *extack)
{
	int err;

	rtnl_lock();
	*net = maybe_get_net(dev_net(ndev));
	if (!*net) {
		NL_SET_ERR_MSG(extack, "the network namespace is going away");
		err = -ENODEV;
		goto unlock;
	}
	mutex_lock(&urd_dev_mutex);
	err = attach_locked(dev, ndev, extack);
	mutex_unlock(&urd_dev_mutex);
	if (err)
		put_net(*net);
unlock:
	rtnl_unlock();
	return err;
}

/*
 * With "rdma system set netns exclusive" a device is visible in one namespace
 * only, and the core starts it in the initial one. Give it to the namespace of
 * its netdev instead. In shared mode all namespaces see it where it is. The
 * mode cannot change while there is any namespace but the initial one.
 */
static void place_in_netns(struct urd_dev *dev, struct net *net)
{
	if (!rdma_dev_access_netns(&dev->ibdev, net))
		write_pnet(&dev->ibdev.coredev.rdma_net, net);
}

/*
 * The device may be gone as soon as it is registered: only @dev's memory is
 * sure to be there, because the caller holds it.
 */
static int register_device(struct urd_dev *dev, const char *name,
			   struct netlink_ext_ack *extack)
{
	bool doomed;
	int err;

	err = ib_device_set_netdev(&dev->ibdev, dev->ndev, 1);
	if (err)
		return err;
	ib_mark_name_assigned_by_user(&dev->ibdev);
	err = ib_register_device(&dev->ibdev, name, NULL);
	if (err == -ENFILE) {
		NL_SET_ERR_MSG(extack, "the name is taken by another RDMA device");
		err = -EEXIST;
	}
	if (err)
		return err;

	mutex_lock(&urd_dev_mutex);
	dev->registered = true;
	doomed = dev->doomed;
	mutex_unlock(&urd_dev_mutex);
	if (!doomed)
		return 0;
	/* No error to the caller, who would release it once more. */
	ib_unregister_device(&dev->ibdev);
	return 0;
}

static struct urd_dev *alloc_device(void)
{
	struct urd_dev *dev = ib_alloc_device(urd_dev, ibdev);

	if (!dev)
		return NULL;
	INIT_LIST_HEAD(&dev->link);
	urd_objtab_dev_init(dev);
	urd_device_setup(dev);
	dev->stats = alloc_percpu(struct urd_stats);
	if (!dev->stats || urd_mcast_init(dev)) {
		ib_dealloc_device(&dev->ibdev);
		return NULL;
	}
	return dev;
}

static int add_device(const char *name, struct net_device *ndev,
		      struct netlink_ext_ack *extack)
{
	struct urd_dev *dev;
	struct net *net;
	int err;

	dev = alloc_device();
	if (!dev)
		return -ENOMEM;
	err = attach(dev, ndev, &net, extack);
	if (err)
		goto err_dealloc;
	place_in_netns(dev, net);
	get_device(&dev->ibdev.dev);
	err = register_device(dev, name, extack);
	if (err)
		ib_dealloc_device(&dev->ibdev);
	put_device(&dev->ibdev.dev);
	put_net(net);
	return err;

err_dealloc:
	ib_dealloc_device(&dev->ibdev);
	return err;
}

/*
 * The core passes no extack to newlink, so the reason goes to the log. Only an
 * admin gets here.
 */
static int urd_newlink(const char *name, struct net_device *ndev)
{
	struct netlink_ext_ack extack = {};
	int err = add_device(name, ndev, &extack);

	if (err && net_ratelimit())
		netdev_err(ndev, "RDMA link %s not added: %s (error %d)\n", name,
			   extack._msg ?: "out of memory or refused by the RDMA core",
			   err);
	return err;
}

void urd_dealloc_driver(struct ib_device *ibdev)
{
	struct urd_dev *dev = to_urd_dev(ibdev);

	mutex_lock(&urd_dev_mutex);
	if (dev->net) {
		list_del_rcu(&dev->link);
		urd_net_put(dev->net);
	}
	mutex_unlock(&urd_dev_mutex);
	/* Receivers may have found it in the list. */
	synchronize_rcu();
	if (dev->ndev)
		netdev_put(dev->ndev, &dev->ndev_tracker);
	urd_mcast_exit(dev);
	urd_objtab_dev_exit(dev);
	free_percpu(dev->stats);
}

void urd_link_doom(struct urd_dev *dev)
{
	lockdep_assert_held(&urd_dev_mutex);
	if (!dev->registered) {
		dev->doomed = true;
	} else if (ib_device_try_get(&dev->ibdev)) {
		/* Not here: RTNL is held, and consumers may need it to let go. */
		ib_unregister_device_queued(&dev->ibdev);
		ib_device_put(&dev->ibdev);
	}
}

/* Memory of the first device of @net, or of any with NULL, held. */
static struct urd_dev *get_first(const struct net *net)
{
	struct urd_dev *dev = NULL;
	struct urd_net *un;

	mutex_lock(&urd_dev_mutex);
	list_for_each_entry(un, &urd_nets, link) {
		if (net && !net_eq(un->net, net))
			continue;
		dev = list_first_entry(&un->devs, struct urd_dev, link);
		get_device(&dev->ibdev.dev);
		break;
	}
	mutex_unlock(&urd_dev_mutex);
	return dev;
}

void urd_link_remove_all(const struct net *net)
{
	struct urd_dev *dev;

	while ((dev = get_first(net))) {
		/* Returns when it is gone, whoever began to unregister it. */
		ib_unregister_device(&dev->ibdev);
		put_device(&dev->ibdev.dev);
	}
}

static void __net_exit net_exit(struct net *net)
{
	urd_link_remove_all(net);
}

/*
 * A pernet device, not a subsystem: exits before netdevs leave the namespace,
 * and, registered after ib_core's, before that moves devices elsewhere.
 */
static struct pernet_operations net_ops = {
	.exit = net_exit,
};

static struct rdma_link_ops link_ops = {
	.type = "urd",
	.newlink = urd_newlink,
};

int urd_link_init(void)
{
	int err = register_pernet_device(&net_ops);

	if (err)
		return err;
	rdma_link_register(&link_ops);
	return 0;
}

void urd_link_exit(void)
{
	rdma_link_unregister(&link_ops);
	urd_link_remove_all(NULL);
	unregister_pernet_device(&net_ops);
}
