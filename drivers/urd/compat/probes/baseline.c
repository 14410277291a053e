// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Must compile: a kernel that URD can be built for, with usable headers. */
#include <linux/kconfig.h>

#if !IS_ENABLED(CONFIG_INFINIBAND)
#error "CONFIG_INFINIBAND is off in this kernel"
#elif !IS_ENABLED(CONFIG_INFINIBAND_ADDR_TRANS)
#error "CONFIG_INFINIBAND_ADDR_TRANS is off in this kernel"
#elif !IS_ENABLED(CONFIG_INFINIBAND_VIRT_DMA)
#error "CONFIG_INFINIBAND_VIRT_DMA is off in this kernel (CONFIG_HIGHMEM is on)"
#elif !IS_ENABLED(CONFIG_NET_UDP_TUNNEL)
#error "CONFIG_NET_UDP_TUNNEL is off in this kernel (VXLAN and WIREGUARD turn it on)"
#elif !IS_ENABLED(CONFIG_CRC32)
#error "CONFIG_CRC32 is off in this kernel"
#endif

#include <linux/netdevice.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/uverbs_ioctl.h>

static int newlink(const char *name, struct net_device *ndev)
{
	return 0;
}

struct rdma_link_ops probe_link_ops = { .type = "probe", .newlink = newlink };
const struct ib_device_ops probe_ops = { .owner = THIS_MODULE };
