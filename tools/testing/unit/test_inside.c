// SPDX-License-Identifier: GPL-2.0
/*
 * Inside the compilers: a generated build with several of them, whose time traces lie in a
 * directory with the times that the trace has: genuine ones of clang and lld (data/chrome), one
 * of crox, and faulty ones; in FXT, and from a database.
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

#include "answers/inside.h"
#include "answers/timeline_load.h"
#include "base/buf.h"
#include "common_convert.h"
#include "db/write.h"

/* The begin of clang 14's time trace, which is to be at 10.010 s of the trace. */
#define CLANG_14	1795572036084273000
#define DATE		(CLANG_14 - 10010000000)

#define NEW		577	/* O_WRONLY | O_CREAT | O_TRUNC */

static char dir[] = "/tmp/etrace-inside.XXXXXX";
static struct buf text;
static uint64_t now;	/* ns */
static bool uses;	/* whether the trace has the sizes of written files and their times */
static uint64_t last;	/* mtime of the last written file */

/* ---- a trace ---- */

static void at(unsigned int ms)
{
	now = 10000000000 + ms * 1000000ull;
}

__attribute__((format(printf, 2, 3)))
static void line(unsigned int task, const char *fmt, ...)
{
	char s[512];
	va_list ap;

	snprintf(s, sizeof(s), "%lu,0,%lu,%lu!", ((unsigned long)task << 22) + 100 + task,
		 now / 1000000000, now % 1000000000);
	now++;
	buf_adds(&text, s);
	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	buf_adds(&text, s);
	buf_addc(&text, '\n');
}

/* Run a program by its command: words separated by single spaces. */
static void runs(unsigned int task, const char *command)
{
	char words[256], path[256], *word, *save;
	unsigned int i = 0;

	strcpy(words, command);
	word = strtok_r(words, " ", &save);
	snprintf(path, sizeof(path), "/bin/%s", word);
	line(task, "New_proc|argsize=%zu,prognameisize=%zu,prognamepsize=%zu,cwdsize=4",
	     strlen(command) + 1, strlen(path), strlen(path));
	line(task, "PI|%s", path);
	line(task, "PP|%s", path);
	line(task, "CW|/src");
	for (; word; word = strtok_r(NULL, " ", &save))
		line(task, "A[%u]%s", i++, word);
	line(task, "End_of_args|");
}

static void ends(unsigned int task, int status)
{
	line(task, "Exit|status=%d", status);
}

static void forks(unsigned int task, unsigned int child)
{
	line(task, "SysClone|flags=17");
	line(task, "SchedFork|pid=%lu", ((unsigned long)child << 22) + 100 + child);
}

static void opens(unsigned int task, int fd, const char *path, int flags)
{
	line(task, "Open|fnamesize=%zu,forigsize=%zu,flags=%d,mode=0,fd=%d", strlen(path),
	     strlen(path), flags, fd);
	line(task, "FN|%s", path);
	line(task, "FO|%s", path);
}

