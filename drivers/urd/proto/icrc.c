// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The headers are copied once with their variant fields set to ones, so that
 * one pass over 40 or 60 contiguous bytes covers them. This runs per packet.
 */
#include "icrc.h"
#include "wire.h"

/* CRC of the 8 bytes of ones that stand for the LRH, from 0xffffffff on. */
#define ICRC_SEED	0xdebb20e3u

#define IPV4_LEN	20
#define IPV4_TOS	1
#define IPV4_TTL	8
#define IPV4_CHECK	10

#define IPV6_LEN	40
#define IPV6_HOP_LIMIT	7

#define UDP_LEN		8
#define UDP_CHECK	6

#define BTH_VARIANT	4

/* Append UDP header and BTH to the masked IP header and take the CRC. */
static u32 icrc_masked(u8 *hdr, u32 ip_len, const u8 *udp, const u8 *bth)
{
	u8 *p = hdr + ip_len;

	memcpy(p, udp, UDP_CHECK);
	p[UDP_CHECK] = 0xff;
	p[UDP_CHECK + 1] = 0xff;
	p += UDP_LEN;
	memcpy(p, bth, URD_BTH_LEN);
	p[BTH_VARIANT] = 0xff;
	return urd_crc32_le(ICRC_SEED, hdr, ip_len + UDP_LEN + URD_BTH_LEN);
}

u32 urd_icrc_start_v4(const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 hdr[IPV4_LEN + UDP_LEN + URD_BTH_LEN];

	memcpy(hdr, ip, IPV4_LEN);
	hdr[IPV4_TOS] = 0xff;
	hdr[IPV4_TTL] = 0xff;
	hdr[IPV4_CHECK] = 0xff;
	hdr[IPV4_CHECK + 1] = 0xff;
	return icrc_masked(hdr, IPV4_LEN, udp, bth);
}

u32 urd_icrc_start_v6(const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 hdr[IPV6_LEN + UDP_LEN + URD_BTH_LEN];

	memcpy(hdr, ip, IPV6_LEN);
	/* version 6 stays, traffic class and flow label do not */
	hdr[0] |= 0x0f;
	hdr[1] = 0xff;
	hdr[2] = 0xff;
	hdr[3] = 0xff;
	hdr[IPV6_HOP_LIMIT] = 0xff;
	return icrc_masked(hdr, IPV6_LEN, udp, bth);
}
