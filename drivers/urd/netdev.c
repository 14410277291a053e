// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Following the netdev: port state, MTU, speed and its end.
 *
 * The GID table is the RDMA core's own business; addresses are not looked at
 * here. A new name needs nothing: nobody keeps a copy.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#include "link.h"
#include "netdev.h"

enum ib_port_state urd_port_state(const struct urd_dev *dev)
{
	return netif_running(dev->ndev) && netif_carrier_ok(dev->ndev) ?
	       IB_PORT_ACTIVE : IB_PORT_DOWN;
}

enum ib_mtu urd_active_mtu(const struct urd_dev *dev)
{
	int mtu = READ_ONCE(dev->ndev->mtu);

	/* 256 is also what is left below that: there is no smaller value. */
	return ib_mtu_int_to_enum(mtu - URD_MTU_RESERVE);
}

static void raise_event(struct urd_dev *dev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = type,
		.element.port_num = 1,
	};

	/* Fails before registration and from the start of unregistration. */
	if (!ib_device_try_get(&dev->ibdev))
		return;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ibdev);
}

static void refresh_state(struct urd_dev *dev)
{
	enum ib_port_state state = urd_port_state(dev);

	if (state == dev->port_state)
		return;
	if (dev->port_state == IB_PORT_ACTIVE)
		urd_count(dev, link_downed);
	dev->port_state = state;
#ifndef URD_HAVE_PORT_STATE_EVENT
	raise_event(dev, state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
						   IB_EVENT_PORT_ERR);
#endif
}

/*
 * There is no event for an MTU. Who cares about the attributes of a port reads
 * them again when it becomes active, so say that once more.
 */
static void refresh_mtu(struct urd_dev *dev)
{
	enum ib_mtu mtu = urd_active_mtu(dev);

	if (mtu == dev->active_mtu)
		return;
	dev->active_mtu = mtu;
	if (dev->port_state == IB_PORT_ACTIVE)
		raise_event(dev, IB_EVENT_PORT_ACTIVE);
}

/* Asked here, where RTNL is held anyway, so that query_port does not need it. */
static void refresh_speed(struct urd_dev *dev)
{
	struct ethtool_link_ksettings ks = {};
	u32 speed = 0;

	if (!__ethtool_get_link_ksettings(dev->ndev, &ks) &&
	    ks.base.speed != (u32)SPEED_UNKNOWN)
		speed = ks.base.speed;
	WRITE_ONCE(dev->speed, speed);
}

void urd_netdev_refresh(struct urd_dev *dev)
{
	ASSERT_RTNL();
	lockdep_assert_held(&urd_dev_mutex);
	refresh_speed(dev);
	refresh_state(dev);
	refresh_mtu(dev);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct urd_dev *dev;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_UNREGISTER:
		break;
	default:
		return NOTIFY_DONE;
	}
	mutex_lock(&urd_dev_mutex);
	dev = urd_link_find(ndev);
	if (dev && event == NETDEV_UNREGISTER)
		urd_link_doom(dev);
	else if (dev)
		urd_netdev_refresh(dev);
	mutex_unlock(&urd_dev_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

int urd_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void urd_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
