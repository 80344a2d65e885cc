// SPDX-License-Identifier: GPL-2.0
/*
 * What etrace fleet asks and prints, without a server: the statements for its options, times in
 * words, tables and JSON of answers.  Tests with a server are in ../fleet/tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fleet/query.h"
#include "fleet/server_pack.h"
#include "fleet/when.h"
#include "io/out.h"

/* ---- times ---- */

/* Wednesday, 2026-11-25 09:30:05 in Berlin. */
#define NOW 1795595405
#define HOUR 3600
#define DAY (24 * HOUR)
#define MIDNIGHT (NOW - 9 * HOUR - 30 * 60 - 5)

static int set_zone(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return 0;
}

static void times_given_in_words(void **state)
{
	static const struct {
		const char *text;
		int64_t begin, end;
	} rows[] = {
		{ "today", MIDNIGHT, MIDNIGHT + DAY },
		{ "yesterday", MIDNIGHT - DAY, MIDNIGHT },
		{ "wednesday", MIDNIGHT, MIDNIGHT + DAY },
		{ "Monday", MIDNIGHT - 2 * DAY, MIDNIGHT - DAY },
		{ "thu", MIDNIGHT - 6 * DAY, MIDNIGHT - 5 * DAY },
		{ "2026-11-23", MIDNIGHT - 2 * DAY, MIDNIGHT - DAY },
		{ "0s", NOW, NOW }, { "90min", NOW - 90 * 60, NOW - 90 * 60 },
		{ "12h", NOW - 12 * HOUR, NOW - 12 * HOUR }, { "7d", NOW - 7 * DAY, NOW - 7 * DAY },
		{ "2w", NOW - 14 * DAY, NOW - 14 * DAY },
		{ "2026-11-25T09:30", NOW - 5, NOW - 5 }, { "2026-11-25 09:30:05", NOW, NOW },
		{ "2026-11-25T08:30:05Z", NOW, NOW }, { "2026-11-25T08:30:05.75Z", NOW, NOW },
		{ "2026-11-25T09:30:05+01:00", NOW, NOW }, { "2026-11-25T04:00:05-0430", NOW, NOW },
		{ "@1795595405", NOW, NOW },
		/* limited to the server's range */
		{ "@99999999999", UINT32_MAX, UINT32_MAX }, { "1900-01-01", 0, 0 },
		{ "99999w", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t begin = -1, end = -1;

		if (!when_read(rows[i].text, NOW, false, &begin) || begin != rows[i].begin ||
		    !when_read(rows[i].text, NOW, true, &end) || end != rows[i].end)
			fail_msg("%s: %lld and %lld", rows[i].text, (long long)begin, (long long)end);
	}
}

/* The clock is set back on 2026-10-25: the day has 25 hours. */
static void day_of_25_hours(void **state)
{
	int64_t begin = 0, end = 0;

	(void)state;
	assert_true(when_read("2026-10-25", NOW, false, &begin));
	assert_true(when_read("2026-10-25", NOW, true, &end));
	assert_int_equal(end - begin, 25 * HOUR);
}

static void invalid_times_refused(void **state)
{
	static const char *const texts[] = {
		"", "someday", "mo", "7", "d", "7m", "7 d", "-7d", "1234567890d", "2026", "2026-11",
		"2026-13-01", "2026-02-29", "2026-11-31", "2026-11-00", "26-11-23", "2026-11-23T",
		"2026-11-23T24:00", "2026-11-23T10:60", "2026-11-23T10:00:61", "2026-11-23T10:00X",
		"2026-11-23T10:00+1", "2026-11-23T10:00+01:00x", "2026-11-23T10:00+15:00", "@", "@x",
		"@1x", "2026-11-23x", "todayx",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		int64_t to = -1;

		if (when_read(texts[i], NOW, false, &to))
			fail_msg("%s: accepted as %lld", texts[i], (long long)to);
		assert_int_equal(to, -1);
	}
}

static void times_printed(void **state)
{
	char buf[WHEN_ROOM];

	(void)state;
	assert_string_equal(when_text(NOW, buf), "2026-11-25 09:30:05");
	assert_string_equal(when_iso(NOW, buf), "2026-11-25T08:30:05Z");
	assert_string_equal(when_day(NOW - 9 * HOUR, buf), "2026-11-24");
}

/* ---- statements ---- */

static const struct query_options plain = {
	.database = "db", .since = NOW - DAY, .until = NOW, .limit = 20,
};

static char *made(const char *name, size_t part, const struct query_options *o)
{
	struct buf b = { 0 };

	query_make(query_find(name), part, o, &b);
	return b.s;
}

/* Check that @text is in the statement @n times. */
static void has(char *sql, const char *text, size_t n)
{
	size_t there = 0;

	for (const char *s = strstr(sql, text); s; s = strstr(s + 1, text))
		there++;
	if (there != n)
		fail_msg("%zu times, expected %zu: %s\n%s", there, n, text, sql);
	free(sql);
}

/* Each placeholder is filled in, each bracket closed, and there is only one statement. */
static void statements_are_complete(void **state)
{
	(void)state;
	for (const struct query *q = query_all(); q->name; q++) {
		struct query_options o = plain;

		o.arg = q->args ? "x" : NULL;
		assert_ptr_equal(query_find(q->name), q);
		assert_true(query_parts(q) > 0);
		for (size_t i = 0; i < query_parts(q); i++) {
			char *sql = made(q->name, i, &o);
			int open = 0;

			for (const char *s = sql; *s; s++) {
				open += (*s == '(') - (*s == ')');
				assert_true(open >= 0);
			}
			assert_int_equal(open, 0);
			assert_null(strpbrk(sql, "@;"));
			assert_int_equal(strncmp(sql, "SELECT ", 7), 0);
			assert_non_null(strstr(sql, "FROM db."));
			assert_non_null(strstr(sql, "begin >= toDateTime(1795509005)"));
			assert_non_null(strstr(sql, "begin < toDateTime(1795595405)"));
			free(sql);
		}
	}
	assert_null(query_find("nothing"));
	assert_null(query_find(""));
}

static void selection_of_builds(void **state)
{
	const char *tags[] = { "branch=main", "ci=1" };
	struct query_options o = plain;

	(void)state;
	has(made("builds", 0, &o), "project =", 0);
	has(made("builds", 0, &o), "LIMIT 21", 1);
	o.project = "app";
	o.host = "alpha";
	o.tags = tags;
	o.ntags = 2;
	has(made("builds", 0, &o),
	    " AND project = 'app' AND host = 'alpha' AND has(tags, 'branch=main') AND has(tags, 'ci=1')", 1);
	/* builds before the period are read, too, but only the period is current */
	has(made("slowest", 0, &o), "begin >= toDateTime(1795422605) AND begin < toDateTime(1795595405)", 1);
	has(made("slowest", 0, &o), "begin >= toDateTime(1795509005) AND begin < toDateTime(1795595405)", 1);
	has(made("slowest", 0, &o), "day >= toDate('2026-11-23') AND day <= toDate('2026-11-25')", 1);
	has(made("slowest", 0, &o), "ORDER BY median_ns DESC", 1);
	has(made("slower", 0, &o), "ORDER BY change_ns DESC", 1);
	/* the time cannot go below 1970 */
	o.since = 10;
	has(made("slowest", 0, &o), "begin >= toDateTime(0)", 1);
	has(made("slowest", 0, &o), "day >= toDate('1970-01-01')", 1);
}

/* Whatever a text contains, it stays one text. */
static void texts_are_quoted(void **state)
{
	const char *tag = "'=') OR 1 = 1 --";
	struct query_options o = plain;

	(void)state;
	o.project = "a' OR 'b' = 'b";
	o.host = "\\";
	o.tags = &tag;
	o.ntags = 1;
	has(made("builds", 0, &o), "project = 'a\\' OR \\'b\\' = \\'b' AND host = '\\\\' AND "
	    "has(tags, '\\'=\\') OR 1 = 1 --')", 1);
	o = plain;
	o.arg = "x@db@';\n";
	has(made("users", 0, &o), "path = './x@db@\\';\\n'", 1);
	has(made("package", 0, &o), "package = 'x@db@\\';\\n'", 1);
	o.arg = "x=1'2";
	has(made("package", 0, &o), "version = '1\\'2'", 1);
}

static void selection_of_files(void **state)
{
	static const char *const rows[][2] = {
		{ "/usr/include/a.h", "path = '/usr/include/a.h'" }, { "src/a.c", "path = './src/a.c'" },
		{ "./a.c", "path = './a.c'" }, { "../a.c", "path = './../a.c'" },
		{ ".config", "path = './.config'" }, { "*.h", "path LIKE '%.h'" },
		{ "src/?.h", "path LIKE './src/_.h'" },
		/* LIKE's special characters are escaped, and then once more for the string */
		{ "/100%_\\/*", "path LIKE '/100\\\\%\\\\_\\\\\\\\/%'" },
	};
	struct query_options o = plain;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		o.arg = rows[i][0];
		has(made("users", 0, &o), rows[i][1], 1);
	}
}

