/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * RoCEv2 wire format: sizes, field values and limits, nothing else.
 * Sources: IBTA volume 1 chapter 9 (transport headers, opcodes, syndromes),
 * Annex A17 (RoCEv2), Annex A19 (FLUSH, ATOMIC WRITE).
 */
#ifndef URD_WIRE_H
#define URD_WIRE_H

#define URD_UDP_PORT		4791

/* Header sizes in bytes */
#define URD_BTH_LEN		12
#define URD_RETH_LEN		16
#define URD_ATOMICETH_LEN	28
#define URD_AETH_LEN		4
#define URD_ATOMICACKETH_LEN	8
#define URD_DETH_LEN		8
#define URD_IMMDT_LEN		4
#define URD_IETH_LEN		4
#define URD_FETH_LEN		4
#define URD_ICRC_LEN		4
#define URD_GRH_LEN		40
#define URD_MAX_HDR_LEN		(URD_BTH_LEN + URD_ATOMICETH_LEN + 8)
#define URD_MIN_PACKET		(URD_BTH_LEN + URD_ICRC_LEN)

#define URD_MIN_MTU		256u
#define URD_MAX_MTU		4096u
#define URD_MAX_MSG		0x80000000u	/* bytes, 2^31 */
#define URD_DEFAULT_PKEY	0xffffu
#define URD_PKEY_MASK		0x7fffu
#define URD_QPN_MASK		0xffffffu
#define URD_MULTICAST_QPN	0xffffffu
#define URD_GSI_QPN		1u
#define URD_GSI_QKEY		0x80010000u

/* BTH opcodes: service in the upper three bits, operation in the lower five */
#define URD_SVC_RC		0x00
#define URD_SVC_UC		0x20
#define URD_SVC_UD		0x60
#define URD_SVC_MASK		0xe0

#define URD_OP_SEND_FIRST		0x00
#define URD_OP_SEND_MIDDLE		0x01
#define URD_OP_SEND_LAST		0x02
#define URD_OP_SEND_LAST_IMM		0x03
#define URD_OP_SEND_ONLY		0x04
#define URD_OP_SEND_ONLY_IMM		0x05
#define URD_OP_WRITE_FIRST		0x06
#define URD_OP_WRITE_MIDDLE		0x07
#define URD_OP_WRITE_LAST		0x08
#define URD_OP_WRITE_LAST_IMM		0x09
#define URD_OP_WRITE_ONLY		0x0a
#define URD_OP_WRITE_ONLY_IMM		0x0b
#define URD_OP_READ_REQUEST		0x0c
#define URD_OP_READ_RESP_FIRST		0x0d
#define URD_OP_READ_RESP_MIDDLE		0x0e
#define URD_OP_READ_RESP_LAST		0x0f
#define URD_OP_READ_RESP_ONLY		0x10
#define URD_OP_ACK			0x11
#define URD_OP_ATOMIC_ACK		0x12
#define URD_OP_CMP_SWP			0x13
#define URD_OP_FETCH_ADD		0x14
#define URD_OP_SEND_LAST_INV		0x16
#define URD_OP_SEND_ONLY_INV		0x17
#define URD_OP_FLUSH			0x1c
#define URD_OP_ATOMIC_WRITE		0x1d

#define URD_OP_CNP			0x81

/* AETH syndrome: class in bits 6:5, value in bits 4:0 (9.7.5.2.1, table 45) */
#define URD_AETH_CLASS_MASK	0x60
#define URD_AETH_VALUE_MASK	0x1f
#define URD_AETH_ACK		0x00
#define URD_AETH_RNR_NAK	0x20
#define URD_AETH_NAK		0x60
#define URD_AETH_NO_CREDITS	0x1f	/* credit field invalid: unlimited */

#define URD_NAK_PSN_SEQ		0x60
#define URD_NAK_INVALID_REQ	0x61
#define URD_NAK_REM_ACCESS	0x62
#define URD_NAK_REM_OP		0x63
#define URD_NAK_INVALID_RD	0x64

/* FETH: placement type in bits 3:0, selectivity level in bits 5:4 */
#define URD_FLUSH_GLOBAL	0x1
#define URD_FLUSH_PERSISTENT	0x2
#define URD_FLUSH_RANGE		0
#define URD_FLUSH_MR		1

#endif /* URD_WIRE_H */
