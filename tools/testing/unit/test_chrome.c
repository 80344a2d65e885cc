// SPDX-License-Identifier: GPL-2.0
/*
 * Time traces that compilers write: genuine ones of clang 14, clang 19 and lld 14
 * (data/chrome), small ones made here for one case each, damaged ones, and files that have
 * changed.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_convert.h"
#include "format/json/chrome.h"

static struct chrome_trace t;

static int leave(void **state)
{
	(void)state;
	chrome_free(&t);
	return 0;
}

/* Slices lie within their parents, and a slice's depth is the number of its parents. */
static void assert_nested(void)
{
	size_t around[CHROME_MAX_DEPTH + 1];

	for (size_t i = 0; i < t.n; i++) {
		const struct chrome_slice *s = &t.slices[i], *outer;

		assert_true(s->from <= s->to);
		assert_true(s->thread < t.nthreads);
		assert_true(s->depth < CHROME_MAX_DEPTH);
		around[s->depth] = i;
		if (!s->depth)
			continue;
		outer = &t.slices[around[s->depth - 1]];
		assert_int_equal(outer->depth, s->depth - 1);
		assert_int_equal(outer->thread, s->thread);
		assert_true(outer->from <= s->from && s->to <= outer->to);
		if (t.slices[i - 1].thread == s->thread)
			assert_true(t.slices[i - 1].from <= s->from);
	}
}

static enum chrome_fault parse(const char *json)
{
	enum chrome_fault fault = chrome_parse(&t, json, strlen(json));

	if (fault == CHROME_OK)
		assert_nested();
	return fault;
}

static void parse_file(const char *name)
{
	struct bytes b = fixture(name);

	assert_int_equal(chrome_parse(&t, b.data, b.n), CHROME_OK);
	assert_nested();
	bytes_free(&b);
}

/* All slices: "name(detail) thread depth from-to;" with times in us. */
static const char *all(void)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < t.n && n < sizeof(text) - 200; i++) {
		const struct chrome_slice *s = &t.slices[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s(%s) %u %u %g-%g", i ? "; " : "",
				      chrome_text(&t, s->name), chrome_text(&t, s->detail), s->thread,
				      s->depth, (double)s->from / 1000, (double)s->to / 1000);
	}
	return text;
}

static const struct chrome_slice *find(const char *name, const char *detail)
{
	for (size_t i = 0; i < t.n; i++)
		if (!strcmp(chrome_text(&t, t.slices[i].name), name) &&
		    !strcmp(chrome_text(&t, t.slices[i].detail), detail))
			return &t.slices[i];
	fail_msg("no slice %s of %s", name, detail);
	return NULL;
}

static void assert_slice(const char *name, const char *detail, int64_t from_us, int64_t to_us,
			 uint32_t depth)
{
	const struct chrome_slice *s = find(name, detail);

	assert_int_equal(s->from, from_us * 1000);
	assert_int_equal(s->to, to_us * 1000);
	assert_int_equal(s->depth, depth);
}

/* ---- genuine ones ---- */

static void test_clang_14(void **state)
{
	(void)state;
	parse_file("chrome/clang-14.json");
	assert_int_equal(t.n, 103);
	assert_int_equal(t.nthreads, 1);
	assert_true(t.begin == 1795572036084273000);
	assert_slice("ExecuteCompiler", "", 18, 77200, 0);
	assert_slice("Source", "./point.h", 3759, 4759, 2);
	assert_slice("Source", "./shape.h", 3779, 4559, 3);
}

/* clang 19 writes sources as asynchronous begin and end events. */
static void test_clang_19(void **state)
{
	(void)state;
	parse_file("chrome/clang-19.json");
	assert_int_equal(t.n, 129 + 2);
	assert_int_equal(t.nthreads, 1);
	assert_slice("ExecuteCompiler", "", 27, 90708, 0);
	assert_slice("Source", "./point.h", 10143, 13094, 2);
	assert_slice("Source", "./shape.h", 10159, 12813, 3);
}

static void test_lld(void **state)
{
	(void)state;
	parse_file("chrome/lld-14.time-trace");
	assert_int_equal(t.nthreads, 1);
	assert_slice("ExecuteLinker", "", 16, 27704, 0);
	assert_string_equal(chrome_text(&t, t.threads[0].name), "ld.lld");
}

/* ---- made here ---- */

