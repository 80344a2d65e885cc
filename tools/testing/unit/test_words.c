// SPDX-License-Identifier: GPL-2.0
/* Strings by their ids: those that were read, forgotten, too long or are missing. */
#include "answers/words.h"
#include "db/write.h"
#include "io/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NR	40000u		/* more than are kept */
#define MISSING	1234u
#define LONG	777u		/* 100 KB */

static struct db *db;

static size_t spell(char *to, uint32_t id)
{
	if (id != LONG)
		return (size_t)sprintf(to, "the word with the number %u", id);
	memset(to, 'l', 100000);
	to[100000] = 0;
	return 100000;
}

static int begin(void **state)
{
	char text[100001];

	(void)state;
	db = db_create(NULL, diag_new(stderr, "test"));
	if (!db)
		return -1;
	db_one(db, "BEGIN", "");
	for (uint32_t id = 1; id <= NR; id++) {
		size_t len = spell(text, id);

		if (id != MISSING)
			db_one(db, "INSERT INTO string VALUES (?, ?)", "ib", (int64_t)id, text, len);
	}
	db_one(db, "COMMIT", "");
	return db->failed;
}

static int end(void **state)
{
	struct diag *diag = db->diag;

	(void)state;
	db_close(db);
	diag_free(diag);
	return 0;
}

static void has(struct words *w, uint32_t id)
{
	char text[100001];
	size_t wanted = spell(text, id), len;
	const char *s = words_get(w, id, &len);

	if (!id || id == MISSING || id > NR) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_int_equal(len, wanted);
	assert_memory_equal(s, text, len + 1);
}

static void test_order(void **state)
{
	struct words *w = words_new(db);

	(void)state;
	/* as commands have them: one that is new, those of before */
	for (uint32_t id = 1; id <= NR; id++) {
		has(w, id);
		has(w, id % 50);
		has(w, id / 2);
	}
	words_free(w);
}

static void test_disorder(void **state)
{
	struct words *w = words_new(db);

	(void)state;
	has(w, LONG + 1);
	has(w, LONG);
	has(w, LONG);
	has(w, UINT32_MAX);
	for (uint32_t id = NR + 10; id; id--)
		has(w, id);
	has(w, 0);
	for (uint32_t i = 0; i < NR; i++)
		has(w, i * 7919u % NR);
	words_free(w);
}

static void ids(const char *list, const char *expected)
{
	const char *at = list, *stop = list + strlen(list);
	char got[100] = "";
	uint32_t id;

	while (words_next_id(&at, stop, &id))
		sprintf(got + strlen(got), "%u;", id);
	assert_string_equal(got, expected);
}

static void test_ids(void **state)
{
	(void)state;
	ids("", "");
	ids("[]", "");
	ids("[1]", "1;");
	ids("[1,20,4294967295]", "1;20;4294967295;");
	ids("[ 7 , 8 ]", "7;8;");
	ids("12", "12;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_disorder),
		cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
