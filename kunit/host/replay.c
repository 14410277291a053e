// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs a fuzz entry once over each file named: no libFuzzer needed. */
#include "fuzz.h"

static void replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	u8 buf[65536], *exact;
	size_t n;

	if (!f) {
		perror(path);
		exit(2);
	}
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	/* memory of just its size, so that reading on is seen */
	exact = malloc(n ? n : 1);
	CHECK(exact);
	memcpy(exact, buf, n);
	urd_fuzz_one(exact, n);
	free(exact);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%d inputs\n", argc - 1);
	return argc < 2;
}
