// SPDX-License-Identifier: GPL-2.0
/*
 * The progress line: what is running, the slowest program, the last one that ended; and how it
 * fits the terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/screen.h"
#include "record/notable.h"

#define S		1000000000ull
#define CLONE_THREAD	0x10000

/* ---- events ---- */

static struct notable *notable;

static struct et_event *event(enum et_kind kind, uint64_t upid, double at)
{
	static struct et_event ev;

	et_fini(&ev);
	et_init(&ev);
	et_reset(&ev, kind, upid, 0, (uint64_t)(at * 1e9));
	return &ev;
}

static void clones(uint64_t upid, uint64_t child, int64_t flags, double at)
{
	struct et_event *ev = event(ET_K_CLONE, upid, at);

	et_set(ev, ET_V_CLONE_child, (int64_t)child);
	et_set(ev, ET_V_CLONE_flags, flags);
	notable_event(notable, ev);
}

/* @args: words, separated by spaces */
static void execs(uint64_t upid, const char *path, const char *args, double at)
{
	struct et_event *ev = event(ET_K_EXEC, upid, at);

	et_add_string(ev, ET_S_EXEC_path, path, strlen(path));
	while (*args) {
		size_t n = strcspn(args, " ");

		et_add_arg(ev, args, n);
		args += n + (args[n] == ' ');
	}
	notable_event(notable, ev);
}

static void exits(uint64_t upid, double at)
{
	notable_event(notable, event(ET_K_EXIT, upid, at));
}

static int begin(void **state)
{
	(void)state;
	notable = notable_new(22);
	notable_follow(notable);
	return 0;
}

static int end(void **state)
{
	(void)state;
	notable_free(notable);
	et_fini(event(ET_K_EXIT, 1, 0));
	return 0;
}

/* ---- what is running ---- */

static void program(const struct live_program *p, const char *label, double s)
{
	if (!label) {
		assert_null(p->label);
		return;
	}
	assert_non_null(p->label);
	assert_int_equal(p->len, strlen(label));
	assert_memory_equal(p->label, label, p->len);
	assert_true((double)p->ns > s * 1e9 - 1000 && (double)p->ns < s * 1e9 + 1000);
}

static void look(double at, uint64_t running, const char *slowest, double slow,
		 const char *last, double took)
{
	struct live_now now;

	notable_live(notable, (uint64_t)(at * 1e9), &now);
	assert_int_equal(now.running, running);
	program(&now.slowest, slowest, slow);
	program(&now.last, last, took);
}

static void test_running_build(void **state)
{
	(void)state;
	look(0, 0, NULL, 0, NULL, 0);
	execs(1, "/usr/bin/make", "make all", 1);
	look(3, 1, "make all", 2, NULL, 0);
	/* a process that waits for its children is not running */
	clones(1, 2, 0, 3);
	look(3.5, 1, "make", 0.5, NULL, 0);
	execs(2, "/usr/bin/gcc", "gcc -c a.c", 4);
	clones(2, 3, 0, 5);
	execs(3, "/usr/lib/gcc/cc1", "cc1 -quiet a.c", 6);
	clones(1, 4, 0, 6);
	execs(4, "/usr/bin/gcc", "gcc -c b.c", 7);
	look(9, 2, "cc1 a.c", 3, NULL, 0);
	clones(4, 5, 0, 8);
	execs(5, "/usr/lib/gcc/cc1", "cc1 -quiet b.c", 8);
	look(9, 2, "cc1 a.c", 3, NULL, 0);
	exits(3, 10);
	/* gcc is running again from then on */
	look(11, 2, "cc1 b.c", 3, "cc1 a.c", 4);
	clones(2, 6, 0, 11);
	execs(6, "/usr/bin/as", "as -o a.o x.s", 11);
	exits(6, 12);
	look(12, 2, "cc1 b.c", 4, "as a.o", 1);
	/* a program that only ran others is not shown as the last one */
	exits(2, 13);
	exits(5, 13);
	exits(4, 14);
	look(16, 1, "make all", 2, "cc1 b.c", 5);
	exits(1, 17);
	look(17, 0, NULL, 0, "cc1 b.c", 5);
}

static void test_threads_of_programs(void **state)
{
	(void)state;
	execs(1, "/usr/bin/ninja", "ninja", 1);
	clones(1, 2, CLONE_THREAD, 2);
	/* threads are not programs */
	look(3, 1, "ninja", 2, NULL, 0);
	/* while a thread has a child, its process counts as waiting for it */
	clones(2, 3, 0, 4);
	execs(3, "/usr/bin/ld", "ld -o prog", 5);
	look(6, 1, "ld prog", 1, NULL, 0);
	exits(2, 7);
	look(8, 1, "ld prog", 3, NULL, 0);
	exits(3, 9);
	look(10, 1, "ninja", 1, "ld prog", 4);
	exits(1, 11);
	look(11, 0, NULL, 0, "ld prog", 4);
}