static struct server_answer answer_of(const char *text)
{
	struct server_answer a = { 0 };

	assert_true(server_answer_read(&a, text, strlen(text)));
	return a;
}

/* The second statement names the files that the first one found, as many as are shown. */
static void files_by_name(void **state)
{
	struct server_answer a = answer_of("file\tbuild\n5\taa\n6\tbb\n7\tcc\n");
	struct query_options o = plain;

	(void)state;
	o.arg = "a.c";
	has(made("users", 1, &o), "(build, file) GLOBAL IN (SELECT build, id\n", 1);
	o.first = &a;
	has(made("users", 1, &o), "(build, file) IN (('aa', 5), ('bb', 6), ('cc', 7))", 1);
	o.limit = 2;
	has(made("users", 1, &o), "(build, file) IN (('aa', 5), ('bb', 6))", 1);
	server_answer_free(&a);
}

/* ---- answers ---- */

static void shows(const char *query, size_t part, const char *answer, uint64_t limit, bool json,
		  const char *expected)
{
	struct server_answer a = answer_of(answer);
	struct out *out = out_mem();
	const char *text;
	size_t len;

	query_put(query_find(query), part, &a, limit, out, json);
	text = out_mem_data(out, &len);
	if (len != strlen(expected) || memcmp(text, expected, len))
		fail_msg("unexpected output:\n%.*s", (int)len, text);
	out_close(out);
	server_answer_free(&a);
}

