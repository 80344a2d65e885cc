// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of accesses and misses: which ones share a row, when a row is written, and how it
 * is read.
 */
#include "db/lists.h"
#include "db/bind.h"
#include "db/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct buf output;		/* "exec error at text\n" for each row */
static unsigned int rows;

static void add_row(void *ctx, const struct list_row *row)
{
	char head[64];

	assert_ptr_equal(ctx, &output);
	snprintf(head, sizeof(head), "%u %d %lld ", row->exec, row->error, (long long)row->at);
	buf_adds(&output, head);
	buf_add(&output, row->text.s, row->text.len);
	buf_addc(&output, '\n');
	rows++;
}

static void miss(struct list_rows *m, uint32_t exec, uint32_t file, int error, int64_t at)
{
	const struct graph_access a = {
		.exec = exec, .file = file, .how = GRAPH_MISS, .error = error, .at = at,
	};

	list_rows_add(m, &a);
}

/* Exactly these rows were written since the last call. */
static void expect(const char *text)
{
	buf_addc(&output, 0);
	assert_string_equal(output.s ? output.s : "", text);
	output.len = 0;
}

static int begin(void **state)
{
	(void)state;
	buf_free(&output);
	rows = 0;
	return 0;
}

static void test_one_row(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };

	(void)state;
	miss(&m, 7, 1, 2, 100);
	miss(&m, 8, 5, 2, 110);
	miss(&m, 7, 3, 2, 100);
	miss(&m, 7, 1, 2, 4000000123);
	expect("");
	list_rows_end(&m, 7);
	expect("7 2 100 [[1,0],[3,0],[1,4000000023]]\n");
	list_rows_end(&m, 7);
	list_rows_end(&m, 9);
	expect("");
	list_rows_end(&m, 8);
	expect("8 2 110 [[5,0]]\n");
	list_rows_free(&m);
}

static void test_slots_are_reused(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };

	(void)state;
	for (uint32_t exec = 1; exec <= 1000; exec++) {
		miss(&m, exec, 4, 2, exec);
		miss(&m, exec + 1, 5, 2, exec);
		output.len = 0;
		list_rows_end(&m, exec);
	}
	expect("1000 2 999 [[5,0],[4,1]]\n");
	assert_int_equal(m.n, 2);
	list_rows_free(&m);
}

static void test_another_error(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 1, 2, 13, 20);
	expect("1 2 10 [[1,0]]\n");
	miss(&m, 1, 3, 0, 30);
	expect("1 13 20 [[2,0]]\n");
	list_rows_end(&m, 1);
	expect("1 0 30 [[3,0]]\n");
	list_rows_free(&m);
}

/* The file that was opened first may be reported last. */
static void test_reported_out_of_order(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 1, 2, 2, -5);
	miss(&m, 1, 3, 2, INT64_MIN);
	miss(&m, 1, 4, 2, INT64_MAX);
	list_rows_end(&m, 1);
	expect("1 2 10 [[1,0],[2,-15],[3,-4611686018427387913],[4,4611686018427387893]]\n");
	list_rows_free(&m);
}

static void test_rows_are_bounded(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };
	unsigned int found = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		miss(&m, 1, i, 2, i * 1000);
		assert_true(m.rows[0].text.cap < 4096);
	}
	list_rows_end(&m, 1);
	assert_in_range(rows, 1000, 3000);
	for (size_t i = 0; i < output.len; i++)
		found += output.s[i] == '[';
	assert_int_equal(found, 100000 + rows);
	list_rows_free(&m);
}

/* Freed although the trace has not ended. */
static void test_pending_rows_are_freed(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };

	(void)state;
	miss(&m, 1, 1, 2, 10);
	miss(&m, 2, 1, 2, 10);
	list_rows_end(&m, 1);
	list_rows_free(&m);
}

/* ---- accesses ---- */

static const struct graph_access accesses[] = {
	{ .exec = 1, .version = 2, .file = 3, .how = GRAPH_READ, .fd = -1, .at = 100, .until = 130 },
	{ .exec = 1, .version = 1, .how = GRAPH_WRITE, .class = 1, .fd = 1, .at = 90, .until = 131,
	  .counted = true, .bytes = 77 },
	{ .exec = 1, .version = 2, .file = 1, .how = GRAPH_LIST, .class = 6, .fd = 0, .at = -100,
	  .until = 131 },
	{ .exec = 1, .version = 1, .how = GRAPH_WRITE, .fd = INT32_MAX, .at = 100, .until = 140,
	  .copied = true },
	{ .exec = 1, .version = 1, .how = GRAPH_READ, .fd = 4, .at = 100, .until = 140,
	  .counted = true, .since = 120 },
};
#define NACCESSES (sizeof(accesses) / sizeof(accesses[0]))
static const char accesses_text[] = "[[2,3,1,0,0,30],[1,0,2,1,-10,41,1,77],[2,1,6,6,-200,231,0],"
	"[1,0,2,0,0,40,2147483647,-1,1],[1,0,1,0,0,40,4,0,0,120]]";

