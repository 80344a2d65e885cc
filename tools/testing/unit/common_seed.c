// SPDX-License-Identifier: GPL-2.0
/* Which cases of a long test a run tries.  See common_seed.h. */
#include "common_seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <cmocka.h>

bool all_cases(void)
{
	const char *s = getenv("LONG");

	return s && !strcmp(s, "y");
}

/* The case that the run starts at; chosen and logged when first asked for. */
static size_t first_case(void)
{
	const char *s = getenv("ETRACE_SEED");
	static size_t first = CASE_STEP;
	uint16_t random = 0;
	unsigned long seed;

	if (first != CASE_STEP)
		return first;
	assert_int_equal(getrandom(&random, sizeof(random), 0), sizeof(random));
	seed = s ? strtoul(s, NULL, 0) : random;
	first = seed % CASE_STEP;
	fprintf(stderr, "# ETRACE_SEED=%lu: every %uth case, starting at %zu; LONG=y tries all\n",
		seed, CASE_STEP, first);
	return first;
}

bool is_tried(size_t i)
{
	return all_cases() || i % CASE_STEP == first_case();
}

bool is_edge(size_t at, size_t n)
{
	return at < CASE_EDGE || at + CASE_EDGE >= n;
}

bool is_place_tried(size_t at, size_t n)
{
	return is_edge(at, n) || is_tried(at);
}