#define X(name, ts, dur) "{\"ph\":\"X\",\"name\":\"" name "\",\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur "}"

static void test_nesting(void **state)
{
	(void)state;
	/* inner slices first, as clang writes them; one that overlaps is cut */
	assert_int_equal(parse("{\"traceEvents\":[" X("c", 12, 3) "," X("b", 11, 5) "," X("d", 16, 9) ","
			       X("a", 10, 10) "," X("e", 20, 1) "]}"), CHROME_OK);
	assert_string_equal(all(), "a() 0 0 10-20; b() 0 1 11-16; c() 0 2 12-15; d() 0 1 16-20; e() 0 0 20-21");
	/* equally long: the one written last ended last */
	assert_int_equal(parse("[" X("in", 1, 2) "," X("out", 1, 2) "]"), CHROME_OK);
	assert_string_equal(all(), "out() 0 0 1-3; in() 0 1 1-3");
	/* a slice without duration has no children */
	assert_int_equal(parse("[" X("a", 1, 0) "," X("b", 1, 0) "," X("c", 1, -5) "]"), CHROME_OK);
	assert_string_equal(all(), "c() 0 0 1-1; b() 0 0 1-1; a() 0 0 1-1");
}

static void test_pairs(void **state)
{
	(void)state;
	assert_int_equal(parse("[{\"ph\":\"B\",\"name\":\"a\",\"tid\":1,\"ts\":1},"
			       "{\"ph\":\"B\",\"name\":\"b\",\"tid\":1,\"ts\":2},"
			       "{\"ph\":\"E\",\"tid\":1,\"ts\":3},{\"ph\":\"E\",\"tid\":1,\"ts\":4},"
			       "{\"ph\":\"E\",\"tid\":1,\"ts\":5}]"), CHROME_OK);
	assert_string_equal(all(), "a() 0 0 1-4; b() 0 1 2-3");
	/* a slice without an end has no duration */
	assert_int_equal(parse("[{\"ph\":\"B\",\"name\":\"a\",\"tid\":1,\"ts\":1}]"), CHROME_OK);
	assert_string_equal(all(), "a() 0 0 1-1");
	/* two asynchronous slices at once: each has its own end */
	assert_int_equal(parse("[{\"ph\":\"b\",\"id\":1,\"name\":\"s\",\"cat\":\"c\",\"ts\":1},"
			       "{\"ph\":\"b\",\"id\":2,\"name\":\"s\",\"cat\":\"c\",\"ts\":2},"
			       "{\"ph\":\"e\",\"id\":1,\"name\":\"s\",\"cat\":\"c\",\"ts\":9},"
			       "{\"ph\":\"e\",\"id\":2,\"name\":\"s\",\"cat\":\"c\",\"ts\":3}]"), CHROME_OK);
	assert_string_equal(all(), "s() 0 0 1-9; s() 0 1 2-3");
}

/* A list as crox writes it; fractions; the busiest thread comes first. */
static void test_threads(void **state)
{
	(void)state;
	assert_int_equal(parse("[{\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":7,\"ts\":0,"
			       "\"args\":{\"name\":\"LLVM\"}},"
			       "{\"ph\":\"X\",\"name\":\"codegen\",\"tid\":7,\"ts\":2,\"dur\":1.5},"
			       "{\"ph\":\"X\",\"name\":\"rustc\",\"tid\":3,\"ts\":0,\"dur\":9,"
			       "\"args\":{\"arg0\":\"main\",\"n\":3,\"arg1\":\"lib\"}}]"), CHROME_OK);
	assert_string_equal(all(), "rustc(main, lib) 0 0 0-9; codegen() 1 0 2-3.5");
	assert_string_equal(chrome_text(&t, t.threads[1].name), "LLVM");
	assert_int_equal(t.threads[1].tid, 7);
}

/* crox writes times as dates; threads of two processes may have the same number. */
static void test_dates(void **state)
{
	(void)state;
	assert_int_equal(parse("[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":0,\"ts\":1795572036084273,\"dur\":9},"
			       "{\"ph\":\"X\",\"name\":\"b\",\"pid\":2,\"tid\":0,\"ts\":1795572036084275,\"dur\":2}]"),
			 CHROME_OK);
	assert_string_equal(all(), "a() 0 0 0-9; b() 1 0 2-4");
	assert_true(t.begin == 1795572036084273000);
}