static void tables_are_aligned(void **state)
{
	static const char some[] =
		"begin\ttook_ns\tstatus\ttags\tmissing\thost\tsize_bytes\tchange_ns\tchange_percent\tbuild\n"
		"1795595405\t1500000000\t0\ta=b\\0c\t\tx\t1500\t-2000000000\t-7\t00-0\n"
		"1795595406\t150000000000\t1234\t\t\tlonger\t\\N\t0\t\\N\t00-1\n";

	(void)state;
	shows("builds", 0, some, 2, false,
	      "begin                      took  status  tags   host      size   change   %\n"
	      "2026-11-25 09:30:05      1.50 s       0  a=b c  x       1.5 kB  -2.00 s  -7\n"
	      "2026-11-25 09:30:06  2 min 30 s   1,234         longer       -      0 s   -\n");
	shows("builds", 0, some, 1, false,
	      "begin                  took  status  tags   host    size   change   %\n"
	      "2026-11-25 09:30:05  1.50 s       0  a=b c  x     1.5 kB  -2.00 s  -7\n"
	      "There are more rows than the limit of 1; --limit N prints more\n");
}

/* An answer cannot move the cursor; width counts columns, not bytes. */
static void tables_cannot_control_terminal(void **state)
{
	(void)state;
	shows("users", 1, "label\toutput\nx\033[2J\\n\t\303\274\nyy\t\n", 9, false,
	      "\nSteps in these builds that used it:\nstep    output\nx?[2J?  \303\274\nyy\n");
	shows("rebuilds", 0, "project\tpath\n\303\274\ta\nbb\tc\n", 9, false,
	      "project  file\n\303\274        a\nbb       c\n");
}

static void messages_without_rows(void **state)
{
	(void)state;
	shows("builds", 0, "begin\n", 9, false, "no builds\n");
	shows("users", 1, "label\n", 9, false, "");
	shows("builds", 0, "begin\n", 9, true, "");
}

static void json_output(void **state)
{
	(void)state;
	shows("builds", 0,
	      "begin\ttook_ns\tstatus\ttags\tcomplete\tname\n"
	      "1795595405\t9223372036854775807\t\\N\ta=b\\0\\0c\t1\tx\\t\"\n"
	      "0\t-1\t0\t\t0\t\377\n"
	      "0\t-1\t0\t\t0\tnot shown\n", 2, true,
	      "{\"fleet\":\"build\",\"begin\":\"2026-11-25T08:30:05Z\",\"took_ns\":9223372036854775807,"
	      "\"status\":null,\"tags\":[\"a=b\",\"\",\"c\"],\"complete\":true,\"name\":\"x\\t\\\"\"}\n"
	      "{\"fleet\":\"build\",\"begin\":\"1970-01-01T00:00:00Z\",\"took_ns\":-1,\"status\":0,"
	      "\"tags\":[],\"complete\":false,\"name\":\"\357\277\275\",\"name_hex\":\"ff\"}\n");
}

/* Times before 1970 are rounded down to the second. */
static void timestamps(void **state)
{
	(void)state;
	shows("users", 0, "mtime_ns\tsha256\n-1\tabcdefabcdefabcdef\n1795595405999999999\t\n", 9, false,
	      "changed              SHA-256\n"
	      "1970-01-01 00:59:59  abcdefabcdef\n"
	      "2026-11-25 09:30:05\n");
	shows("users", 0, "mtime_ns\tsha256\n-1\t00\n", 9, true,
	      "{\"fleet\":\"user\",\"mtime_ns\":-1,\"sha256\":\"00\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(times_given_in_words, set_zone),
		cmocka_unit_test_setup(day_of_25_hours, set_zone),
		cmocka_unit_test_setup(invalid_times_refused, set_zone),
		cmocka_unit_test_setup(times_printed, set_zone),
		cmocka_unit_test(statements_are_complete),
		cmocka_unit_test(selection_of_builds),
		cmocka_unit_test(texts_are_quoted),
		cmocka_unit_test(selection_of_files),
		cmocka_unit_test(files_by_name),
		cmocka_unit_test_setup(tables_are_aligned, set_zone),
		cmocka_unit_test(tables_cannot_control_terminal),
		cmocka_unit_test(messages_without_rows),
		cmocka_unit_test(json_output),
		cmocka_unit_test_setup(timestamps, set_zone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
