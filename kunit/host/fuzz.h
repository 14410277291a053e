/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the fuzz entries share: their signature, input bytes, assertions. */
#ifndef URD_FUZZ_H
#define URD_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "portable_host.h"

/* libFuzzer knows it under its own name: see Makefile. */
int urd_fuzz_one(const u8 *data, size_t size);

/* An assertion that no build switches off. */
#define CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

/* Input is taken from the front; past its end there are zeros. */
struct input {
	const u8 *data;
	size_t left;
};

static inline u32 take(struct input *in, unsigned int bytes)
{
	u32 v = 0;

	while (bytes--) {
		v <<= 8;
		if (in->left) {
			v |= *in->data++;
			in->left--;
		}
	}
	return v;
}

#endif /* URD_FUZZ_H */
