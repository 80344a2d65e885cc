// SPDX-License-Identifier: GPL-2.0
/* The view of a running build: its model, and what is drawn. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/container.h"
#include "base/text_num.h"
#include "base/utf8.h"
#include "show/top_screen.h"

#define S		1000000000ull
#define WRONLY		1

static struct top_model *m;

/* ---- events ---- */

static struct et_event *event(enum et_kind kind, uint64_t upid, double at)
{
	static struct et_event ev;

	et_fini(&ev);
	et_init(&ev);
	et_reset(&ev, kind, upid, 0, (uint64_t)(at * 1e9));
	return &ev;
}

static void clones(uint64_t upid, uint64_t child, double at)
{
	struct et_event *ev = event(ET_K_CLONE, upid, at);

	et_set(ev, ET_V_CLONE_child, (int64_t)child);
	top_model_event(m, ev);
}

/* @args: words separated by blanks */
static void execs(uint64_t upid, const char *path, const char *args, double at)
{
	struct et_event *ev = event(ET_K_EXEC, upid, at);

	et_add_string(ev, ET_S_EXEC_path, path, strlen(path));
	et_add_string(ev, ET_S_EXEC_cwd, "/src", 4);
	while (*args) {
		size_t n = strcspn(args, " ");

		et_add_arg(ev, args, n);
		args += n + (args[n] == ' ');
	}
	top_model_event(m, ev);
}

static void starts(uint64_t parent, uint64_t upid, const char *path, const char *args, double at)
{
	clones(parent, upid, at);
	execs(upid, path, args, at);
}

static void opens(uint64_t upid, const char *name, unsigned int flags, double at)
{
	struct et_event *ev = event(ET_K_OPEN, upid, at);

	et_add_string(ev, ET_S_OPEN_name, name, strlen(name));
	et_set(ev, ET_V_OPEN_flags, flags);
	et_set(ev, ET_V_OPEN_fd, 3);
	et_set(ev, ET_V_OPEN_mode, 0);
	top_model_event(m, ev);
}

static void ends(uint64_t upid, int status, int signal, double at)
{
	struct et_event *ev = event(ET_K_EXIT, upid, at);

	et_set(ev, ET_V_EXIT_status, status);
	if (signal)
		et_set(ev, ET_V_EXIT_signal, signal);
	et_set(ev, ET_V_EXIT_utime, 100000000);
	et_set(ev, ET_V_EXIT_maxrss, (int64_t)(upid << 20));
	top_model_event(m, ev);
}

static int begin(void **state)
{
	(void)state;
	m = top_model_new(22);
	return 0;
}

static int end(void **state)
{
	(void)state;
	top_model_free(m);
	et_fini(event(ET_K_EXIT, 1, 0));
	return 0;
}

/* ---- drawing ---- */

static struct top_frame frame;
static struct top_view view;
static char screen[100][1200];

/* Draw a frame and keep its rows as text; check that all text is within the frame. */
static void draw(unsigned int rows, unsigned int cols, double at)
{
	top_frame_begin(&frame, rows, cols);
	top_draw(&frame, &view, m, (uint64_t)(at * 1e9));
	memset(screen, 0, sizeof(screen));
	for (unsigned int r = 0; r < rows && r < 100; r++)
		memset(screen[r], ' ', cols);
	for (size_t i = 0; i < frame.nspans; i++) {
		const struct top_span *s = &frame.span[i];

		assert_true(s->row < rows);
		assert_true(s->col + s->cols <= cols);
		/* ASCII: one column per byte */
		if (!frame.utf8) {
			assert_int_equal(s->cols, s->len);
			memcpy(screen[s->row] + s->col, frame.text.s + s->off, s->len);
		}
	}
}

static int row_with(const char *text)
{
	for (int r = 0; r < 100; r++)
		if (strstr(screen[r], text))
			return r;
	return -1;
}

static void shows(const char *text)
{
	if (row_with(text) >= 0)
		return;
	for (unsigned int r = 0; r < frame.rows && r < 100; r++)
		print_message("%s\n", screen[r]);
	fail_msg("'%s' is not on the screen", text);
}

