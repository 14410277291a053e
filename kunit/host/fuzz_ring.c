// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Input: depth and start, then steps of a consumer and a producer whose other
 * side writes what it likes into its index. A consumer never takes a slot that
 * was not offered within the ring, a producer never writes one that may be in
 * use, whatever the other side says.
 */
#include "fuzz.h"
#include "../../drivers/urd/proto/ring.h"

struct side {
	u32 depth;
	u32 mine;	/* our own index, which only we move */
};

static void consume(struct side *s, u32 their_prod, u32 want)
{
	u32 n = 0xdeadbeef;
	u32 honest = their_prod - s->mine;

	if (!urd_ring_avail(their_prod, s->mine, s->depth, &n)) {
		CHECK(honest > s->depth && n == 0xdeadbeef);
		return;
	}
	CHECK(n == honest && n <= s->depth);
	s->mine += want < n ? want : n;
	CHECK(urd_ring_count(their_prod, s->mine) <= s->depth);
}

static void produce(struct side *s, u32 their_cons, u32 want)
{
	u32 room = urd_ring_free(s->mine, their_cons, s->depth);

	CHECK(room <= s->depth);
	if (urd_ring_count(s->mine, their_cons) > s->depth) {
		CHECK(room == 0);
		return;
	}
	s->mine += want < room ? want : room;
	CHECK(urd_ring_count(s->mine, their_cons) <= s->depth);
}

int urd_fuzz_one(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 depth = 1u << take(&in, 1) % 32;
	u32 start = take(&in, 4);
	struct side cons = { .depth = depth, .mine = start };
	struct side prod = { .depth = depth, .mine = start };

	while (in.left) {
		u32 op = take(&in, 1);
		u32 want = take(&in, 1);
		/* a small move of the other side, or anything */
		u32 word = op & 2 ? take(&in, 4) : take(&in, 1);

		if (op & 1)
			consume(&cons, op & 2 ? word : cons.mine + word, want);
		else
			produce(&prod, op & 2 ? word : prod.mine - word, want);
	}
	return 0;
}
