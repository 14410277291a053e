/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Invariant CRC of a RoCEv2 packet (Annex A17.3.3.2): CRC-32 over 8 bytes of
 * ones, the IP and UDP headers and the BTH with their variant fields set to
 * ones, then everything up to the ICRC, pad included.
 *
 * Variant: IPv4 TOS, TTL, checksum; IPv6 traffic class, flow label, hop limit;
 * UDP checksum; BTH byte 4 (FECN, BECN, reserved).
 */
#ifndef URD_ICRC_H
#define URD_ICRC_H

#include "portable.h"

/*
 * Running CRC value after the masked headers, for the payload that follows.
 * @ip: the 20 bytes of an IPv4 header without options, or the 40 of IPv6, with
 * the lengths and the identification that the packet has on the wire; @udp: 8
 * bytes; @bth: 12 bytes. Nothing is modified.
 */
u32 urd_icrc_start_v4(const u8 *ip, const u8 *udp, const u8 *bth);
u32 urd_icrc_start_v6(const u8 *ip, const u8 *udp, const u8 *bth);

/* Continue over @len bytes: extension headers, payload, pad. */
static inline u32 urd_icrc_update(u32 crc, const void *p, size_t len)
{
	return urd_crc32_le(crc, p, len);
}

/* The four bytes to store after the pad, in the order of the wire. */
static inline __le32 urd_icrc_finish(u32 crc)
{
	return cpu_to_le32(~crc);
}

#endif /* URD_ICRC_H */
