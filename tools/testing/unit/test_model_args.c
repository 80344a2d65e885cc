// SPDX-License-Identifier: GPL-2.0
/* The arguments and misses of a build: lists in the database, intact and damaged. */
#include "db/write.h"
#include "io/diag.h"
#include "build/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct diag *diag;

/* A database with two programs; @args and @missed (failed lookups) are those of the second. */
static struct db *made(const char *args, const char *missed)
{
	struct db *db = db_create(NULL, diag);

	assert_non_null(db);
	db_one(db, "INSERT INTO process (id, upid, pid, at) VALUES (1, 1, 1, 0)", "");
	for (int64_t id = 1; id <= 2; id++)
		db_one(db, "INSERT INTO exec (id, process, forked, begun, at, args)\n"
			   " VALUES (?, 1, 0, 0, 0, ?)", "it", id, id == 2 ? args : "[]",
		       id == 2 ? strlen(args) : 2);
	db_one(db, "INSERT INTO string VALUES (1, x'6363'), (2, x''), (4, x'2d63')", "");
	db_one(db, "INSERT INTO file (id, path) VALUES (1, x'2f61'), (2, x'2f62')", "");
	db_one(db, "INSERT INTO miss (exec, error, at, list) VALUES (2, 2, 1000, ?)", "t", missed,
	       strlen(missed));
	assert_int_equal(db->failed, 0);
	return db;
}

static void args_are(const char *list, const char *wanted)
{
	struct db *db = made(list, "[]");
	const struct args *a = build_args(build_of(db));
	char got[100] = "";
	size_t len;

	assert_int_equal(args_of(a, 1), 0);
	for (uint32_t i = 0; i < args_of(a, 2); i++) {
		const char *s = args_text(a, args_string(a, 2, i), &len);

		sprintf(got + strlen(got), "%.*s;", (int)len, s);
	}
	assert_string_equal(got, wanted);
	assert_int_equal(db->failed, 0);
	db_close(db);
}

static void test_lists_of_arguments(void **state)
{
	(void)state;
	args_are("[]", "");
	args_are("[1]", "cc;");
	args_are("[1,4,2,1]", "cc;-c;;cc;");
	args_are("[1,3]", "cc;;");	/* string 3 does not exist */
}

static void test_failed_lookups(void **state)
{
	struct db *db = made("[]", "[[1,0],[2,30]]");
	const struct build *b = build_of(db);

	(void)state;
	assert_int_equal(build_misses(b, 1), 0);
	assert_int_equal(build_misses(b, 2), 2);
	assert_int_equal(build_miss_of(b, 2, 0)->file, 1);
	assert_int_equal(build_miss_of(b, 2, 1)->file, 2);
	assert_int_equal(build_miss_of(b, 2, 1)->at - build_miss_of(b, 2, 0)->at, 30);
	assert_int_equal(build_miss_of(b, 2, 1)->error, 2);
	db_close(db);
}

static void test_damaged_lists(void **state)
{
	static const char * const lists[] = {
		"[", "[1", "[1,", "1]", "[1]]", "[x]", "[1 2]", "[-1]", "[5]",
		"[99999999999999999999]",
	};
	static const char * const missed[] = {
		"[[1]]", "[[1,2]", "[[1,2],[3]]", "[[3,0]]", "[[[[", "[[1,x]]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct db *db = made(lists[i], "[]");

		build_args(build_of(db));
		if (!db->failed)
			fail_msg("%s is accepted as a list", lists[i]);
		db_close(db);
	}
	for (size_t i = 0; i < sizeof(missed) / sizeof(*missed); i++) {
		struct db *db = made("[]", missed[i]);

		build_misses(build_of(db), 2);
		if (!db->failed)
			fail_msg("%s is accepted as a list", missed[i]);
		db_close(db);
	}
}

static int begin(void **state)
{
	(void)state;
	diag = diag_new(fopen("/dev/null", "w"), "test");
	return !diag;
}

static int end(void **state)
{
	(void)state;
	diag_free(diag);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_of_arguments),
		cmocka_unit_test(test_failed_lookups),
		cmocka_unit_test(test_damaged_lists),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
