// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping between events and FXT beside what test_golden.c holds: files of its
 * older versions, and what it leaves out.
 *
 * Files in data/mapping: version 1, where errors and marks were lines outside the
 * format and signals were numbers, wrote v1.fxt of data/rec/trace and v1-marks.fxt
 * of data/etrace/first.trace; version 2, which left nothing out, wrote v2.fxt of
 * v2.trace.  They still tell the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"

static void assert_bytes_equal(const struct bytes *a, const struct bytes *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, b->n);
}

static void same(const char *file, const char *made_of, const char *to)
{
	struct bytes old = fixture(file), text = fixture(made_of);
	struct conversion a = convert("fxt", to, old.data, old.n, NULL);
	struct conversion b = convert("etrace", to, text.data, text.n, NULL);

	assert_int_equal(a.status, 0);
	assert_true(b.out.n > 2000);
	assert_bytes_equal(&a.out, &b.out);
	conversion_free(&a);
	conversion_free(&b);
	bytes_free(&old);
	bytes_free(&text);
}

static void same_lines(void **state)
{
	(void)state;
	same("mapping/v2.fxt", "mapping/v2.trace", "etrace");
	same("mapping/v1.fxt", "rec/trace", "etrace");
	same("mapping/v1-marks.fxt", "etrace/first.trace", "etrace");
}

/* What errors, marks and signals there are is typed: the new file says so. */
static void nothing_left_as_text(void **state)
{
	static const char *const members[] = {
		"\"name\":\"error\"", "\"name\":\"error\"", "\"value\":\"SIGKILL\"",
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
	struct bytes old = fixture("mapping/v1.fxt"), old2 = fixture("mapping/v2.fxt");
	struct bytes text = fixture("rec/trace");
	struct conversion now = convert("etrace", "fxt", text.data, text.n, NULL);
	struct bytes made = { now.out.data, now.out.n, 0 };

	(void)state;
	assert_int_equal(version(&old), 1);
	assert_int_equal(version(&old2), 2);
	assert_int_equal(version(&made), 3);
	conversion_free(&now);
	bytes_free(&old);
	bytes_free(&old2);
	bytes_free(&text);
}

/* ---- what is left out ---- */

/* Lines, their FXT file and its records as JSON; from the file the lines come again. */
static struct conversion records_of(struct bytes *text)
{
	struct conversion fxt = convert("etrace", "fxt", text->data, text->n, NULL);
	struct conversion back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);
	struct conversion c = convert("fxt-records", "json", fxt.out.data, fxt.out.n, NULL);

	assert_int_equal(fxt.status, 0);
	assert_int_equal(back.status, 0);
	assert_bytes_equal(&back.out, text);
	assert_fxt_clean(fxt.out.data, fxt.out.n);
	conversion_free(&fxt);
	conversion_free(&back);
	bytes_free(text);
	return c;
}

static unsigned int now_ns;	/* of the next line */

static void line(struct bytes *b, unsigned int upid, unsigned int cpu, const char *what)
{
	char text[700];

	bytes_add(b, text, (size_t)snprintf(text, sizeof(text), "%u,%u,7,%u!%s\n", upid, cpu,
					    now_ns++, what));
}

#define A	8388710u
#define B	8388711u

/* An open of @path, with the rest of its line OpenFile or without one. */
static void opens(struct bytes *b, unsigned int upid, const char *path, unsigned int mode,
		  const char *file)
{
	char text[640];

	now_ns += 100;
	snprintf(text, sizeof(text), "Open|fnamesize=%zu,forigsize=1,flags=1,mode=%u,fd=3",
		 strlen(path), mode);
	line(b, upid, 0, text);
	snprintf(text, sizeof(text), "FN|%s", path);
	line(b, upid, 0, text);
	line(b, upid, 0, "FO|x");
	if (!file)
		return;
	snprintf(text, sizeof(text), "OpenFile|%s", file);
	line(b, upid, 0, text);
}

