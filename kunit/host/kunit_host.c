// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs the suites: [SUITE]..., default all. Last line: the sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kunit_host.h"

enum status { PASSED, FAILED, SKIPPED, STATUS_COUNT };

struct block {
	struct block *next;
	max_align_t data[];
};

static unsigned long totals[STATUS_COUNT];
static jmp_buf leave;
static bool have_values;
static KUNIT_INT values[2];

void kunit_host_values(KUNIT_INT left, KUNIT_INT right)
{
	have_values = true;
	values[0] = left;
	values[1] = right;
}

static void print_value(KUNIT_INT v)
{
	printf(v < 0 ? " %lld" : " %#llx", (long long)v);
}

void kunit_host_fail(struct kunit *test, const struct kunit_site *site,
		     const char *what, const char *fmt, ...)
{
	va_list ap;

	printf("%s:%d: %s: expected %s", site->file, site->line, test->name, what);
	if (have_values) {
		printf(", have");
		print_value(values[0]);
		print_value(values[1]);
		have_values = false;
	}
	printf("; ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	test->status = FAILED;
	if (site->fatal)
		longjmp(leave, 1);
}

void kunit_skip(struct kunit *test, const char *fmt, ...)
{
	va_list ap;

	printf("%s: skipped: ", test->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	test->status = SKIPPED;
	longjmp(leave, 1);
}

/* Exact size and nothing behind it, so that an overrun is seen. */
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	(void)gfp;
	if (!b)
		return NULL;
	b->next = test->blocks;
	test->blocks = b;
	return b->data;
}

static void free_blocks(struct kunit *test)
{
	struct block *b;

	while ((b = test->blocks)) {
		test->blocks = b->next;
		free(b);
	}
}

static void run_once(struct kunit_suite *suite, struct kunit_case *c,
		     const void *param, const char *desc)
{
	char name[256];
	struct kunit test = { .name = name, .param_value = param };

	snprintf(name, sizeof(name), "%s.%s%s%s", suite->name, c->name,
		 *desc ? " " : "", desc);
	if (setjmp(leave) == 0) {
		if (suite->init && suite->init(&test))
			test.status = FAILED;
		else
			c->run_case(&test);
	}
	if (suite->exit)
		suite->exit(&test);
	free_blocks(&test);
	totals[test.status]++;
}

static void run_case(struct kunit_suite *suite, struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;

	if (!c->generate_params) {
		run_once(suite, c, NULL, desc);
		return;
	}
	while ((param = c->generate_params(param, desc)))
		run_once(suite, c, param, desc);
}

static bool wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	struct kunit_suite *const *s;
	struct kunit_case *c;

	for (s = kunit_host_suites; *s; s++) {
		if (!wanted((*s)->name, argc, argv))
			continue;
		for (c = (*s)->test_cases; c->run_case; c++)
			run_case(*s, c);
	}
	printf("%lu passed, %lu failed, %lu skipped\n", totals[PASSED],
	       totals[FAILED], totals[SKIPPED]);
	return totals[FAILED] || !totals[PASSED];
}
