// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Management datagrams that the device itself answers: performance management
 * (IBA volume 1, 16.1), which also feeds the port's sysfs counters. All other
 * classes go on to the agents of the RDMA core.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "device.h"

#define PMA_CLASS_VERSION	1
#define PMA_ALL_PORTS		0xff

/* 16.1.3.5: the classic counters stop at their highest value. */
static u8 sat8(u64 v)
{
	return min_t(u64, v, U8_MAX);
}

static __be16 sat16(u64 v)
{
	return cpu_to_be16(min_t(u64, v, U16_MAX));
}

static __be32 sat32(u64 v)
{
	return cpu_to_be32(min_t(u64, v, U32_MAX));
}

static u64 receive_errors(const struct urd_dev *dev)
{
	return urd_counter_sum(dev, URD_CNT_rx_icrc_error) +
	       urd_counter_sum(dev, URD_CNT_rx_drop_short) +
	       urd_counter_sum(dev, URD_CNT_rx_drop_opcode) +
	       urd_counter_sum(dev, URD_CNT_rx_drop_version) +
	       urd_counter_sum(dev, URD_CNT_rx_drop_pad) +
	       urd_counter_sum(dev, URD_CNT_rx_drop_ip_header);
}

static void class_port_info(const struct urd_dev *dev, void *data)
{
	struct ib_class_port_info *cpi = data;

	cpi->base_version = IB_MGMT_BASE_VERSION;
	cpi->class_version = PMA_CLASS_VERSION;
	/* 64-bit counters, but unicast and multicast are not told apart. */
	cpi->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF;
}

/* Data counters are in units of four bytes (16.1.3.5). */
static void port_counters(const struct urd_dev *dev, void *data)
{
	struct ib_pma_portcounters *c = data;

	c->link_downed_counter = sat8(urd_counter_sum(dev, URD_CNT_link_downed));
	c->port_rcv_errors = sat16(receive_errors(dev));
	c->port_xmit_discards = sat16(urd_counter_sum(dev, URD_CNT_tx_dropped) +
				      urd_counter_sum(dev, URD_CNT_tx_no_route));
	c->port_rcv_constraint_errors =
		sat8(urd_counter_sum(dev, URD_CNT_rx_drop_pkey));
	c->port_xmit_data = sat32(urd_counter_sum(dev, URD_CNT_tx_bytes) / 4);
	c->port_rcv_data = sat32(urd_counter_sum(dev, URD_CNT_rx_bytes) / 4);
	c->port_xmit_packets = sat32(urd_counter_sum(dev, URD_CNT_tx_packets));
	c->port_rcv_packets = sat32(urd_counter_sum(dev, URD_CNT_rx_packets));
}

static void port_counters_ext(const struct urd_dev *dev, void *data)
{
	struct ib_pma_portcounters_ext *c = data;

	c->port_xmit_data = cpu_to_be64(urd_counter_sum(dev, URD_CNT_tx_bytes) / 4);
	c->port_rcv_data = cpu_to_be64(urd_counter_sum(dev, URD_CNT_rx_bytes) / 4);
	c->port_xmit_packets = cpu_to_be64(urd_counter_sum(dev, URD_CNT_tx_packets));
	c->port_rcv_packets = cpu_to_be64(urd_counter_sum(dev, URD_CNT_rx_packets));
}

static bool port_selected(const struct ib_pma_mad *pma)
{
	/* PortSelect is the second byte of every counter attribute. */
	return pma->data[1] == 1 || pma->data[1] == PMA_ALL_PORTS;
}

/* Fills @out->data; the answer's status. */
static u16 pma_get(const struct urd_dev *dev, const struct ib_pma_mad *in,
		   struct ib_pma_mad *out)
{
	if (in->mad_hdr.class_version != PMA_CLASS_VERSION)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO) {
		class_port_info(dev, out->data);
		return 0;
	}
	if (in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS &&
	    in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS_EXT)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (!port_selected(in))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	out->data[1] = in->data[1];
	if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		port_counters(dev, out->data);
	else
		port_counters_ext(dev, out->data);
	return 0;
}

int urd_process_mad(struct ib_device *ibdev, int flags, u32 port,
		    const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	const struct ib_pma_mad *request = (const struct ib_pma_mad *)in;
	struct ib_pma_mad *answer = (struct ib_pma_mad *)out;

	BUILD_BUG_ON(sizeof(*request) != sizeof(*in));

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    (in->mad_hdr.method & IB_MGMT_METHOD_RESP) ||
	    in->mad_hdr.method == IB_MGMT_METHOD_TRAP_REPRESS)
		return IB_MAD_RESULT_SUCCESS;

	memset(answer, 0, sizeof(*answer));
	answer->mad_hdr = request->mad_hdr;
	answer->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	answer->mad_hdr.status =
		cpu_to_be16(pma_get(to_urd_dev(ibdev), request, answer));
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