static void shows_time(uint64_t s, const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "%s  %s", text_time(s * S), text);
	shows(line);
}

static void hides(const char *text)
{
	assert_int_equal(row_with(text), -1);
}

/* ---- running programs ---- */

static void test_running_programs(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make all", 1);
	starts(1, 2, "/usr/bin/gcc", "gcc -c a.c", 2);
	starts(2, 3, "/usr/lib/gcc/cc1", "cc1 -quiet a.c", 3);
	starts(1, 4, "/usr/lib/gcc/cc1", "cc1 -quiet b.c", 4);
	assert_int_equal(m->nrunning, 2);
	assert_int_equal(m->nwaiting, 2);
	assert_int_equal(m->running_of[WORK_COMPILE], 2);
	opens(3, "/tmp/ccX.s", WRONLY, 4.5);
	opens(4, "/src/b.s", WRONLY, 4.5);
	draw(24, 80, 6);
	shows("make all");
	shows_time(3, "cc1 a.c -> ccX.s");
	shows_time(2, "cc1 b.c -> b.s");
	assert_true(row_with("cc1 a.c") < row_with("cc1 b.c"));
	ends(3, 0, 0, 7);
	/* gcc is running again, listed after those that have been running longer */
	draw(24, 80, 8);
	shows_time(1, "gcc a.c");
	assert_true(row_with("cc1 b.c") < row_with("gcc a.c"));
	ends(4, 0, 0, 8);
	ends(2, 0, 0, 9);
	assert_int_equal(m->nrunning, 1);
	assert_int_equal(m->nended, 3);
	draw(24, 80, 9);
	/* gcc's temporary files are not outputs */
	shows("/src/b.s");
	hides("/tmp/ccX.s");
	ends(1, 0, 0, 10);
	assert_int_equal(m->nrunning + m->nwaiting, 0);
	assert_int_equal(m->running_of[WORK_COMPILE] + m->running_of[WORK_OTHER], 0);
	assert_int_equal(m->largest, 4 << 20);
}

/* ---- failures ---- */

static unsigned int shown(void)
{
	unsigned int n = 0;

	for (struct top_link *l = m->failures.next; l != &m->failures; l = l->next)
		n += top_is_shown(container_of(l, struct top_program, by_failure));
	assert_int_equal(n, m->nshown);
	return n;
}

static void test_failure_passed_on(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	starts(1, 2, "/usr/bin/gcc", "gcc -c src/a.c", 2);
	starts(2, 3, "/usr/lib/gcc/cc1", "cc1 -quiet src/a.c", 2);
	starts(1, 5, "/usr/bin/gcc", "gcc -c src/b.c", 2);
	ends(3, 1, 0, 3);
	/* shown at once */
	assert_int_equal(shown(), 1);
	ends(2, 1, 0, 3);
	assert_int_equal(shown(), 1);
	/* make terminates the others */
	ends(5, 0, SIGTERM, 4);
	assert_int_equal(shown(), 1);
	draw(24, 200, 4);
	shows("1 failure so far");
	shows("cc1 a.c: exit status 1 (gcc -c src/a.c in /src)");
	assert_true(row_with("cc1 a.c") < row_with("longest first"));
	ends(1, 2, 0, 5);
	assert_int_equal(shown(), 1);
	assert_false(top_list_empty(&m->failed));
}

static void test_ignored_failures(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	starts(1, 2, "/bin/sh", "sh -c x", 1);
	starts(2, 3, "/usr/bin/tool", "tool", 2);
	ends(3, 1, 0, 3);
	assert_int_equal(shown(), 1);
	/* "|| true" */
	ends(2, 0, 0, 4);
	assert_int_equal(shown(), 0);
	/* "-" before a command: make goes on */
	starts(1, 4, "/usr/bin/tool", "tool", 5);
	ends(4, 1, 0, 6);
	assert_int_equal(shown(), 1);
	starts(1, 5, "/usr/bin/other", "other", 7);
	assert_int_equal(shown(), 0);
	ends(5, 3, 0, 8);
	assert_int_equal(shown(), 1);
	/* make failed because of the last one, after which it started nothing */
	ends(1, 2, 0, 9);
	assert_int_equal(shown(), 1);
	draw(24, 80, 9);
	shows("other: exit status 3");
	hides("tool: exit");
}

