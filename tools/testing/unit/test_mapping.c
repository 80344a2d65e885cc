// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping between events and FXT beyond what test_golden.c covers: files of older
 * versions of the mapping, and what the mapping leaves out.
 *
 * Old files in data/mapping must still convert to the same events. Version 1 wrote errors and
 * marks as lines outside the format and signals as numbers; it made v1.fxt from
 * data/rec/trace and v1-marks.fxt from data/etrace/first.trace. Version 2 left nothing out;
 * it made v2.fxt from v2.trace.
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

static void line_output_of_old_files(void **state)
{
	(void)state;
	same("mapping/v2.fxt", "mapping/v2.trace", "etrace");
	same("mapping/v1.fxt", "rec/trace", "etrace");
	same("mapping/v1-marks.fxt", "etrace/first.trace", "etrace");
}

/* In the new file errors, marks and signals have types. */
static void new_files_have_typed_values(void **state)
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

/* The mapping version that a file declares. */
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

static void versions_of_the_mapping(void **state)
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

/* Lines to FXT; check that it converts back to the same lines. Return: its records as JSON. */
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

/* An open of @path; @file: the rest of its OpenFile line, NULL if it has none. */
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
#define FILE_DATA	"\"name\":\"ino\""
#define FLAGS	"\"name\":\"flags\""
#define CPU	"\"name\":\"cpu\""

/* A path's file data is recorded only when it differs from the last one recorded, by any task. */
static void unchanged_file_data_left_out(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	opens(&b, A, "/a", 0, FILE_1);		/* recorded */
	opens(&b, A, "/a", 0, FILE_1);
	opens(&b, B, "/a", 0, FILE_1);
	opens(&b, A, "/b", 0, FILE_1);		/* another path: recorded */
	opens(&b, A, "/a", 0, FILE_2);		/* another size: recorded */
	opens(&b, A, "/a", 0, FILE_2);
	opens(&b, A, "/a", 438, FILE_2);	/* another mode: recorded */
	opens(&b, A, "/a", 0, NULL);		/* file data unknown */
	opens(&b, A, "/a", 438, FILE_2);	/* same as the last known */
	fails(&b, A, "/a", 256);
	opens(&b, A, "/a", 438, FILE_2);	/* after a failed open: recorded */
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, FILE_DATA), 5);
	assert_int_equal(count_lines(&c.out, "\"name\":\"mode\""), 6);
	conversion_free(&c);
}

static void file_data_after_failed_calls(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	fails(&b, A, "/a", 256);		/* recorded */
	fails(&b, A, "/a", 256);
	fails(&b, B, "/a", 256);
	fails(&b, B, "/a", 0);			/* recorded */
	fails(&b, B, "/a", 0);
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, FLAGS), 2);
	assert_int_equal(count_lines(&c.out, "\"name\":\"error\""), 5);
	conversion_free(&c);
}

/* Paths that are not a single string of the table: nothing is left out. */
static void file_data_of_odd_paths(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;
	char path[600];

	(void)state;
	memset(path, 'p', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	for (unsigned int i = 0; i < 3; i++) {
		opens(&b, A, "/\xff", 0, FILE_1);	/* displayed like the next path */
		opens(&b, A, "/\xef\xbf\xbd", 0, FILE_2);
		opens(&b, A, path, 0, FILE_1);
		opens(&b, A, "", 0, FILE_1);
		opens(&b, A, "mode", 0, FILE_1);	/* also the name of an argument */
	}
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, FILE_DATA), 3 + 1 + 3 + 3 + 1);
	conversion_free(&c);
}

/* More paths than the table has slots: a path that lost its slot is recorded again. */
static void file_data_beyond_the_table(void **state)
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
	assert_int_equal(count_lines(&c.out, FILE_DATA), 1 + 2 * 40000);
	conversion_free(&c);
}

/* The CPU is recorded when it differs from that of the task's previous event. */
static void cpu_recorded_on_change(void **state)
{
	struct bytes b = { 0 };
	struct conversion c;

	(void)state;
	line(&b, A, 1, "Close|fd=3");	/* recorded */
	line(&b, A, 1, "Close|fd=4");
	line(&b, B, 1, "Close|fd=3");	/* recorded */
	line(&b, A, 2, "Close|fd=5");	/* recorded */
	line(&b, B, 1, "Close|fd=4");
	line(&b, A, 2, "Close|fd=6");
	line(&b, A, 2, "Exit|status=0");	/* recorded */
	line(&b, A, 2, "Close|fd=7");	/* recorded: another task with this upid */
	c = records_of(&b);
	assert_int_equal(count_lines(&c.out, CPU), 5);
	conversion_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_output_of_old_files),
		cmocka_unit_test(new_files_have_typed_values),
		cmocka_unit_test(versions_of_the_mapping),
		cmocka_unit_test(unchanged_file_data_left_out),
		cmocka_unit_test(file_data_after_failed_calls),
		cmocka_unit_test(file_data_of_odd_paths),
		cmocka_unit_test(file_data_beyond_the_table),
		cmocka_unit_test(cpu_recorded_on_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
