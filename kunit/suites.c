// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "urd_kunit.h"

kunit_test_suites(&urd_wire_suite,
		  &urd_opcode_suite,
		  &urd_packet_suite,
		  &urd_icrc_suite,
		  &urd_psn_suite,
		  &urd_segment_suite,
		  &urd_respond_suite,
		  &urd_window_suite,
		  &urd_access_suite,
		  &urd_ring_suite,
		  &urd_qp_modify_suite);

#ifdef __KERNEL__
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of the URD soft RDMA driver");
MODULE_LICENSE("Dual BSD/GPL");
#endif
