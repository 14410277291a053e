// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the RDMA core is told about a device and its port: ops, attributes,
 * sysfs. Limits are those of urd.h; whatever is advertised here works.
 */
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/once.h>
#include <linux/siphash.h>
#include <rdma/ib_mad.h>

#include "crc.h"
#include "device.h"
#include "link.h"
#include "netdev.h"
#include "verbs.h"

/*
 * There is no vendor with an OUI behind the device. The local bit in the first
 * octet says so, and keeps the number clear of those who have one.
 */
#define VENDOR_ID	0x025552
#define VENDOR_PART_ID	0x4401
#define HW_VER		1
#define FW_VER		1ull

/*
 * One entry for each address. The core makes three sysfs files for each, per
 * network namespace, and walks them all to find a GID.
 */
#define GID_TABLE_LEN	256

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;

	attr->fw_ver = FW_VER;
	attr->sys_image_guid = ibdev->node_guid;
	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = VENDOR_PART_ID;
	attr->hw_ver = HW_VER;
	attr->device_cap_flags =
		IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
		IB_DEVICE_UD_AV_PORT_ENFORCE | IB_DEVICE_CURR_QP_STATE_MOD |
		IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |
		IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE |
		IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_MEM_WINDOW |
		IB_DEVICE_MEM_WINDOW_TYPE_2B;
#ifdef URD_HAVE_VERBS_FLUSH
	attr->device_cap_flags |= IB_DEVICE_FLUSH_GLOBAL;
#endif
#ifdef URD_HAVE_VERBS_ATOMIC_WRITE
	attr->device_cap_flags |= IB_DEVICE_ATOMIC_WRITE;
#endif
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG;

	attr->max_mr_size = U64_MAX;
	/* Every power of two from 4 KiB on; the table walk takes its size from the MR. */
	attr->page_size_cap = ~(u64)(SZ_4K - 1);
	attr->max_mr = URD_MAX_MR;
	attr->max_mw = URD_MAX_MW;
	attr->max_fast_reg_page_list_len = URD_MAX_FAST_REG_PAGES;
	attr->max_pd = URD_MAX_PD;
	attr->max_ah = URD_MAX_AH;
	attr->max_cq = URD_MAX_CQ;
	attr->max_cqe = URD_MAX_CQE;
	attr->max_qp = URD_MAX_QP;
	attr->max_qp_wr = URD_MAX_QP_WR;
	attr->max_send_sge = URD_MAX_SGE;
	attr->max_recv_sge = URD_MAX_SGE;
	attr->max_sge_rd = URD_MAX_SGE;
	attr->max_srq = URD_MAX_SRQ;
	attr->max_srq_wr = URD_MAX_SRQ_WR;
	attr->max_srq_sge = URD_MAX_SGE;
	attr->max_qp_rd_atom = URD_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = URD_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = URD_MAX_QP * URD_MAX_RD_ATOMIC;
	/* CPU instructions where there are some; elsewhere a lock of the kernel's. */
	attr->atomic_cap = IS_ENABLED(CONFIG_64BIT) ? IB_ATOMIC_GLOB : IB_ATOMIC_HCA;
	attr->max_mcast_grp = URD_MAX_MCAST_GRP;
	attr->max_mcast_qp_attach = URD_MAX_MCAST_QP;
	attr->max_total_mcast_qp_attach = URD_MAX_TOTAL_MCAST_QP;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	/* struct urd_cqe.timestamp: nanoseconds */
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = 1000 * 1000;
	return 0;
}

