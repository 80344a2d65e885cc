// SPDX-License-Identifier: GPL-2.0
/*
 * FXT files of version 1 of the mapping, where errors and marks were lines
 * outside the format and signals were numbers: those in data/mapping, which that
 * version wrote of data/rec/trace and data/etrace/first.trace, still tell the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"

static void same(const char *file, const char *made_of, const char *to)
{
	struct bytes old = fixture(file), text = fixture(made_of);
	struct conversion a = convert("fxt", to, old.data, old.n, NULL);
	struct conversion b = convert("etrace", to, text.data, text.n, NULL);

	assert_int_equal(a.status, 0);
	assert_true(b.out.n > 2000);
	assert_int_equal(a.out.n, b.out.n);
	assert_memory_equal(a.out.data, b.out.data, b.out.n);
	conversion_free(&a);
	conversion_free(&b);
	bytes_free(&old);
	bytes_free(&text);
}

static void same_lines(void **state)
{
	(void)state;
	same("mapping/v1.fxt", "rec/trace", "etrace");
	same("mapping/v1-marks.fxt", "etrace/first.trace", "etrace");
}

/* What errors, marks and signals there are is typed: the new file says so. */
static void nothing_left_as_text(void **state)
{
	static const char *const members[] = {
		"\"name\":\"error\"", "\"value\":\"ENOENT\"", "\"value\":\"SIGKILL\"",
		"\"name\":\"joined\"",
	};
	struct bytes old = fixture("mapping/v1-marks.fxt");
	struct conversion now = convert("fxt", "fxt", old.data, old.n, NULL);
	struct conversion c = convert("fxt-records", "json", now.out.data, now.out.n, NULL);

	(void)state;
	assert_null(strstr(c.out.data, "\"Marks\""));
	assert_null(strstr(c.out.data, "\"Failed\""));
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!strstr(c.out.data, members[i]))
			fail_msg("no %s", members[i]);
	conversion_free(&c);
	conversion_free(&now);
	bytes_free(&old);
}

/* The version of the mapping that a file says it has. */
static int version(const struct bytes *b)
{
	struct conversion c = convert("fxt-records", "json", b->data, b->n, NULL);
	const char *at = strstr(c.out.data, "\"version\",\"name_ref\":");
	int v;

	assert_non_null(at);
	at = strstr(at, "\"value\":");
	assert_non_null(at);
	v = atoi(at + 8);
	conversion_free(&c);
	return v;
}

static void versions(void **state)
{
	struct bytes old = fixture("mapping/v1.fxt"), text = fixture("rec/trace");
	struct conversion now = convert("etrace", "fxt", text.data, text.n, NULL);
	struct bytes made = { now.out.data, now.out.n, 0 };

	(void)state;
	assert_int_equal(version(&old), 1);
	assert_int_equal(version(&made), 2);
	conversion_free(&now);
	bytes_free(&old);
	bytes_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_lines),
		cmocka_unit_test(nothing_left_as_text),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