static void fails(struct bytes *b, unsigned int upid, const char *path, unsigned int flags)
{
	char text[640];

	now_ns += 100;
	snprintf(text, sizeof(text), "OpenFailed|fnamesize=%zu,flags=%u", strlen(path), flags);
	line(b, upid, 0, text);
	snprintf(text, sizeof(text), "NO|%s", path);
	line(b, upid, 0, text);
	line(b, upid, 0, "Failed|error=2");
}

#define FILE_1	"dev=2049,ino=7,size=100,mtime=1700000000000000001,type=32768"
#define FILE_2	"dev=2049,ino=7,size=101,mtime=1700000000000000002,type=32768"
#define TOLD	"\"name\":\"ino\""
#define FLAGS	"\"name\":\"flags\""
#define CPU	"\"name\":\"cpu\""

/* Of each path what was told last, by any task, until it is another. */
static void steady(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	opens(&b, A, "/a", 0, FILE_1);		/* told */
	opens(&b, A, "/a", 0, FILE_1);
	opens(&b, B, "/a", 0, FILE_1);
	opens(&b, A, "/b", 0, FILE_1);		/* another path: told */
	opens(&b, A, "/a", 0, FILE_2);		/* another size: told */
	opens(&b, A, "/a", 0, FILE_2);
	opens(&b, A, "/a", 438, FILE_2);	/* another mode: told */
	opens(&b, A, "/a", 0, NULL);		/* nobody knows what it is */
	opens(&b, A, "/a", 438, FILE_2);	/* as before that */
	fails(&b, A, "/a", 256);
	opens(&b, A, "/a", 438, FILE_2);	/* a failed one in between: told */
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, TOLD), 5);
	assert_int_equal(count_lines(&c.out, "\"name\":\"mode\""), 6);
	conversion_free(&c);
}

static void steady_failed(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	fails(&b, A, "/a", 256);		/* told */
	fails(&b, A, "/a", 256);
	fails(&b, B, "/a", 256);
	fails(&b, B, "/a", 0);			/* told */
	fails(&b, B, "/a", 0);
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, FLAGS), 2);
	assert_int_equal(count_lines(&c.out, "\"name\":\"error\""), 5);
	conversion_free(&c);
}

/* Paths that are no one string of the table: nothing is told of them. */
static void steady_odd_paths(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;
	char path[600];

	(void)state;
	memset(path, 'p', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	for (unsigned int i = 0; i < 3; i++) {
		opens(&b, A, "/\xff", 0, FILE_1);	/* shown as the next one */
		opens(&b, A, "/\xef\xbf\xbd", 0, FILE_2);
		opens(&b, A, path, 0, FILE_1);
		opens(&b, A, "", 0, FILE_1);
		opens(&b, A, "mode", 0, FILE_1);	/* the name of an argument, too */
	}
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, TOLD), 3 + 1 + 3 + 3 + 1);
	conversion_free(&c);
}

/* More paths than the table has slots: who lost his is told of again. */
static void steady_recycled(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;
	char path[32];

	(void)state;
	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < 40000; i++) {
			if (i % 100 == 0)
				opens(&b, A, "/often", 0, FILE_1);
			snprintf(path, sizeof(path), "/%u", i);
			opens(&b, A, path, 0, i % 2 ? FILE_1 : FILE_2);
		}
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, TOLD), 1 + 2 * 40000);
	conversion_free(&c);
}

/* The processor is told where it is another than in the task's event before. */
static void processor(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	line(&b, A, 1, "Close|fd=3");	/* told */
	line(&b, A, 1, "Close|fd=4");
	line(&b, B, 1, "Close|fd=3");	/* told */
	line(&b, A, 2, "Close|fd=5");	/* told */
	line(&b, B, 1, "Close|fd=4");
	line(&b, A, 2, "Close|fd=6");
	line(&b, A, 2, "Exit|status=0");	/* told */
	line(&b, A, 2, "Close|fd=7");	/* told: another task of that upid */
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, CPU), 5);
	conversion_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_lines),
		cmocka_unit_test(nothing_left_as_text),
		cmocka_unit_test(versions),
		cmocka_unit_test(steady),
		cmocka_unit_test(steady_failed),
		cmocka_unit_test(steady_odd_paths),
		cmocka_unit_test(steady_recycled),
		cmocka_unit_test(processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