/* One lane up to 50 Gbit/s, then four: what such ports are made of. */
static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} speeds[] = {
	{   2500, IB_SPEED_SDR, IB_WIDTH_1X },
	{  10000, IB_SPEED_QDR, IB_WIDTH_1X },
	{  25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{  40000, IB_SPEED_QDR, IB_WIDTH_4X },
	{  50000, IB_SPEED_HDR, IB_WIDTH_1X },
	{ 100000, IB_SPEED_EDR, IB_WIDTH_4X },
	{ 200000, IB_SPEED_HDR, IB_WIDTH_4X },
	{ 400000, IB_SPEED_NDR, IB_WIDTH_4X },
	{ U32_MAX, IB_SPEED_NDR, IB_WIDTH_8X },
};

/* Netdevs without a speed (lo, dummy) count as 10 Gbit/s, like veth. */
static void fill_speed(const struct urd_dev *dev, struct ib_port_attr *attr)
{
	u32 mbps = READ_ONCE(dev->speed) ?: SPEED_10000;
	size_t i = 0;

	while (mbps > speeds[i].mbps)
		i++;
	attr->active_speed = speeds[i].speed;
	attr->active_width = speeds[i].width;
}

static u8 phys_state(const struct urd_dev *dev)
{
	if (!netif_running(dev->ndev))
		return IB_PORT_PHYS_STATE_DISABLED;
	return netif_carrier_ok(dev->ndev) ? IB_PORT_PHYS_STATE_LINK_UP :
					     IB_PORT_PHYS_STATE_POLLING;
}

static int query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	const struct urd_dev *dev = to_urd_dev(ibdev);

	if (port != 1)
		return -EINVAL;
	attr->state = urd_port_state(dev);
	attr->phys_state = phys_state(dev);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = urd_active_mtu(dev);
	attr->phys_mtu = READ_ONCE(dev->ndev->mtu);
	attr->gid_tbl_len = GID_TABLE_LEN;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = URD_MAX_MSG;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	attr->bad_pkey_cntr = urd_counter_sum(dev, URD_CNT_rx_drop_pkey);
	attr->qkey_viol_cntr = urd_counter_sum(dev, URD_CNT_rx_drop_qkey);
	fill_speed(dev, attr);
	return 0;
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (port != 1 || index)
		return -EINVAL;
	*pkey = URD_DEFAULT_PKEY;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = GID_TABLE_LEN;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int modify_device(struct ib_device *ibdev, int mask,
			 struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc, sizeof(ibdev->node_desc));
	return 0;
}

static void get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%llu", FW_VER);
}

/* ---- sysfs ---------------------------------------------------------------- */

static struct urd_dev *from_device(struct device *device)
{
	return rdma_device_to_drv_device(device, struct urd_dev, ibdev);
}

static ssize_t parent_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", from_device(device)->ndev->name);
}
static DEVICE_ATTR_RO(parent);

/* The provider tells by this that the device is ours, whatever its name. */
static ssize_t hca_type_show(struct device *device, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "urd\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%u\n", HW_VER);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t crc_show(struct device *device, struct device_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "%s\n", urd_crc_name());
}
static DEVICE_ATTR_RO(crc);

static bool local_path = true;
module_param(local_path, bool, 0644);
MODULE_PARM_DESC(local_path, "new links serve QPs of this host without packets (default: on)");

static ssize_t local_path_show(struct device *device, struct device_attribute *attr,
			       char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(from_device(device)->local_path));
}

static ssize_t local_path_store(struct device *device, struct device_attribute *attr,
				const char *buf, size_t count)
{
	bool on;
	int err = kstrtobool(buf, &on);

	if (err)
		return err;
	WRITE_ONCE(from_device(device)->local_path, on);
	return count;
}
static DEVICE_ATTR_RW(local_path);

static struct attribute *attrs[] = {
	&dev_attr_parent.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	&dev_attr_crc.attr,
	&dev_attr_local_path.attr,
	NULL
};

static const struct attribute_group attr_group = {
	.attrs = attrs,
};

/* ---- set-up --------------------------------------------------------------- */

static const struct ib_device_ops dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = URD_ABI_VERSION,
	.uverbs_no_driver_id_binding = 1,

	.alloc_hw_port_stats = urd_alloc_hw_port_stats,
	.alloc_mr = urd_alloc_mr,
	.alloc_mw = urd_alloc_mw,
	.alloc_pd = urd_alloc_pd,
	.alloc_ucontext = urd_alloc_ucontext,
	.attach_mcast = urd_attach_mcast,
	.create_ah = urd_create_ah,
	.create_cq = urd_create_cq,
