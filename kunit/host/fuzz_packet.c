// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Input: one byte, then a packet from its BTH on. The byte adds a multiple of
 * 16 to the length of packets whose headers are all there, as if the rest of
 * the payload were not in contiguous memory.
 */
#include "fuzz.h"
#include "../urd_kunit.h"

static void check_parsed(const struct urd_packet *pkt, const u8 *data, u32 len)
{
	const struct urd_opinfo *op = &urd_opinfo[data[0]];
	u8 buf[URD_MAX_HDR_LEN + URD_ICRC_LEN] = {};
	struct urd_packet again;
	u32 n;

	CHECK(pkt->op == op && urd_op_known(pkt->opcode));
	CHECK(pkt->pad <= 3 && pkt->qpn <= 0xffffff && pkt->psn <= 0xffffff);
	CHECK(pkt->payload_off == op->hdr_len);
	CHECK((u64)pkt->payload_off + pkt->payload_len + pkt->pad + URD_ICRC_LEN == len);
	CHECK((pkt->payload_len + pkt->pad) % 4 == 0);

	/* what was understood can be said, and is understood the same way */
	n = urd_packet_build(buf, pkt);
	CHECK(n == op->hdr_len && n <= URD_MAX_HDR_LEN);
	n += URD_ICRC_LEN + 4 * !!pkt->pad;
	CHECK(urd_packet_parse(&again, buf, n, n) == URD_DROP_NONE);
	again.payload_len = pkt->payload_len;
	CHECK(!urd_packet_diff(pkt, &again));
}

int urd_fuzz_one(const u8 *data, size_t size)
{
	struct urd_packet pkt;
	enum urd_drop drop;
	u32 len, avail;

	if (size < 1)
		return 0;
	avail = size - 1;
	len = avail;
	if (avail >= URD_MAX_HDR_LEN)
		len += data[0] * 16;
	drop = urd_packet_parse(&pkt, data + 1, avail, len);
	CHECK(drop <= URD_DROP_PAD);
	if (drop == URD_DROP_NONE)
		check_parsed(&pkt, data + 1, len);
	else if (len >= URD_MIN_PACKET && !urd_op_known(data[1]))
		CHECK(drop == URD_DROP_OPCODE);
	return 0;
}
