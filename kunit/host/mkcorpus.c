// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* DIR: write the seed corpus there, out of the vectors that the suites use. */
#include "fuzz.h"
#include "../urd_kunit.h"
#include "../vectors.h"

static const char *top;

static void save(const char *target, unsigned int n, const u8 *data, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%03u", top, target, n);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* The packet, with nothing added to its length. */
static void packet_seed(unsigned int n, const struct urd_vector *v)
{
	u32 len = v->len - v->ip_len - 8;
	u8 buf[2048] = { 0 };

	CHECK(len < sizeof(buf));
	memcpy(buf + 1, v->data + v->ip_len + 8, len);
	save("packet", n, buf, len + 1);
}

/* In order, with a legal shape, in the format of fuzz_respond.c. */
static size_t respond_step(u8 *p, u8 opcode)
{
	const struct urd_opinfo *op = &urd_opinfo[opcode];
	u8 *start = p;

	*p++ = opcode;
	*p++ = 0;
	*p++ = op->payload == URD_PAY_MTU ? 0x80 :
	       op->payload == URD_PAY_8 ? 8 :
	       op->payload == URD_PAY_NONE ? 0 : 5;
	if (op->hdrs & URD_HDR_RETH) {
		memset(p, 0, 5);
		p[3] = op->payload == URD_PAY_8 ? 8 : 100;
		p += 5;
	}
	if (op->hdrs & URD_HDR_ATOMIC)
		*p++ = 8;
	if (op->hdrs & URD_HDR_FETH) {
		*p++ = 1;
		*p++ = 0;
	}
	return p - start;
}

static void respond_seeds(void)
{
	/* service bits of the first byte, and a legal sequence */
	static const struct {
		u8 caps;
		u8 ops[10];
		u8 n;
	} seeds[] = {
		{ 0xfc, { 0x00, 0x01, 0x02, 0x04, 0x06, 0x07, 0x09, 0x0b, 0x0c, 0x17 }, 10 },
		{ 0xfc, { 0x0c, 0x13, 0x14, 0x1c, 0x1d, 0x05, 0x00, 0x16, 0x0a, 0x0c }, 10 },
		{ 0xfd, { 0x20, 0x21, 0x22, 0x24, 0x26, 0x27, 0x28, 0x2b, 0x20, 0x24 }, 10 },
		{ 0xfe, { 0x64, 0x65, 0x64 }, 3 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u8 buf[256] = { seeds[i].caps, 2, 0xff, 0xff, 0xfe };
		size_t len = 5;

		for (j = 0; j < seeds[i].n; j++)
			len += respond_step(buf + len, seeds[i].ops[j]);
		save("respond", i, buf, len);
	}
}

static void window_seeds(void)
{
	/* requests, start PSN, one byte each; then response, PSN distance */
	static const u8 acks[] = { 3, 0xff, 0xff, 0xfe, 0x08, 0x00, 0x11,
				   0x00, 0, 0x00, 2, 0x00, 3 };
	static const u8 reads[] = { 3, 0, 0, 1, 0x13, 0x00, 0x04,
				    0x02, 0, 0x03, 0, 0x04, 0, 0x00, 1, 0x01, 0 };
	static const u8 naks[] = { 2, 0x80, 0, 0, 0x18, 0x03,
				   0x40, 0x60, 1, 0x40, 0x2e, 0, 0x40, 0x62, 4 };
	static const u8 others[] = { 2, 0, 0, 0, 0x06, 0x07, 0x05, 0, 0x05, 0 };

	save("window", 0, acks, sizeof(acks));
	save("window", 1, reads, sizeof(reads));
	save("window", 2, naks, sizeof(naks));
	save("window", 3, others, sizeof(others));
}

static void ring_seeds(void)
{
	static const u8 honest[] = { 6, 0xff, 0xff, 0xff, 0xf0,
				     1, 4, 8, 0, 4, 8, 1, 200, 64, 0, 200, 0 };
	static const u8 liar[] = { 6, 0, 0, 0, 0,
				   3, 9, 0xde, 0xad, 0xbe, 0xef, 2, 9, 0x80, 0, 0, 0 };

	save("ring", 0, honest, sizeof(honest));
	save("ring", 1, liar, sizeof(liar));
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 2)
		return 2;
	top = argv[1];
	for (i = 0; i < ARRAY_SIZE(urd_vectors); i++)
		packet_seed(i, &urd_vectors[i]);
	respond_seeds();
	window_seeds();
	ring_seeds();
	return 0;
}