#ifdef URD_HAVE_CREATE_USER_CQ
	.create_user_cq = urd_create_cq,
#endif
	.create_qp = urd_create_qp,
	.create_srq = urd_create_srq,
	.create_user_ah = urd_create_ah,
	.dealloc_driver = urd_dealloc_driver,
	.dealloc_mw = urd_dealloc_mw,
	.dealloc_pd = urd_dealloc_pd,
	.dealloc_ucontext = urd_dealloc_ucontext,
	.dereg_mr = urd_dereg_mr,
	.destroy_ah = urd_destroy_ah,
	.destroy_cq = urd_destroy_cq,
	.destroy_qp = urd_destroy_qp,
	.destroy_srq = urd_destroy_srq,
	.detach_mcast = urd_detach_mcast,
	.device_group = &attr_group,
	.disassociate_ucontext = urd_disassociate_ucontext,
	.get_dev_fw_str = get_dev_fw_str,
	.get_dma_mr = urd_get_dma_mr,
	.get_hw_stats = urd_get_hw_stats,
	.get_link_layer = get_link_layer,
	.get_port_immutable = get_port_immutable,
	.map_mr_sg = urd_map_mr_sg,
	.mmap = urd_mmap,
	.mmap_free = urd_mmap_free,
	.modify_device = modify_device,
	.modify_qp = urd_modify_qp,
	.modify_srq = urd_modify_srq,
	.poll_cq = urd_poll_cq,
	.post_recv = urd_post_recv,
	.post_send = urd_post_send,
	.post_srq_recv = urd_post_srq_recv,
	.process_mad = urd_process_mad,
	.query_ah = urd_query_ah,
	.query_device = query_device,
	.query_pkey = query_pkey,
	.query_port = query_port,
	.query_qp = urd_query_qp,
	.query_srq = urd_query_srq,
	.reg_user_mr = urd_reg_user_mr,
	.req_notify_cq = urd_req_notify_cq,
	.rereg_user_mr = urd_rereg_user_mr,
#ifdef URD_HAVE_RESIZE_USER_CQ
	.resize_user_cq = urd_resize_cq,
#else
	.resize_cq = urd_resize_cq,
#endif

	INIT_RDMA_OBJ_SIZE(ib_ah, urd_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, urd_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, urd_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, urd_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, urd_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, urd_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, urd_ucontext, ibuc),
};

void urd_device_setup(struct urd_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	ib_set_device_ops(ibdev, &dev_ops);
	strscpy(ibdev->node_desc, "urd", sizeof(ibdev->node_desc));
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->local_dma_lkey = 0;
	dev->local_path = READ_ONCE(local_path);
	/* Doorbells. */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
}

/* lo has no MAC address: a locally administered one, the same until reboot. */
static void make_up_mac(const struct net_device *ndev, u8 *mac)
{
	static siphash_aligned_key_t key;
	u64 hash;

	get_random_once(&key, sizeof(key));
	hash = siphash_2u64(dev_net(ndev)->net_cookie, ndev->ifindex, &key);
	memcpy(mac, &hash, ETH_ALEN);
	mac[0] = (mac[0] & ~BIT(0)) | BIT(1);
}

/*
 * EUI-64. What is FF FE for a MAC address tells a VLAN from its parent, which
 * has the same address, and is @salt when that is not zero.
 */
__be64 urd_device_guid(const struct net_device *ndev, u16 salt)
{
	u8 mac[ETH_ALEN], eui[8];
	u16 middle = salt;
	__be64 guid;

	ether_addr_copy(mac, ndev->dev_addr);
	if (is_zero_ether_addr(mac))
		make_up_mac(ndev, mac);
	if (!middle)
		middle = is_vlan_dev(ndev) ? vlan_dev_vlan_id(ndev) : 0xfffe;
	memcpy(eui, mac, 3);
	eui[3] = middle >> 8;
	eui[4] = middle;
	memcpy(eui + 5, mac + 3, 3);
	memcpy(&guid, eui, sizeof(guid));
	return guid;
}