static void test_events_left_out(void **state)
{
	(void)state;
	assert_int_equal(parse("[" X("Total Source", 0, 900) "," X("a", 1, 1) ","
			       "{\"ph\":\"C\",\"name\":\"counter\",\"ts\":1},{\"ph\":\"X\",\"name\":\"no end\",\"ts\":1}]"),
			 CHROME_OK);
	assert_string_equal(all(), "a() 0 0 1-2");
	assert_int_equal(parse("[" X("Total Source", 0, 900) "]"), CHROME_EMPTY);
	assert_int_equal(parse("{\"traceEvents\":[]}"), CHROME_EMPTY);
	/* bytes that are not UTF-8, times that are out of range */
	assert_int_equal(parse("[" X("\xff", 1, 1) "," X("b", 1e300, 1) "," X("c", 2, 1e300) "]"), CHROME_OK);
	assert_string_equal(all(), "\xef\xbf\xbd() 0 0 1-2");
}

static void test_nesting_limit(void **state)
{
	struct buf b = { 0 };
	char one[100];

	(void)state;
	buf_addc(&b, '[');
	for (unsigned int i = 0; i < 2 * CHROME_MAX_DEPTH; i++) {
		snprintf(one, sizeof(one), "%s{\"ph\":\"X\",\"name\":\"a\",\"ts\":%u,\"dur\":%u}", i ? "," : "", i,
			 4 * CHROME_MAX_DEPTH - 2 * i);
		buf_adds(&b, one);
	}
	buf_adds(&b, "]");
	buf_addc(&b, '\0');
	assert_int_equal(parse(b.s), CHROME_OK);
	assert_int_equal(t.n, CHROME_MAX_DEPTH);
	buf_free(&b);
}

static void test_other_json_refused(void **state)
{
	static const char *const list[] = {
		"", " ", "{", "{}", "[{}]", "[1]", "[[]]", "null", "{\"a\":1,\"b\":[{\"ph\":\"X\"}]}",
		"[{\"directory\":\"/\",\"file\":\"a.c\"}]", "{\"traceEvents\":1}", "{\"traceEvents\":[1]}",
		"{\"traceEvents\"", "{1:2}", "x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (parse(list[i]) != CHROME_FOREIGN)
			fail_msg("%s is accepted as a time trace", list[i]);
	/* nested deeper than the parser allows */
	assert_int_equal(parse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), CHROME_FOREIGN);
}

/* A file truncated anywhere, or with a changed byte, is reported as such. */
static void test_damaged(void **state)
{
	struct bytes b = fixture("chrome/clang-19.json");
	enum chrome_fault fault;

	(void)state;
	for (size_t n = 0; n < b.n; n += 1 + n / 50) {
		fault = chrome_parse(&t, b.data, n);
		assert_int_equal(fault, n < 30 ? CHROME_FOREIGN : fault == CHROME_FOREIGN ? fault : CHROME_DAMAGED);
		if (n > 1000)
			assert_int_equal(fault, CHROME_DAMAGED);
	}
	for (size_t i = 0; i < b.n; i += 97) {
		char was = b.data[i];

		b.data[i] ^= 0x15;
		if (chrome_parse(&t, b.data, b.n) == CHROME_OK)
			assert_nested();
		b.data[i] = was;
	}
	bytes_free(&b);
}

/* ---- times ---- */

static void place(int64_t at, int64_t until, const int64_t *begin)
{
	assert_int_equal(parse("[" X("a", 10, 50) "," X("b", 20, 5) "," X("c", 50, 10) "]"), CHROME_OK);
	chrome_place(&t, at * 1000, until * 1000, begin);
}

