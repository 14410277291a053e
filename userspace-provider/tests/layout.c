// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compiles if the shared layout is right. For a 32-bit user space, on a
 * machine without 32-bit libraries, with the repository's include/uapi:
 *
 *	cc -m32 -fsyntax-only -I include/uapi \
 *	   -idirafter /usr/include/x86_64-linux-gnu \
 *	   userspace-provider/tests/layout.c
 */
#include "../urd_layout.h"