/* Write a file with this content now. */
static void makes(const char *name, const char *content, size_t n)
{
	struct timespec times[2];
	char path[128];
	FILE *f;

	last = DATE + now;
	times[0] = times[1] = (struct timespec){ (time_t)(last / 1000000000), (long)(last % 1000000000) };
	snprintf(path, sizeof(path), "%s%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void closes(unsigned int task, int fd, size_t wrote)
{
	line(task, "Close|fd=%d", fd);
	if (!uses || !wrote)
		return;
	line(task, "CloseWrote|bytes=%zu", wrote);
	line(task, "CloseFile|size=%zu,mtime=%lu", wrote, last);
}

/* @name: the final name if it differs, or NULL */
static void writes(unsigned int task, const char *path, const char *name, const char *content, size_t n)
{
	opens(task, 3, path, NEW);
	makes(name ? name : path, content, n);
	closes(task, 3, n);
	if (!name)
		return;
	line(task, "RenameFrom|fnamesize=%zu", strlen(path));
	line(task, "RF|%s", path);
	line(task, "RenameTo|fnamesize=%zu", strlen(name));
	line(task, "RT|%s", name);
}

static void writes_text(unsigned int task, const char *path, const char *content)
{
	writes(task, path, NULL, content, strlen(content));
}

static void writes_fixture(unsigned int task, const char *path, const char *name, const char *from)
{
	struct bytes b = fixture(from);

	writes(task, path, name, b.data, b.n);
	bytes_free(&b);
}

static void removes(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", dir, name);
	assert_int_equal(unlink(path), 0);
}

static int begin(void **state)
{
	char path[64];

	(void)state;
	text.len = 0;
	uses = true;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/src", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	return 0;
}

static int leave(void **state)
{
	char command[64];

	(void)state;
	buf_free(&text);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* ---- what is shown ---- */

/* The records of an FXT file as JSON. */
static struct bytes records(const struct bytes *fxt)
{
	struct conversion c = convert("fxt-records", "json", fxt->data, fxt->n, NULL);
	struct bytes out = c.out;

	c.out = (struct bytes){ 0 };
	conversion_free(&c);
	return out;
}

/*
 * The FXT passes --check, and gives the lines back.  It shows this many slices inside compilers,
 * and for each of the strings up to NULL there is a record that contains it.
 */
static void fxt_has(size_t slices, const char *messages, ...)
{
	struct conversion c, back, same;
	struct bytes json;
	const char *what;
	va_list ap;

	c = convert("etrace", "fxt", text.s, text.len, OPTIONS({ "compiler-traces", dir }));
	assert_int_equal(c.status, 0);
	assert_fxt_clean(c.out.data, c.out.n);
	back = convert("fxt", "etrace", c.out.data, c.out.n, NULL);
	same = convert("etrace", "etrace", text.s, text.len, NULL);
	assert_int_equal(back.status, 0);
	assert_string_equal(back.out.data, same.out.data);
	json = records(&c.out);
	if (count_lines(&json, "\"event\":\"duration complete\"") < slices ||
	    count_lines(&json, "\"category\":\"inside\"") - count_lines(&json, "\"name\":\"no time trace\"") != slices)
		print_message("%s", json.data);
	assert_int_equal(count_lines(&json, "\"category\":\"inside\"") -
			 count_lines(&json, "\"name\":\"no time trace\""), slices);
	if (strcmp(c.messages.data, messages))
		fail_msg("messages: %s", c.messages.data);
	va_start(ap, messages);
	while ((what = va_arg(ap, const char *)))
		if (!has_line(&json, what))
			fail_msg("no record has %s", what);
	va_end(ap);
	bytes_free(&json);
	conversion_free(&c);
	conversion_free(&back);
	conversion_free(&same);
}

struct slices {
	struct buf text;
	uint32_t exec;
	uint64_t n;
	int64_t from, to;
	uint32_t depth;
};

static void put_slices(struct slices *t)
{
	char s[128];

	if (!t->exec)
		return;
	snprintf(s, sizeof(s), "%u: %lu slices to depth %u from %ld to %ld us\n", t->exec, t->n, t->depth,
		 t->from / 1000, t->to / 1000);
	buf_adds(&t->text, s);
}

static void on_slice(void *ctx, uint32_t exec, const struct inside_slice *s)
{
	struct slices *t = ctx;

	if (exec != t->exec) {
		assert_true(exec > t->exec);
		put_slices(t);
		t->exec = exec;
		t->n = t->depth = 0;
		t->from = s->from;
		t->to = s->to;
	}
	t->n++;
	assert_true(s->from <= s->to);
	t->from = s->from < t->from ? s->from : t->from;
	t->to = s->to > t->to ? s->to : t->to;
	t->depth = s->depth > t->depth ? s->depth : t->depth;
}

/* The same from a database: the slices of each exec, and faults. */
static void db_has(const char *expected)
{
	struct diag *diag = diag_new(NULL, "");
	struct slices got = { 0 };
	struct inside list;
	struct timeline t;
	struct opts opts;
	struct db *db = db_create(NULL, diag);
	struct in *in = in_mem(text.s, text.len, "trace");

	opts_init(&opts);
	assert_non_null(db);
	assert_true(answers_read(db, &in, 1, "etrace", &opts, diag));
	timeline_load(&t, db);
	inside_find(&t, dir, on_slice, &got, &list);
	put_slices(&got);
	for (size_t i = 0; i < list.n; i++) {
		char s[32];

		if (!list.rows[i].fault)
			continue;
		snprintf(s, sizeof(s), "%u: ", list.rows[i].exec);
		buf_adds(&got.text, s);
		if (list.rows[i].file)
			answers_file_path(db, list.rows[i].file, &got.text);
		buf_addc(&got.text, ' ');
		buf_adds(&got.text, list.rows[i].fault);
		buf_addc(&got.text, '\n');
	}
	buf_addc(&got.text, '\0');
	assert_string_equal(got.text.s, expected);
	buf_free(&got.text);
	inside_free(&list);
	timeline_free(&t);
	in_close(in);
	opts_free(&opts);
	db_close(db);
	diag_free(diag);
}

/* ---- builds ---- */

/* Two compilers at the same time, one of which uses a temporary name; a linker. */
static void test_compilers_and_linker(void **state)
{
	(void)state;
	at(0);
	runs(1, "clang++ -c -ftime-trace main.cc");
	at(150);
	runs(2, "clang++ -c -ftime-trace main.cc -o b.o");
	at(155);
	writes_fixture(1, "/src/main.json", NULL, "chrome/clang-14.json");
	ends(1, 0);
	at(300);
	writes_fixture(2, "/src/b-1f2e.json.tmp", "/src/b.json", "chrome/clang-19.json");
	ends(2, 0);
	at(440);
	runs(3, "ld.lld --time-trace main.o -o main");
	at(500);
	writes_fixture(3, "/src/main.time-trace", NULL, "chrome/lld-14.time-trace");
	ends(3, 0);
	fxt_has(103 + 131 + 14, "",
		/* at the time that its clock says, on the compiler's thread */
		"\"timestamp\":10010018000,\"thread\":{\"ref\":2,\"process\":1,\"thread\":1},\"category\":\"inside\"",
		"\"name\":\"Source\"", "\"value\":\"./point.h\"", "\"name\":\"ExecuteLinker\"", NULL);
	db_has("1: 103 slices to depth 10 from 10018 to 87200 us\n"
	       "2: 131 slices to depth 11 from 174047 to 264728 us\n"
	       "3: 14 slices to depth 4 from 449059 to 476747 us\n");
}

/* If the trace lacks a file's mtime, when it was written decides, once another file's is known. */
static void test_trace_without_mtime(void **state)
{
	(void)state;
	uses = false;
	at(0);
	runs(1, "clang++ -c -ftime-trace main.cc");
	at(155);
	writes_fixture(1, "/src/main.json", NULL, "chrome/clang-14.json");
	ends(1, 0);
	fxt_has(0, "test: /src/main.json may have been changed after the build: the trace does not say when it was written\n"
		"test: 1 time trace of compilers that cannot be shown\n",
		"\"name\":\"no time trace\"", NULL);
	db_has("1: /src/main.json may have been changed after the build: the trace does not say when it was written\n");
	uses = true;
	at(200);
	runs(2, "cat");
	writes_text(2, "/src/other", "x");
	ends(2, 0);
	fxt_has(103, "", NULL);
	db_has("1: 103 slices to depth 10 from 10018 to 87200 us\n");
}

/* rustc's profile counts for rustc, although crox makes the time trace; each thread has a track. */
static void test_rustc(void **state)
{
	(void)state;
	at(0);
	runs(1, "rustc -Z self-profile main.rs");
	at(50);
	writes_text(1, "/src/main-1.mm_profdata", "profile");
	ends(1, 0);
	at(100);
	runs(2, "crox main-1.mm_profdata");
	opens(2, 3, "/src/main-1.mm_profdata", 0);
	line(2, "Close|fd=3");
	line(2, "CloseRead|bytes=7");
	writes_text(2, "/src/chrome_profiler.json",
		    "[{\"ph\":\"X\",\"name\":\"open\",\"cat\":\"exec\",\"tid\":1,\"ts\":1,\"dur\":40000},"
		    "{\"ph\":\"X\",\"name\":\"exec\",\"tid\":1,\"ts\":2,\"dur\":40},"
		    "{\"ph\":\"X\",\"name\":\"exit\",\"tid\":2,\"ts\":3,\"dur\":40}]");
	ends(2, 0);
	fxt_has(3, "", "\"timestamp\":10000001000,\"thread\":{\"ref\":2,\"process\":1,\"thread\":1},\"category\":\"inside\",",
		"\"process\":1,\"thread\":2147422273},\"category\":\"inside\"", NULL);
	db_has("1: 3 slices to depth 2 from 1 to 40001 us\n");
}

/* A file that was changed, is damaged, or gone; files of other programs are not reported. */
static void test_faults(void **state)
{
	(void)state;
	at(0);
	runs(1, "clang -c -ftime-trace gone.c");
	writes_text(1, "/src/gone.json", "{\"traceEvents\":[]}");
	removes("/src/gone.json");
	ends(1, 0);
	runs(2, "clang -c -ftime-trace cut.c");
	writes_text(2, "/src/cut.json", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1");
	ends(2, 0);
	runs(3, "clang -c -ftime-trace cut2.c");
	writes_text(3, "/src/cut2.json", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"},");
	ends(3, 0);
	runs(4, "clang -c -ftime-trace changed.c");
	writes_text(4, "/src/changed.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"}]");
	ends(4, 0);
	runs(5, "cmake .");
	writes_text(5, "/src/CMakePresets.json", "{\"version\":1}");
	writes_text(5, "/src/removed.json", "{}");
	removes("/src/removed.json");
	ends(5, 0);
	/* changed while the compiler ran, but after it had written the file */
	runs(6, "clang -c -ftime-trace again.c");
	writes_text(6, "/src/again.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"}]");
	makes("/src/again.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"ab\"}]", 40);
	line(6, "Close|fd=4");
	ends(6, 0);
	at(500);
	makes("/src/changed.json", "[{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"a\"}]", 39);
	fxt_has(0, "test: /src/gone.json no longer exists; /src/cut2.json is a damaged time trace; "
		"/src/changed.json was changed after the build; ...\n"
		"test: 5 time traces of compilers that cannot be shown\n",
		"\"name\":\"fault\"", "\"value\":\"clang cut.c\"", NULL);
	db_has("1: /src/gone.json no longer exists\n"
	       "3: /src/cut2.json is a damaged time trace\n"
	       "4: /src/changed.json was changed after the build\n"
	       "6: /src/again.json was changed after the build\n"
	       "2:  should have written a time trace, but left none\n");
}

/* Compilers that need not leave one: one only links, one failed, one has a child that did. */
static void test_missing_time_traces(void **state)
{
	(void)state;
	at(0);
	runs(1, "clang -ftime-trace a.o -o a");
	ends(1, 0);
	runs(2, "clang -c -ftime-trace bad.c");
	ends(2, 1);
	runs(3, "clang -ftime-trace two.c -o two");
	forks(3, 4);
	runs(4, "clang -cc1 -ftime-trace two.c");
	writes_text(4, "/src/two.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"}]");
	ends(4, 0);
	ends(3, 0);
	runs(9, "clang -ftime-trace four.c -o four");
	forks(9, 10);
	runs(10, "clang @/tmp/four.rsp");
	writes_text(10, "/src/four.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"}]");
	ends(10, 0);
	ends(9, 0);
	runs(5, "gcc -c other.c");
	ends(5, 0);
	runs(6, "make CFLAGS=-ftime-trace");
	ends(6, 0);
	fxt_has(2, "", NULL);
	runs(7, "clang -ftime-trace=/x three.c -o three");
	forks(7, 8);
	runs(8, "clang -cc1 -ftime-trace=/x/three three.c");
	ends(8, 0);
	ends(7, 0);
	fxt_has(2, "test: clang three.c should have written a time trace, but left none\n"
		"test: 1 time trace of compilers that cannot be shown\n", NULL);
}

/* Without the option, no file is looked at, and nothing is reported. */
static void test_option_not_given(void **state)
{
	struct conversion c;
	struct bytes json;

	(void)state;
	at(0);
	runs(1, "clang++ -c -ftime-trace main.cc");
	ends(1, 0);
	c = convert("etrace", "fxt", text.s, text.len, NULL);
	json = records(&c.out);
	assert_false(has_line(&json, "inside"));
	assert_int_equal(c.messages.n, 0);
	bytes_free(&json);
	conversion_free(&c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_compilers_and_linker), TEST(test_trace_without_mtime), TEST(test_rustc),
		TEST(test_faults),
		TEST(test_missing_time_traces), TEST(test_option_not_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