static void test_times_within_program(void **state)
{
	int64_t begin;

	(void)state;
	/* time 0 of the file is the program's start */
	place(1000, 2000, NULL);
	assert_string_equal(all(), "a() 0 0 1010-1060; b() 0 1 1020-1025; c() 0 1 1050-1060");
	/* the file has the date of its time 0 */
	begin = 1200 * 1000;
	place(1000, 2000, &begin);
	assert_string_equal(all(), "a() 0 0 1210-1260; b() 0 1 1220-1225; c() 0 1 1250-1260");
	/* a date may be coarse: slices stay within the program's time */
	begin = 900 * 1000;
	place(1000, 2000, &begin);
	assert_string_equal(all(), "a() 0 0 1000-1050; b() 0 1 1010-1015; c() 0 1 1040-1050");
	begin = 5000 * 1000;
	place(1000, 2000, &begin);
	assert_string_equal(all(), "a() 0 0 1950-2000; b() 0 1 1960-1965; c() 0 1 1990-2000");
	/* longer than the program ran */
	place(1000, 1020, NULL);
	assert_string_equal(all(), "a() 0 0 1000-1020; b() 0 1 1010-1015");
	/* neither a date that far off nor a trace that long is possible */
	begin = INT64_MIN;
	place(1000, 2000, &begin);
	assert_string_equal(all(), "a() 0 0 1010-1060; b() 0 1 1020-1025; c() 0 1 1050-1060");
	place(0, INT64_MAX / 1000, NULL);
	assert_int_equal(t.n, 0);
}

/* ---- files ---- */

static char dir[] = "/tmp/etrace-chrome.XXXXXX";

static void put(const char *name, const char *text, int64_t mtime)
{
	struct timespec times[2] = { { mtime / 1000000000, mtime % 1000000000 } };
	char path[128];
	FILE *f;

	times[1] = times[0];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static enum chrome_fault get(const char *name, bool known, int64_t a, int64_t b)
{
	struct chrome_was was = { .known = known };

	if (known) {
		was.size = a;
		was.mtime = b;
	} else {
		was.from = a;
		was.to = b;
	}
	return chrome_read(&t, dir, name, &was);
}

static void test_changed_files_refused(void **state)
{
	static const char json[] = "[" X("a", 1, 1) "]";
	const int64_t size = sizeof(json) - 1, mtime = 1700000000123456789;
	char path[128], command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	put("a.json", json, mtime);
	assert_int_equal(get("/a.json", true, size, mtime), CHROME_OK);
	assert_int_equal(t.n, 1);
	assert_int_equal(get("/a.json", true, size + 1, mtime), CHROME_CHANGED);
	assert_int_equal(get("/a.json", true, size, mtime + 1), CHROME_CHANGED);
	assert_int_equal(t.n, 0);
	assert_int_equal(get("/a.json", false, mtime - 5, mtime + 5), CHROME_OK);
	assert_int_equal(get("/a.json", false, mtime + 5, mtime + 9), CHROME_CHANGED);
	assert_int_equal(get("/a.json", false, mtime - 9, mtime - 5), CHROME_CHANGED);
	assert_int_equal(get("/a.json", false, 0, 0), CHROME_UNSURE);
	assert_int_equal(get("/b.json", true, size, mtime), CHROME_GONE);
	assert_int_equal(get("/a.json/b", true, size, mtime), CHROME_GONE);
	put("c.json", "hello\n", mtime);
	assert_int_equal(get("/c.json", true, 6, mtime), CHROME_FOREIGN);
	put("d.json", "", mtime);
	assert_int_equal(get("/d.json", true, 0, mtime), CHROME_FOREIGN);
	/* only regular files, and no symbolic links */
	assert_int_equal(get("", true, size, mtime), CHROME_NO_FILE);
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("a.json", path), 0);
	assert_int_equal(get("/link", true, size, mtime), CHROME_NO_FILE);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(get("/fifo", true, size, mtime), CHROME_NO_FILE);
	/* larger than the limit: a sparse file */
	snprintf(path, sizeof(path), "%s/a.json", dir);
	assert_int_equal(truncate(path, (off_t)CHROME_MAX_BYTES + 1), 0);
	assert_int_equal(get("/a.json", false, 1, INT64_MAX), CHROME_LARGE);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_clang_14, leave),
		cmocka_unit_test_teardown(test_clang_19, leave),
		cmocka_unit_test_teardown(test_lld, leave),
		cmocka_unit_test_teardown(test_nesting, leave),
		cmocka_unit_test_teardown(test_pairs, leave),
		cmocka_unit_test_teardown(test_threads, leave),
		cmocka_unit_test_teardown(test_dates, leave),
		cmocka_unit_test_teardown(test_events_left_out, leave),
		cmocka_unit_test_teardown(test_nesting_limit, leave),
		cmocka_unit_test_teardown(test_other_json_refused, leave),
		cmocka_unit_test_teardown(test_damaged, leave),
		cmocka_unit_test_teardown(test_times_within_program, leave),
		cmocka_unit_test_teardown(test_changed_files_refused, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