static void test_accesses_are_stored(void **state)
{
	struct list_rows m = { .fn = add_row, .ctx = &output };
	struct buf expected = { 0 };

	(void)state;
	for (size_t i = 0; i < NACCESSES; i++)
		list_rows_add(&m, &accesses[i]);
	list_rows_end_all(&m);
	buf_adds(&expected, "1 0 100 ");
	buf_adds(&expected, accesses_text);
	buf_add(&expected, "\n", 2);
	expect(expected.s);
	buf_free(&expected);
	list_rows_free(&m);
}

/* A database that has ids up to 3 for everything. */
static struct db *three_of_each(FILE *to)
{
	static const char text[] = "INSERT INTO file VALUES (3, x'66');"
		"INSERT INTO version (id, made, at) VALUES (3, 0, 0)";
	struct db *db = db_create(NULL, diag_new(to, "test"));

	assert_non_null(db);
	assert_true(db_exec(db, text));
	return db;
}

static void forget(struct db *db)
{
	struct diag *diag = db->diag;

	db_close(db);
	diag_free(diag);
}

static void test_accesses_are_read(void **state)
{
	struct db *db = three_of_each(stderr);
	struct list l = list_of(db, accesses_text, strlen(accesses_text));
	struct graph_access a = { .exec = 1 };
	size_t n = 0;

	(void)state;
	for (; list_access(&l, 100, &a); n++) {
		const struct graph_access *e = &accesses[n];

		assert_in_range(n, 0, NACCESSES - 1);
		assert_true(a.version == e->version && a.file == e->file && a.how == e->how &&
			    a.class == e->class && a.fd == e->fd && a.counted == e->counted &&
			    a.bytes == e->bytes && a.at == e->at && a.until == e->until &&
			    a.copied == e->copied && a.since == e->since);
	}
	assert_int_equal(n, NACCESSES);
	assert_false(db->failed);
	forget(db);
}

/* Whether a row's list of accesses is read without complaint; @at: the row's, @n: number read. */
static bool is_read(const char *text, int64_t at, size_t *n)
{
	FILE *null = fopen("/dev/null", "we");
	struct db *db = three_of_each(null);
	/* a buffer of exactly this size */
	char *bytes = xmemdup(text, strlen(text));
	struct list l = list_of(db, bytes, strlen(text));
	struct graph_access a = { .exec = 1 };
	bool good;

	for (*n = 0; list_access(&l, at, &a); ++*n)
		assert_true(a.version <= 3 && a.file <= 3 && a.how <= GRAPH_LIST &&
			    a.class < GRAPH_NCLASSES);
	good = !db->failed;
	forget(db);
	fclose(null);
	free(bytes);
	return good;
}

static void test_other_texts(void **state)
{
	static const char *const good[] = { "[]", "[[0,0,0,0,0,0]]", "[[3,3,6,6,-1,1,-1,-1,1,-1]]" };
	static const char *const bad[] = {
		"", "[", "]", "[[", "[[]]", "[[1]]", "[[1,1,1,1,1]]", "[[1,1,1,1,1,1]", "[[1,1,1,1,1,1]] ",
		"[[1,1,1,1,1,1],]", "[[1,1,1,1,1,1]][", "[[1,1,1,1,1,1,1,1,1,1,1]]", "[[1,1,1,1,1,x]]",
		"[[1,1,1,1,1,1.5]]", "[[1,1,1,1,1,null]]", "[[1,1,1,1,1,-]]", "[[1,1,1,1,1,]]",
		"[[4,1,1,1,1,1]]", "[[-1,1,1,1,1,1]]", "[[1,4,1,1,1,1]]", "[[4294967297,1,1,1,1,1]]",
		"[[1,1,7,1,1,1]]", "[[1,1,5,1,1,1]]", "[[1,1,-1,1,1,1]]", "[[1,1,257,1,1,1]]",
		"[[1,1,1,7,1,1]]", "[[1,1,1,1,9223372036854775807,1]]", "[[1,1,1,1,1,-9223372036854775807]]",
		"[[1,1,1,1,99999999999999999999,1]]", "[[1,1,1,1,18446744073709551617,1]]",
		"[[1,1,1,1,1,1,2147483648]]", "[[1,1,1,1,1,1,-1,-1,2]]", "[[1,1,1,1,1,1,-1,-1,0,9223372036854775807]]",
	};
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!is_read(good[i], 0, &n) || n != (i != 0))
			fail_msg("%s: %zu", good[i], n);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (is_read(bad[i], 0, &n) || n > 1)
			fail_msg("%s: %zu", bad[i], n);
	assert_false(is_read("[[1,1,1,1,0,0]]", INT64_MAX, &n));
	assert_false(is_read("[[1,1,1,1,1,0]]", DB_TIME_MAX, &n));
	/* entries before the damage are kept */
	assert_false(is_read("[[1,1,1,1,1,1],[1,1,1]", 0, &n));
	assert_int_equal(n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_row, begin),
		cmocka_unit_test_setup(test_slots_are_reused, begin),
		cmocka_unit_test_setup(test_another_error, begin),
		cmocka_unit_test_setup(test_reported_out_of_order, begin),
		cmocka_unit_test_setup(test_rows_are_bounded, begin),
		cmocka_unit_test_setup(test_pending_rows_are_freed, begin),
		cmocka_unit_test_setup(test_accesses_are_stored, begin),
		cmocka_unit_test_setup(test_accesses_are_read, begin),
		cmocka_unit_test_setup(test_other_texts, begin),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_free(&output);
	return failed;
}
