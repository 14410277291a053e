/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the suites share. They run as KUnit and in kunit/host. */
#ifndef URD_KUNIT_H
#define URD_KUNIT_H

#ifdef __KERNEL__
#include <kunit/test.h>
#else
#include "host/kunit_host.h"
#endif

#include "../drivers/urd/proto/packet.h"

extern struct kunit_suite urd_wire_suite;
extern struct kunit_suite urd_opcode_suite;
extern struct kunit_suite urd_packet_suite;
extern struct kunit_suite urd_icrc_suite;
extern struct kunit_suite urd_psn_suite;
extern struct kunit_suite urd_segment_suite;
extern struct kunit_suite urd_respond_suite;
extern struct kunit_suite urd_window_suite;
extern struct kunit_suite urd_access_suite;
extern struct kunit_suite urd_ring_suite;
extern struct kunit_suite urd_qp_modify_suite;

/* Name of the first field that differs (@op does not count), or NULL. */
const char *urd_packet_diff(const struct urd_packet *a, const struct urd_packet *b);

#endif /* URD_KUNIT_H */
