// SPDX-License-Identifier: GPL-2.0
/* Lists of CPUs, as the kernel prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"

static int *read_text(const char *text, size_t *n)
{
	FILE *f = tmpfile();
	int *cpus;

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	rewind(f);
	cpus = cpus_read(f, n);
	fclose(f);
	return cpus;
}

static void is_list(const char *text, const int *want, size_t n_want)
{
	size_t n;
	int *cpus = read_text(text, &n);

	assert_int_equal(n, n_want);
	assert_memory_equal(cpus, want, n * sizeof(*want));
	/* The highest number counts, not how many CPUs there are: buffers are indexed by number. */
	assert_int_equal(cpus_above(cpus, n), want[n_want - 1] + 1);
	free(cpus);
}

static void lists_of_cpus(void **state)
{
	(void)state;
	is_list("0\n", (int[]){ 0 }, 1);
	is_list("0-3\n", (int[]){ 0, 1, 2, 3 }, 4);
	is_list("0-1,4-5\n", (int[]){ 0, 1, 4, 5 }, 4);
	is_list("0,2,130\n", (int[]){ 0, 2, 130 }, 3);
}

static void empty_lists(void **state)
{
	size_t n;

	(void)state;
	assert_null(read_text("\n", &n));
	assert_int_equal(n, 0);
	assert_null(read_text("", &n));
	assert_int_equal(n, 0);
	assert_int_equal(cpus_above(NULL, 0), 0);
}

static void possible_cpus(void **state)
{
	size_t n;
	int *cpus = cpus_possible(&n);

	(void)state;
	assert_true(n > 0);
	assert_int_equal(cpus[0], 0);
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_cpus),
		cmocka_unit_test(empty_lists),
		cmocka_unit_test(possible_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