static void test_make_keep_going(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make -j4 -k", 1);
	starts(1, 2, "/usr/bin/a", "a", 1);
	ends(2, 1, 0, 2);
	starts(1, 3, "/usr/bin/b", "b", 3);
	assert_int_equal(shown(), 1);
	ends(3, 1, 0, 4);
	starts(1, 4, "/usr/bin/c", "c", 5);
	ends(4, 0, 0, 6);
	ends(1, 2, 0, 7);
	assert_int_equal(shown(), 2);
}

static void test_status_as_an_answer(void **state)
{
	(void)state;
	execs(1, "/bin/sh", "sh build.sh", 1);
	/* a nonzero status as an answer, as long as it makes nobody fail */
	starts(1, 2, "/usr/bin/grep", "grep -q x y", 1);
	ends(2, 1, 0, 2);
	assert_int_equal(shown(), 0);
	/* failing checks of configure */
	starts(1, 3, "/bin/sh", "sh ./configure", 3);
	starts(3, 4, "/usr/bin/gcc", "gcc conftest.c", 4);
	starts(4, 5, "/usr/lib/gcc/cc1", "cc1 conftest.c", 4);
	ends(5, 1, 0, 5);
	ends(4, 1, 0, 5);
	assert_int_equal(shown(), 0);
	ends(3, 0, 0, 6);
	assert_int_equal(shown(), 0);
	/* but not those of programs run by cmake --build */
	starts(1, 8, "/usr/bin/cmake", "cmake --build .", 6);
	starts(8, 9, "/usr/bin/tool", "tool", 6);
	ends(9, 1, 0, 6);
	assert_int_equal(shown(), 1);
	ends(8, 0, 0, 6);
	/* a test that makes its parent fail is a failure */
	starts(1, 6, "/bin/sh", "sh check", 7);
	starts(6, 7, "/usr/bin/cmp", "cmp a b", 7);
	ends(7, 1, 0, 8);
	assert_int_equal(shown(), 0);
	ends(6, 1, 0, 8);
	assert_int_equal(shown(), 1);
	ends(1, 1, 0, 9);
	assert_int_equal(shown(), 1);
	draw(24, 80, 9);
	shows("cmp: exit status 1 (cmp a b in /src)");
}

/* If the parent ends first, nobody sees the status. */
static void test_orphans_do_not_fail(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	starts(1, 2, "/bin/sh", "sh -c x", 1);
	starts(2, 3, "/usr/bin/daemon", "daemon", 2);
	ends(2, 0, 0, 3);
	ends(3, 1, 0, 4);
	assert_int_equal(shown(), 0);
	ends(1, 0, 0, 5);
	assert_int_equal(shown(), 0);
}

/* ---- bounds ---- */

static void test_cost_of_many_programs(void **state)
{
	const unsigned int n = 20000;
	uint64_t few, many;

	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	for (unsigned int i = 0; i < 30; i++)
		starts(1, 100 + i, "/usr/lib/gcc/cc1", "cc1 x.c", 2);
	draw(50, 200, 3);
	few = frame.looked;
	for (unsigned int i = 30; i < n; i++)
		starts(1, 100 + i, "/usr/lib/gcc/cc1", "cc1 x.c", 2);
	draw(50, 200, 3);
	many = frame.looked;
	/* drawing looks only at what it shows */
	assert_true(many <= few + 50);
	assert_int_equal(m->nrunning, n);
	for (unsigned int i = 0; i < n; i++)
		ends(100 + i, i % 2, 0, 4);
	assert_int_equal(m->nrunning, 1);
	assert_true(m->nkept <= TOP_ENDED + TOP_FAILURES);
	assert_int_equal(m->nkept + m->nforgotten, n);
	assert_int_equal(m->nfailures, TOP_FAILURES);
	assert_int_equal(m->nfailures + m->nover, n / 2);
	draw(50, 200, 4);
	assert_true(frame.looked <= TOP_FAILURES + 100);
	shows("10,000 failures so far");
}

