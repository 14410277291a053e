// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compiles if the shared layout is right. For a 32-bit user space, on a
 * machine without 32-bit libraries, in the repository's top folder:
 *
 *	cc -m32 -fsyntax-only -I include/uapi \
 *	   -idirafter /usr/include/x86_64-linux-gnu THIS
 */
#include "../urd_layout.h"
