// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams for UD and GSI QPs (IBTA volume 1, 9.8.2 and Annex A17.4.5.1). The
 * first 40 bytes of a receive are the GRH area: the IPv6 header, or zeros and
 * the IPv4 header in the last 20.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "engine.h"
#include "sg.h"

static void grh_area(struct sk_buff *skb, u8 *grh)
{
	memset(grh, 0, URD_GRH_LEN);
	if (urd_skb_cb(skb)->v6)
		memcpy(grh, ipv6_hdr(skb), sizeof(struct ipv6hdr));
	else
		memcpy(grh + URD_GRH_LEN - sizeof(struct iphdr), ip_hdr(skb),
		       sizeof(struct iphdr));
}

static int put(struct urd_sgl *sgl, const u8 *p, u32 len)
{
	u32 n;

	for (; len; len -= n, p += n) {
		void *dst = urd_sgl_next(sgl, len, &n);

		if (!dst)
			return -EFAULT;
		memcpy(dst, p, n);
	}
	return 0;
}

static int place(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_rwqe *rwqe = &qp->eng.resp.rwqe;
	u8 grh[URD_GRH_LEN];
	struct urd_sgl sgl;
	int ret;

	grh_area(rx->skb, grh);
	urd_sgl_init(&sgl, qp, rwqe->sge, rwqe->num_sge, URD_RIGHT_LOCAL_WRITE);
	ret = put(&sgl, grh, sizeof(grh));
	if (!ret && rx->pkt.payload_len)
		ret = urd_skb_to_sgl(rx->skb, rx->off + rx->pkt.payload_off,
				     rx->pkt.payload_len, &sgl);
	urd_sgl_done(&sgl);
	return ret;
}

static void complete_recv(struct urd_qp *qp, const struct urd_rx *rx, u8 status)
{
	const struct urd_packet *pkt = &rx->pkt;
	struct urd_rwqe *rwqe = &qp->eng.resp.rwqe;
	struct urd_cqe cqe = {
		.wr_id = rwqe->wr_id,
		.opcode = URD_WR_SEND,
		.status = status,
		.flags = URD_CQE_RECV | URD_CQE_GRH,
		.byte_len = pkt->payload_len + URD_GRH_LEN,
		.src_qp = pkt->deth.src_qpn,
		.network_hdr_type = urd_skb_cb(rx->skb)->v6 ? 6 : 4,
	};

	if (pkt->op->hdrs & URD_HDR_IMM) {
		cqe.flags |= URD_CQE_IMM;
		cqe.imm = (__force u32)pkt->imm;
	}
	if (pkt->se)
		cqe.flags |= URD_CQE_SOLICITED;
	rwqe->valid = false;
	urd_engine_cqe(qp, qp->rcq, &cqe);
}

/* The WQE is broken, not the datagram: its consumer has to know (W06 differs). */
static void fail(struct urd_qp *qp, const struct urd_rx *rx, u8 status)
{
	complete_recv(qp, rx, status);
	urd_qp_set_error(qp);
}

void urd_resp_datagram(struct urd_qp *qp, const struct urd_rx *rx)
{
	struct urd_rwqe *rwqe = &qp->eng.resp.rwqe;
	int ret = 0;

	if (!rwqe->valid)
		ret = urd_rq_take(qp, rwqe, &qp->eng.srq_limit);
	if (ret == -EAGAIN) {
		urd_count(qp->dev, rx_drop_no_recv);
		return;
	}
	if (ret) {
		fail(qp, rx, IB_WC_LOC_QP_OP_ERR);
		return;
	}
	/* Too long: dropped silently, the WQE waits for the next one (W06). */
	if (rx->pkt.payload_len > qp->mtu ||
	    rx->pkt.payload_len + URD_GRH_LEN > rwqe->length) {
		urd_count(qp->dev, rx_drop_too_long);
		return;
	}
	if (place(qp, rx))
		fail(qp, rx, IB_WC_LOC_PROT_ERR);
	else
		complete_recv(qp, rx, IB_WC_SUCCESS);
}
