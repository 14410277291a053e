// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "urd_kunit.h"

static const char *bth_diff(const struct urd_packet *a, const struct urd_packet *b)
{
	if (a->opcode != b->opcode)
		return "opcode";
	if (a->pad != b->pad)
		return "pad";
	if (a->se != b->se)
		return "se";
	if (a->mig != b->mig)
		return "mig";
	if (a->ackreq != b->ackreq)
		return "ackreq";
	if (a->fecn != b->fecn)
		return "fecn";
	if (a->becn != b->becn)
		return "becn";
	if (a->pkey != b->pkey)
		return "pkey";
	if (a->qpn != b->qpn)
		return "qpn";
	if (a->psn != b->psn)
		return "psn";
	if (a->payload_off != b->payload_off)
		return "payload_off";
	if (a->payload_len != b->payload_len)
		return "payload_len";
	return NULL;
}

static const char *ext_diff(const struct urd_packet *a, const struct urd_packet *b)
{
	if (a->reth.va != b->reth.va)
		return "reth.va";
	if (a->reth.rkey != b->reth.rkey)
		return "reth.rkey";
	if (a->reth.len != b->reth.len)
		return "reth.len";
	if (a->atomic.va != b->atomic.va)
		return "atomic.va";
	if (a->atomic.swap_add != b->atomic.swap_add)
		return "atomic.swap_add";
	if (a->atomic.compare != b->atomic.compare)
		return "atomic.compare";
	if (a->atomic.rkey != b->atomic.rkey)
		return "atomic.rkey";
	if (a->aeth.syndrome != b->aeth.syndrome)
		return "aeth.syndrome";
	if (a->aeth.msn != b->aeth.msn)
		return "aeth.msn";
	if (a->atomic_orig != b->atomic_orig)
		return "atomic_orig";
	if (a->deth.qkey != b->deth.qkey)
		return "deth.qkey";
	if (a->deth.src_qpn != b->deth.src_qpn)
		return "deth.src_qpn";
	if (a->imm != b->imm)
		return "imm";
	if (a->inv_rkey != b->inv_rkey)
		return "inv_rkey";
	if (a->feth.type != b->feth.type)
		return "feth.type";
	if (a->feth.level != b->feth.level)
		return "feth.level";
	return NULL;
}

const char *urd_packet_diff(const struct urd_packet *a, const struct urd_packet *b)
{
	const char *diff = bth_diff(a, b);

	return diff ? diff : ext_diff(a, b);
}
