/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part of KUnit that the suites use, as kernel 6.1 has it, in user space.
 * Integers are compared by value, so a sign that KUnit would convert counts.
 */
#ifndef URD_KUNIT_HOST_H
#define URD_KUNIT_HOST_H

#include "portable_host.h"

#define KUNIT_PARAM_DESC_SIZE	128
#define GFP_KERNEL		0

struct kunit {
	const char *name;
	const void *param_value;
	void *priv;
	int status;		/* of the running case, internal */
	void *blocks;		/* memory to free after it, internal */
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

/* holds every value of s64 and of u64 */
#define KUNIT_INT	__int128

struct kunit_site {
	const char *file;
	int line;
	bool fatal;
};

__printf(4, 5)
void kunit_host_fail(struct kunit *test, const struct kunit_site *site,
		     const char *what, const char *fmt, ...);
void kunit_host_values(KUNIT_INT left, KUNIT_INT right);
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

__printf(2, 3)
void kunit_skip(struct kunit *test, const char *fmt, ...);

#define KUNIT_SITE(is_fatal) \
	(&(const struct kunit_site){ __FILE__, __LINE__, is_fatal })

#define KUNIT_COND(test, is_fatal, text, cond, ...) \
	((cond) ? (void)0 : \
	 kunit_host_fail(test, KUNIT_SITE(is_fatal), text, __VA_ARGS__))

#define KUNIT_BINARY(test, is_fatal, text, left, op, right, ...) do {	\
	KUNIT_INT __left = (left);					\
	KUNIT_INT __right = (right);					\
									\
	if (!(__left op __right)) {					\
		kunit_host_values(__left, __right);			\
		kunit_host_fail(test, KUNIT_SITE(is_fatal), text, __VA_ARGS__); \
	}								\
} while (0)

#define KUNIT_FAIL(test, ...) \
	kunit_host_fail(test, KUNIT_SITE(false), "failure", __VA_ARGS__)

#define KUNIT_EXPECT_TRUE_MSG(t, c, ...)	KUNIT_COND(t, false, #c, c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...)	KUNIT_COND(t, false, "!" #c, !(c), __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(t, c)			KUNIT_EXPECT_TRUE_MSG(t, c, " ")
#define KUNIT_EXPECT_FALSE(t, c)		KUNIT_EXPECT_FALSE_MSG(t, c, " ")
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...)	KUNIT_COND(t, true, #c, c, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(t, c)			KUNIT_ASSERT_TRUE_MSG(t, c, " ")
#define KUNIT_ASSERT_NOT_NULL(t, p)		KUNIT_ASSERT_TRUE_MSG(t, p, " ")

#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	KUNIT_BINARY(t, false, #a " == " #b, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, a, b, ...) \
	KUNIT_BINARY(t, false, #a " != " #b, a, !=, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...) \
	KUNIT_BINARY(t, false, #a " <= " #b, a, <=, b, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	KUNIT_BINARY(t, true, #a " == " #b, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, a, b, ...) \
	KUNIT_BINARY(t, true, #a " <= " #b, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_EXPECT_EQ_MSG(t, a, b, " ")
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_EXPECT_NE_MSG(t, a, b, " ")
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_EXPECT_LE_MSG(t, a, b, " ")
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_ASSERT_EQ_MSG(t, a, b, " ")
#define KUNIT_ASSERT_LE(t, a, b)	KUNIT_ASSERT_LE_MSG(t, a, b, " ")

#define KUNIT_CASE(test_name)	{ .run_case = test_name, .name = #test_name }
#define KUNIT_CASE_PARAM(test_name, gen) \
	{ .run_case = test_name, .name = #test_name, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		__auto_type all = &(array);				\
		__auto_type next = prev ? (typeof(&(*all)[0]))prev + 1 : &(*all)[0]; \
									\
		if (next == &(*all)[ARRAY_SIZE(*all)])			\
			return NULL;					\
		get_desc(next, desc);					\
		return next;						\
	}

extern struct kunit_suite *const kunit_host_suites[];

#define kunit_test_suites(...) \
	struct kunit_suite *const kunit_host_suites[] = { __VA_ARGS__, NULL }

#endif /* URD_KUNIT_HOST_H */