static void test_subshells_and_exec(void **state)
{
	(void)state;
	execs(1, "/bin/sh", "sh -c cc", 1);
	clones(1, 2, 0, 2);
	exits(2, 3);
	/* a subshell is no program of its own */
	look(4, 1, "sh cc", 1, NULL, 0);
	/* an execve starts no further program */
	execs(1, "/usr/bin/cp", "cp a b", 5);
	look(6, 1, "cp b", 1, NULL, 0);
	exits(1, 7);
	look(8, 0, NULL, 0, "cp b", 2);
	/* many programs, without arguments or with just a name */
	for (uint64_t i = 10; i < 600; i++) {
		clones(1000, i, 0, 9);
		execs(i, "/usr/bin/true", i % 2 ? "" : "true", 9 + (double)i);
	}
	look(20, 590, "true", 1, "cp b", 2);
}

/* ---- the line ---- */

static const struct live_now usual = {
	.running = 4,
	.slowest = { "cc1 quotearg.c", 14, 3250000000 },
	.last = { "as vasnprintf.o", 15, 100000000 },
};
static const struct live_counts counts = {
	.ns = 72 * S, .processes_now = 23, .processes = 1204, .events = 1234567,
	.bytes = 12300000, .lost = 0,
};

static void line(const struct live_now *now, const struct live_counts *c, unsigned int cols,
		 const char *want)
{
	struct buf b = { 0 };

	live_line(&b, now, c, cols, false);
	buf_addc(&b, 0);
	assert_string_equal(b.s, want);
	buf_free(&b);
}

static void test_progress_line(void **state)
{
	struct live_counts lost = counts;
	struct live_now alone = { 0 };

	(void)state;
	line(&usual, &counts, 200, "etrace: 1:12  4 running  slowest cc1 quotearg.c 3.2 s"
	     "  last as vasnprintf.o  processes 23 now, 1,204 in all  1,234,567 events  12.3 MB"
	     "  lost 0");
	line(&usual, &counts, 120, "etrace: 1:12  4 running  slowest cc1 quotearg.c 3.2 s"
	     "  last as vasnprintf.o  processes 23 now, 1,204 in all  lost 0");
	line(&usual, &counts, 79, "etrace: 1:12  4 running  slowest cc1 quotearg.c 3.2 s"
	     "  last as vasnprintf.o");
	line(&usual, &counts, 60, "etrace: 1:12  4 running  slowest cc1 quotearg 3.2 s");
	line(&usual, &counts, 40, "etrace: 1:12  4 running");
	line(&usual, &counts, 20, "etrace: 1:12  4 runn");
	line(&usual, &counts, 0, "");
	lost.lost = 7;
	line(&usual, &lost, 40, "etrace: 1:12  4 running  lost 7");
	line(&alone, &counts, 50, "etrace: 1:12  0 running  lost 0");
}

/* With any name of a program, and any width of the terminal. */
static void test_progress_line_fits(void **state)
{
	struct live_now now = usual;
	struct live_counts c = counts;

	(void)state;
	now.slowest = (struct live_program){ "cc1 a\033[2J\n\x9b.c", 13, 61 * S };
	now.last.label = NULL;
	line(&now, &c, 65, "etrace: 1:12  4 running  slowest cc1 a?[2J??.c 1:01  lost 0");
	now.slowest.label = "cc1 abcdefghijklmnopqrstuvwxyz.c";
	now.slowest.len = 32;
	line(&now, &c, 70, "etrace: 1:12  4 running  slowest cc1 abcdefghij 1:01  lost 0");
	for (unsigned int cols = 0; cols < 250; cols++) {
		struct buf b = { 0 };

		live_line(&b, &now, &c, cols, true);
		assert_true(b.len <= cols);
		buf_free(&b);
	}
}

static void shown(const char *s, size_t len, unsigned int cols, bool utf8, const char *want,
		  unsigned int taken)
{
	struct buf b = { 0 };

	assert_int_equal(screen_add(&b, s, len, cols, utf8), taken);
	buf_addc(&b, 0);
	assert_string_equal(b.s, want);
	buf_free(&b);
}

static void test_screen_content(void **state)
{
	(void)state;
	shown("", 0, 10, true, "", 0);
	shown("abc", 3, 2, true, "ab", 2);
	shown("a\0b\x7f", 4, 9, true, "a?b?", 4);
	/* characters are not split; wide ones take two columns */
	shown("h\u00e9llo", 6, 2, true, "h\u00e9", 2);
	shown("h\u00e9llo", 6, 9, false, "h?llo", 5);
	shown("\u65e5\u672c", 6, 3, true, "\u65e5", 2);
	shown("\u65e5\u672c", 6, 4, true, "\u65e5\u672c", 4);
	/* a C1 control, a bidirectional control, half a character */
	shown("\xc2\x9bm", 3, 9, true, "?m", 2);
	shown("a\u202eb", 5, 9, true, "a?b", 3);
	shown("\xe6\x97", 2, 9, true, "??", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_running_build, begin, end),
		cmocka_unit_test_setup_teardown(test_threads_of_programs, begin, end),
		cmocka_unit_test_setup_teardown(test_subshells_and_exec, begin, end),
		cmocka_unit_test(test_progress_line),
		cmocka_unit_test(test_progress_line_fits),
		cmocka_unit_test(test_screen_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
