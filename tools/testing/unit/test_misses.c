// SPDX-License-Identifier: GPL-2.0
/* Rows of what was looked for in vain: which misses share one, and when it is told. */
#include "db/misses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct buf told;		/* "exec error at files\n" of each row */
static unsigned int rows;

static void tell(void *ctx, const struct miss_row *row)
{
	char head[64];

	assert_ptr_equal(ctx, &told);
	snprintf(head, sizeof(head), "%u %d %lld ", row->exec, row->error, (long long)row->at);
	buf_adds(&told, head);
	buf_add(&told, row->files.s, row->files.len);
	buf_addc(&told, '\n');
	rows++;
}

static void miss(struct misses *m, uint32_t exec, uint32_t file, int error, int64_t at)
{
	const struct graph_access a = {
		.exec = exec, .file = file, .how = GRAPH_MISS, .error = error, .at = at,
	};

	misses_add(m, &a, tell, &told);
}

/* What was told since, and nothing else. */
static void expect(const char *text)
{
	buf_addc(&told, 0);
	assert_string_equal(told.s ? told.s : "", text);
	told.len = 0;
}

static int begin(void **state)
{
	(void)state;
	buf_free(&told);
	rows = 0;
	return 0;
}

static void test_one_row(void **state)
{
	struct misses m = { 0 };

	(void)state;
	miss(&m, 7, 1, 2, 100);
	miss(&m, 8, 5, 2, 110);
	miss(&m, 7, 3, 2, 100);
	miss(&m, 7, 1, 2, 4000000123);
	expect("");
	misses_end(&m, 7, tell, &told);
	expect("7 2 100 [[1,0],[3,0],[1,4000000023]]\n");
	misses_end(&m, 7, tell, &told);
	misses_end(&m, 9, tell, &told);
	expect("");
	misses_end(&m, 8, tell, &told);
	expect("8 2 110 [[5,0]]\n");
	misses_free(&m);
}

static void test_places_are_used_again(void **state)
{
	struct misses m = { 0 };

	(void)state;
	for (uint32_t exec = 1; exec <= 1000; exec++) {
		miss(&m, exec, 4, 2, exec);
		miss(&m, exec + 1, 5, 2, exec);
		told.len = 0;
		misses_end(&m, exec, tell, &told);
	}
	expect("1000 2 999 [[5,0],[4,1]]\n");
	assert_int_equal(m.n, 2);
	misses_free(&m);
}

static void test_another_error(void **state)
{
	struct misses m = { 0 };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 1, 2, 13, 20);
	expect("1 2 10 [[1,0]]\n");
	miss(&m, 1, 3, 0, 30);
	expect("1 13 20 [[2,0]]\n");
	misses_end(&m, 1, tell, &told);
	expect("1 0 30 [[3,0]]\n");
	misses_free(&m);
}

/* Of a damaged trace: nothing negative, and nothing lost. */
static void test_time_goes_back(void **state)
{
	struct misses m = { 0 };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 1, 2, 2, -5);
	expect("1 2 10 [[1,0]]\n");
	misses_end(&m, 1, tell, &told);
	expect("1 2 -5 [[2,0]]\n");
	misses_free(&m);
}

static void test_rows_are_bounded(void **state)
{
	struct misses m = { 0 };
	unsigned int found = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		miss(&m, 1, i, 2, i * 1000);
		assert_true(m.rows[0].files.cap < 65536);
	}
	misses_end(&m, 1, tell, &told);
	assert_in_range(rows, 200, 1000);
	for (size_t i = 0; i < told.len; i++)
		found += told.s[i] == '[';
	assert_int_equal(found, 100000 + rows);
	misses_free(&m);
}

/* Of a trace that is not ended. */
static void test_what_waits_is_freed(void **state)
{
	struct misses m = { 0 };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 2, 1, 2, 10);
	misses_end(&m, 1, tell, &told);
	misses_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_row, begin),
		cmocka_unit_test_setup(test_places_are_used_again, begin),
		cmocka_unit_test_setup(test_another_error, begin),
		cmocka_unit_test_setup(test_time_goes_back, begin),
		cmocka_unit_test_setup(test_rows_are_bounded, begin),
		cmocka_unit_test_setup(test_what_waits_is_freed, begin),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_free(&told);
	return failed;
}