/* ---- search, pages, keys ---- */

static void press(const char *keys)
{
	for (; *keys; keys++)
		assert_true(top_press(&view, m, (unsigned char)*keys));
}

static void test_search(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	starts(1, 2, "/usr/lib/gcc/cc1", "cc1 parse.c", 2);
	starts(1, 3, "/usr/lib/gcc/cc1", "cc1 scan.c", 2);
	ends(2, 0, 0, 3);
	press("/parse");
	top_press(&view, m, TOP_KEY_ENTER);
	draw(24, 80, 4);
	shows("1 program with \"parse\"");
	shows("cc1 parse.c");
	hides("cc1 scan.c");
	/* programs that start later are found, too */
	starts(1, 4, "/usr/bin/as", "as -o parse.o", 5);
	draw(24, 80, 5);
	shows("2 programs with \"parse\"");
	top_press(&view, m, TOP_KEY_ESCAPE);
	draw(24, 80, 5);
	shows("cc1 scan.c");
	assert_int_equal(m->nfound, 0);
}

static void test_page_of_a_program(void **state)
{
	(void)state;
	execs(1, "/usr/bin/make", "make", 1);
	starts(1, 2, "/usr/lib/gcc/cc1", "cc1 -quiet a'b.c -o a.s", 2);
	opens(2, "/src/a.h", 0, 3);
	opens(2, "/src/a.s", WRONLY, 3);
	ends(2, 4, 0, 5);
	draw(24, 80, 6);
	top_press(&view, m, TOP_KEY_DOWN);
	draw(24, 80, 6);
	assert_int_equal(view.selected, 2);
	top_press(&view, m, TOP_KEY_ENTER);
	draw(24, 80, 6);
	shows("exit status 4");
	shows("directory    /src");
	shows("cc1 -quiet $'a\\'b.c' -o a.s");
	shows("read     /src/a.h");
	shows("written  /src/a.s");
	shows("started by   make");
	top_press(&view, m, TOP_KEY_ESCAPE);
	press("?");
	draw(24, 80, 6);
	shows("this help");
	press("?");
	assert_false(top_press(&view, m, 'q'));
}

/* At any size, drawing stays within the screen, and is ASCII unless UTF-8 is enabled. */
static void test_any_screen_size(void **state)
{
	(void)state;
	test_failure_passed_on(state);
	execs(9, "/usr/bin/x", "x \xc3\xa4\x1b[2J\xff", 6);
	top_view_free(&view);
	view = (struct top_view){ 0 };
	for (unsigned int rows = 1; rows < 60; rows += 3)
		for (unsigned int cols = 1; cols < 210; cols += 7)
			for (unsigned int v = TOP_MAIN; v <= TOP_HELP; v++) {
				view.shown = v;
				view.program = 3;
				draw(rows, cols, 7);
				for (size_t i = 0; i < frame.text.len; i++)
					assert_true(frame.text.s[i] >= ' ' && frame.text.s[i] < 0x7f);
			}
	view.shown = TOP_MAIN;
	frame.utf8 = true;
	draw(50, 200, 7);
	assert_true(utf8_valid(frame.text.s, frame.text.len));
	frame.utf8 = false;
}

int main(void)
{
#define WITH(t) cmocka_unit_test_setup_teardown(t, begin, end)
	const struct CMUnitTest tests[] = {
		WITH(test_running_programs), WITH(test_failure_passed_on),
		WITH(test_ignored_failures), WITH(test_make_keep_going),
		WITH(test_status_as_an_answer), WITH(test_orphans_do_not_fail),
		WITH(test_cost_of_many_programs), WITH(test_search),
		WITH(test_page_of_a_program), WITH(test_any_screen_size),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	top_frame_free(&frame);
	top_view_free(&view);
	return failed;
}
