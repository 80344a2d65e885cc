// SPDX-License-Identifier: GPL-2.0
/*
 * Reading traces from other programs with etrace.h: each function, which members an event
 * has, tasks, damage, and files that cannot be read.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_convert.h"
#include "include/etrace.h"

/* ---- files ---- */

static char dir[] = "/tmp/test_api.XXXXXX";
static char paths[8][64];
static unsigned int npaths;

static const char *file_of(const void *data, size_t n)
{
	char *path = paths[npaths % 8];
	FILE *f;

	snprintf(path, sizeof(paths[0]), "%s/%u", dir, npaths++ % 8);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

static const char *text_file(const char *text)
{
	return file_of(text, strlen(text));
}

static const char *fixture_path(const char *name)
{
	static char path[4096];
	const char *data = getenv("ETRACE_DATA");

	snprintf(path, sizeof(path), "%s/%s", data ? data : "data", name);
	return path;
}

static struct etrace *open_one(const char *path)
{
	struct etrace *t;

	assert_int_equal(etrace_open(&path, 1, &t), 0);
	assert_non_null(t);
	return t;
}

static int open_error(const char *path)
{
	struct etrace *t = (struct etrace *)dir;
	int err = etrace_open(&path, 1, &t);

	assert_null(t);
	return err;
}

static const struct etrace_event *next(struct etrace *t, unsigned int kind)
{
	const struct etrace_event *ev;

	assert_int_equal(etrace_next(t, &ev), 1);
	assert_non_null(ev);
	assert_int_equal(etrace_event_kind(ev), kind);
	return ev;
}

static void assert_end(struct etrace *t)
{
	const struct etrace_event *ev = (const struct etrace_event *)dir;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(etrace_next(t, &ev), 0);
		assert_null(ev);
	}
}

static int64_t value(const struct etrace_event *ev, unsigned int i)
{
	int64_t v = 0;

	assert_int_equal(etrace_event_value(ev, i, &v), 1);
	return v;
}

static void assert_text(const char *s, size_t len, const char *want, size_t n)
{
	assert_non_null(s);
	assert_int_equal(len, n);
	assert_memory_equal(s, want, n + 1);
}

static void assert_string(const struct etrace_event *ev, unsigned int i, const char *want)
{
	size_t len = 99;
	const char *s = etrace_event_string(ev, i, &len);

	assert_text(s, len, want, strlen(want));
	assert_ptr_equal(etrace_event_string(ev, i, NULL), s);
}

/* ---- the schema ---- */

/* Values compiled into programs: none of these may ever change. */
_Static_assert(ETRACE_ARGS == 7 && ETRACE_K_NONE == 0 && ETRACE_K_EXEC == 1 &&
	       ETRACE_K_CLONE == 2 && ETRACE_K_EXIT == 3 && ETRACE_K_OPEN == 4 &&
	       ETRACE_K_CLOSE == 5 && ETRACE_K_DUP == 6 && ETRACE_K_PIPE == 7 &&
	       ETRACE_K_RENAME == 8 && ETRACE_K_LINK == 9 && ETRACE_K_SYMLINK == 10 &&
	       ETRACE_K_MOUNT == 11 && ETRACE_K_UMOUNT == 12 && ETRACE_K_COMM == 13 &&
	       ETRACE_K_URING == 14 && ETRACE_K_PRESENT == 128 && ETRACE_K_SESSION == 129 &&
	       ETRACE_K_FRAGMENT == 130 && ETRACE_K_LOST == 131, "kinds");
_Static_assert(ETRACE_V_CLONE_flags == 0 && ETRACE_V_CLONE_child == 1 &&
	       ETRACE_V_EXIT_status == 0 && ETRACE_V_EXIT_signal == 1 &&
	       ETRACE_V_EXIT_core == 2 && ETRACE_V_OPEN_flags == 0 && ETRACE_V_OPEN_mode == 1 &&
	       ETRACE_V_OPEN_fd == 2 && ETRACE_V_CLOSE_fd == 0 && ETRACE_V_DUP_oldfd == 0 &&
	       ETRACE_V_DUP_newfd == 1 && ETRACE_V_DUP_flags == 2 && ETRACE_V_PIPE_fd1 == 0 &&
	       ETRACE_V_PIPE_fd2 == 1 && ETRACE_V_PIPE_flags == 2 && ETRACE_V_RENAME_flags == 0 &&
	       ETRACE_V_LINK_flags == 0 && ETRACE_V_MOUNT_flags == 0 &&
	       ETRACE_V_UMOUNT_flags == 0 && ETRACE_V_COMM_target == 0 &&
	       ETRACE_V_URING_fd == 0 && ETRACE_V_PRESENT_process == 0 &&
	       ETRACE_V_PRESENT_parent == 1 && ETRACE_V_SESSION_complete == 0 &&
	       ETRACE_V_SESSION_status == 1 && ETRACE_V_SESSION_records == 2 &&
	       ETRACE_V_SESSION_arrived == 3 && ETRACE_V_SESSION_lost == 4 &&
	       ETRACE_V_SESSION_realtime == 5 &&
	       ETRACE_V_LOST_count == 0 && ETRACE_V_LOST_since == 1, "values");
_Static_assert(ETRACE_S_EXEC_interp == 0 && ETRACE_S_EXEC_path == 1 && ETRACE_S_EXEC_cwd == 2 &&
	       ETRACE_S_EXEC_args == 7 && ETRACE_S_OPEN_name == 0 && ETRACE_S_OPEN_orig == 1 &&
	       ETRACE_S_RENAME_from == 0 && ETRACE_S_RENAME_to == 1 && ETRACE_S_LINK_from == 0 &&
	       ETRACE_S_LINK_to == 1 && ETRACE_S_SYMLINK_target == 0 &&
	       ETRACE_S_SYMLINK_resolved == 1 && ETRACE_S_SYMLINK_link == 2 &&
	       ETRACE_S_MOUNT_source == 0 && ETRACE_S_MOUNT_target == 1 &&
	       ETRACE_S_MOUNT_type == 2 && ETRACE_S_UMOUNT_target == 0 &&
	       ETRACE_S_COMM_comm == 0 && ETRACE_S_PRESENT_comm == 0 &&
	       ETRACE_S_PRESENT_path == 1 && ETRACE_S_PRESENT_cwd == 2 &&
	       ETRACE_S_PRESENT_arguments == 3 && ETRACE_S_SESSION_backend == 0 &&
	       ETRACE_S_SESSION_command == 1 && ETRACE_S_SESSION_verdict == 2 &&
	       ETRACE_S_SESSION_host == 3 && ETRACE_S_SESSION_kernel == 4 &&
	       ETRACE_S_SESSION_env == 5 &&
	       ETRACE_S_FRAGMENT_target == 0, "strings");

static void events_match_the_schema(void **state)
{
	char name[32];

	(void)state;
	assert_true(strlen(etrace_version()) >= 3);
	assert_string_equal(etrace_kind_name(ETRACE_K_OPEN), "open");
	assert_string_equal(etrace_kind_category(ETRACE_K_OPEN), "file");
	assert_string_equal(etrace_kind_doc(ETRACE_K_OPEN), "a file is opened");
	assert_string_equal(etrace_kind_name(ETRACE_K_LOST), "lost");
	assert_int_equal(etrace_kind_number("open"), ETRACE_K_OPEN);
	assert_int_equal(etrace_kind_number("session"), ETRACE_K_SESSION);
	assert_int_equal(etrace_kind_number("none"), -ENOENT);
	for (unsigned int k = 0; k < 1000; k++) {
		const char *s = etrace_kind_name(k);

		assert_int_equal(s != NULL, etrace_kind_doc(k) != NULL);
		assert_int_equal(s != NULL, etrace_kind_category(k) != NULL);
		if (s)
			assert_int_equal(etrace_kind_number(s), k);
	}
	assert_null(etrace_kind_name(ETRACE_K_NONE));
	assert_null(etrace_kind_name(UINT_MAX));
	assert_null(etrace_kind_category(127));
	assert_null(etrace_kind_doc(255));
	assert_string_equal(etrace_value_name(ETRACE_K_OPEN, ETRACE_V_OPEN_fd), "fd");
	assert_null(etrace_value_name(ETRACE_K_OPEN, ETRACE_V_OPEN_type + 1));
	assert_null(etrace_value_name(ETRACE_K_NONE, 0));
	assert_int_equal(etrace_value_means(ETRACE_K_OPEN, ETRACE_V_OPEN_fd), ETRACE_MEANS_FD);
	assert_int_equal(etrace_value_means(ETRACE_K_LOST, ETRACE_V_LOST_since),
			 ETRACE_MEANS_TIME);
	assert_int_equal(etrace_value_means(ETRACE_K_OPEN, ETRACE_V_OPEN_type + 1), -ENOENT);
	assert_int_equal(etrace_value_means(300, 0), -ENOENT);
	assert_string_equal(etrace_string_name(ETRACE_K_OPEN, ETRACE_S_OPEN_orig), "original");
	assert_string_equal(etrace_string_name(ETRACE_K_EXEC, ETRACE_ARGS), "argv");
	assert_null(etrace_string_name(ETRACE_K_OPEN, ETRACE_ARGS));
	assert_null(etrace_string_name(ETRACE_K_OPEN, 2));
	assert_null(etrace_string_name(999, 0));
	assert_string_equal(etrace_marking_name(ETRACE_JOINED), "joined");
	assert_string_equal(etrace_marking_name(ETRACE_OUTSIDE), "outside");
	assert_null(etrace_marking_name(ETRACE_OUTSIDE + 1));
	assert_string_equal(etrace_errno_name(ENOENT), "ENOENT");
	assert_null(etrace_errno_name(99999));
	etrace_signal_name(11, name, sizeof(name));
	assert_string_equal(name, "SIGSEGV");
	etrace_signal_name(40, name, sizeof(name));
	assert_string_equal(name, "signal 40");
}

/* ---- events ---- */

#define PARENT	4194492ull	/* 1 << 22 | 188 */
#define CHILD	8388797ull	/* 2 << 22 | 189 */
#define THREAD	12583102ull	/* 3 << 22 | 190 */

static const char session_lines[] =
	"4194492,1,4,100!New_proc|argsize=10,prognameisize=5,prognamepsize=13,cwdsize=5\n"
	"4194492,1,4,101!PI|/i/sh\n"
	"4194492,1,4,102!PP|/usr/bin/make\n"
	"4194492,1,4,103!CW|/home\n"
	"4194492,1,4,104!A[0]make\n"
	"4194492,1,4,105!A[1]-j 2\n"
	"4194492,1,4,106!End_of_args|\n"
	"4194492,0,5,7!SysClone|flags=16657\n"
	"4194492,0,5,8!SchedFork|pid=8388797\n"
	"8388797,3,5,9!Open|fnamesize=4,forigsize=1,flags=577,mode=438,fd=3\n"
	"8388797,3,5,10!FN|/a/b\n"
	"8388797,3,5,11!FO|b\n"
	"8388797,3,5,12!Marks|joined=FN,unread=,cut=FO\n"
	"8388797,3,5,20!RenameFrom|fnamesize=2\n"
	"8388797,3,5,21!RF|/x\n"
	"8388797,3,5,24!RenameFailed|\n"
	"8388797,3,5,25!Failed|error=2\n"
	"8388797,3,5,30!SysClone|flags=65536\n"
	"8388797,3,5,31!SchedFork|pid=12583102\n"
	"8388797,3,5,40!Mount|sourcenamesize=1,targetnamesize=1,typenamesize=1,flags=18446744073709551615\n"
	"8388797,3,5,41!MS|s\n"
	"8388797,3,5,42!MT|t\n"
	"8388797,3,5,43!MX|x\n"
	"12583102,3,5,50!Close|fd=3\n"
	"8388797,3,6,1!Exit|status=139\n"
	"8388797,3,6,2!ExitSignal|signal=11,core=1\n"
	"4194492,0,6,9!Close|fd=0\n";

static void check_exec(struct etrace *t)
{
	const struct etrace_event *ev = next(t, ETRACE_K_EXEC);
	const char *arg;
	size_t len = 99;
	int64_t v = 77;

	assert_int_equal(etrace_event_upid(ev), PARENT);
	assert_int_equal(etrace_event_pid(ev), 188);
	assert_int_equal(etrace_event_cpu(ev), 1);
	assert_int_equal(etrace_event_time(ev), 4000000100ull);
	assert_string(ev, ETRACE_S_EXEC_interp, "/i/sh");
	assert_string(ev, ETRACE_S_EXEC_path, "/usr/bin/make");
	assert_string(ev, ETRACE_S_EXEC_cwd, "/home");
	assert_null(etrace_event_string(ev, 3, &len));
	assert_int_equal(len, 0);
	assert_null(etrace_event_string(ev, ETRACE_ARGS, NULL));
	assert_string_equal(etrace_event_string_named(ev, "path", &len), "/usr/bin/make");
	assert_int_equal(len, 13);
	assert_null(etrace_event_string_named(ev, "original", &len));
	assert_int_equal(etrace_event_argc(ev), 2);
	arg = etrace_event_arg(ev, 0, &len);
	assert_text(arg, len, "make", 4);
	arg = etrace_event_arg(ev, 1, &len);
	assert_text(arg, len, "-j 2", 4);
	assert_null(etrace_event_arg(ev, 2, &len));
	assert_int_equal(len, 0);
	assert_int_equal(etrace_event_value(ev, 0, &v), 0);
	assert_int_equal(etrace_event_value_named(ev, "fd", &v), 0);
	assert_int_equal(v, 77);
	assert_false(etrace_event_failed(ev) || etrace_event_errno(ev) ||
		     etrace_event_signal(ev) || etrace_event_incomplete(ev) ||
		     etrace_event_late(ev) || etrace_event_markings(ev, ETRACE_ARGS));
}

static void check_session(struct etrace *t)
{
	const struct etrace_event *ev;
	const struct etrace_task *task;
	char text[160] = "x";
	uint64_t upid = 5;
	int64_t v = 0;
	size_t len;

	check_exec(t);
	assert_null(etrace_task(t, CHILD));
	task = etrace_task(t, PARENT);
	assert_non_null(task);
	assert_int_equal(etrace_task_parent(task, &upid), 0);
	assert_int_equal(upid, 5);

	ev = next(t, ETRACE_K_CLONE);
	assert_int_equal(value(ev, ETRACE_V_CLONE_flags), 16657);
	assert_int_equal(value(ev, ETRACE_V_CLONE_child), CHILD);
	assert_int_equal(etrace_event_signal(ev), 0);
	task = etrace_task(t, CHILD);
	assert_non_null(task);
	assert_int_equal(etrace_task_upid(task), CHILD);
	assert_int_equal(etrace_task_pid(task), 189);
	assert_int_equal(etrace_task_parent(task, &upid), 1);
	assert_int_equal(upid, PARENT);
	assert_int_equal(etrace_task_process(task), CHILD);
	assert_false(etrace_task_is_thread(task));
	assert_string_equal(etrace_task_program(task, &len), "make");
	assert_int_equal(len, 4);
	assert_int_equal(etrace_task_since(task), 5000000007ull);

	ev = next(t, ETRACE_K_OPEN);
	assert_int_equal(etrace_event_cpu(ev), 3);
	assert_string(ev, ETRACE_S_OPEN_name, "/a/b");
	assert_string(ev, ETRACE_S_OPEN_orig, "b");
	assert_int_equal(value(ev, ETRACE_V_OPEN_flags), 577);
	assert_int_equal(etrace_event_value_named(ev, "mode", &v), 1);
	assert_int_equal(v, 438);
	assert_int_equal(value(ev, ETRACE_V_OPEN_fd), 3);
	assert_int_equal(etrace_event_value(ev, 3, &v), 0);
	assert_int_equal(etrace_event_value(ev, 4000000000u, &v), 0);
	assert_int_equal(etrace_event_argc(ev), 0);
	assert_int_equal(etrace_event_markings(ev, ETRACE_S_OPEN_name), 1u << ETRACE_JOINED);
	assert_int_equal(etrace_event_markings(ev, ETRACE_S_OPEN_orig), 1u << ETRACE_CUT);
	assert_int_equal(etrace_event_markings(ev, 40), 0);
	assert_int_equal(etrace_event_failed(ev), 0);

	ev = next(t, ETRACE_K_RENAME);
	assert_string(ev, ETRACE_S_RENAME_from, "/x");
	assert_null(etrace_event_string(ev, ETRACE_S_RENAME_to, NULL));
	assert_int_equal(etrace_event_value(ev, ETRACE_V_RENAME_flags, &v), 0);
	assert_int_equal(etrace_event_failed(ev), 1);
	assert_int_equal(etrace_event_errno(ev), ENOENT);
	assert_int_equal(etrace_event_finding(ev, 0, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");

	next(t, ETRACE_K_CLONE);
	task = etrace_task(t, THREAD);
	assert_non_null(task);
	assert_int_equal(etrace_task_process(task), CHILD);
	assert_true(etrace_task_is_thread(task));

	ev = next(t, ETRACE_K_MOUNT);
	assert_true((uint64_t)value(ev, ETRACE_V_MOUNT_flags) == UINT64_MAX);
	next(t, ETRACE_K_CLOSE);

	ev = next(t, ETRACE_K_EXIT);
	assert_int_equal(value(ev, ETRACE_V_EXIT_status), 139);
	assert_int_equal(etrace_event_signal(ev), 11);
	assert_int_equal(value(ev, ETRACE_V_EXIT_core), 1);
	/* the task exists until the event after its exit is read */
	assert_non_null(etrace_task(t, CHILD));
	len = 0;
	for (task = etrace_task_next(t, NULL); task; task = etrace_task_next(t, task))
		len++;
	assert_int_equal(len, 3);
	next(t, ETRACE_K_CLOSE);
	assert_null(etrace_task(t, CHILD));
	assert_non_null(etrace_task(t, THREAD));
	assert_int_equal(etrace_set_pid_bits(t, 22), -EBUSY);
	assert_end(t);
	assert_int_equal(etrace_complete(t), 1);
}

static void events_of_a_trace(void **state)
{
	struct conversion fxt;
	struct etrace *t;

	(void)state;
	t = open_one(text_file(session_lines));
	assert_string_equal(etrace_format(t), "etrace");
	assert_int_equal(etrace_set_pid_bits(t, 33), -EINVAL);
	assert_int_equal(etrace_set_pid_bits(t, 22), 0);
	assert_null(etrace_task(t, PARENT));
	assert_null(etrace_task_next(t, NULL));
	check_session(t);
	etrace_close(t);

	fxt = convert("etrace", "fxt", session_lines, strlen(session_lines), NULL);
	t = open_one(file_of(fxt.out.data, fxt.out.n));
	assert_string_equal(etrace_format(t), "fxt");
	check_session(t);
	etrace_close(t);
	conversion_free(&fxt);
	etrace_close(NULL);
}

static void assert_maybe(const struct etrace_event *ev, unsigned int i, const char *want)
{
	if (want)
		assert_string(ev, i, want);
	else
		assert_null(etrace_event_string(ev, i, NULL));
}

#define RECORDED "0,0,7,30!Session|backendsize=3,commandsize=1,verdictsize=8,"
#define COUNTS "complete=1,status=0,records=9,arrived=9,lost=0"
#define VERDICT "0,0,7,31!VB|bpf\n0,0,7,32!VC|a\n0,0,7,33!VT|complete\n"

/* Where and when the trace was recorded; older recorders do not say. */
static void session_facts(void **state)
{
	static const struct {
		const char *lines, *host, *kernel, *env;
		int64_t realtime;
	} cases[] = {
		{ RECORDED "hostsize=6,kernelsize=7," COUNTS ",realtime=1700000000123456789\n"
		  VERDICT "0,0,7,34!VH|my.box\n0,0,7,35!VK|6.1.0-\xff\n", "my.box", "6.1.0-\xff",
		  NULL, 1700000000123456789 },
		{ RECORDED "hostsize=0,kernelsize=1," COUNTS "\n"
		  VERDICT "0,0,7,34!VH|\n0,0,7,35!VK|6\n", "", "6", NULL, -1 },
		{ RECORDED "kernelsize=1," COUNTS ",realtime=0\n" VERDICT "0,0,7,34!VK|6\n",
		  NULL, "6", NULL, 0 },
		{ RECORDED "envsize=9," COUNTS "\n" VERDICT "0,0,7,34!VE|CL,CPATH,\n", NULL, NULL,
		  "CL,CPATH,", -1 },
		{ RECORDED "hostsize=1,kernelsize=1,envsize=0," COUNTS ",realtime=0\n" VERDICT
		  "0,0,7,34!VH|h\n0,0,7,35!VK|6\n0,0,7,36!VE|\n", "h", "6", "", 0 },
		{ RECORDED COUNTS "\n" VERDICT, NULL, NULL, NULL, -1 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *lines = cases[i].lines;
		struct conversion fxt = convert("etrace", "fxt", lines, strlen(lines), NULL);
		struct conversion back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);

		assert_int_equal(fxt.status | back.status, 0);
		assert_int_equal(back.out.n, strlen(lines));
		assert_memory_equal(back.out.data, lines, back.out.n);
		for (int in_fxt = 0; in_fxt < 2; in_fxt++) {
			struct etrace *t = open_one(in_fxt ? file_of(fxt.out.data, fxt.out.n) :
						    text_file(lines));
			const struct etrace_event *ev = next(t, ETRACE_K_SESSION);
			int64_t v = -1;

			assert_maybe(ev, ETRACE_S_SESSION_host, cases[i].host);
			assert_maybe(ev, ETRACE_S_SESSION_kernel, cases[i].kernel);
			assert_maybe(ev, ETRACE_S_SESSION_env, cases[i].env);
			assert_int_equal(etrace_event_value(ev, ETRACE_V_SESSION_realtime, &v),
					 cases[i].realtime >= 0);
			assert_true(v == cases[i].realtime);
			assert_int_equal(value(ev, ETRACE_V_SESSION_lost), 0);
			assert_false(etrace_event_incomplete(ev));
			assert_end(t);
			etrace_close(t);
		}
		conversion_free(&fxt);
		conversion_free(&back);
	}
	assert_int_equal(etrace_value_means(ETRACE_K_SESSION, ETRACE_V_SESSION_realtime),
			 ETRACE_MEANS_DATE);
}

/* A string with a newline and bytes that are not UTF-8; a pid of another size. */
static void odd_names_and_pids(void **state)
{
	static const char lines[] =
		"600,1,4,1!Comm|size=5\n"
		"600,1,4,2!CN|a\n"
		"600,1,4,3!Cont|b\xff!\n"
		"600,1,4,4!Cont_end|\n"
		"600,1,4,5!Close|fd=3\n"
		"600,1,4,6!Failed|error=5\n";
	const struct etrace_event *ev;
	struct etrace *t = open_one(text_file(lines));
	const char *name;
	size_t len;

	(void)state;
	assert_int_equal(etrace_set_pid_bits(t, 8), 0);
	ev = next(t, ETRACE_K_COMM);
	assert_int_equal(etrace_event_pid(ev), 600 % 256);
	name = etrace_event_string(ev, ETRACE_S_COMM_comm, &len);
	assert_text(name, len, "a\nb\xff!", 5);
	/* a kind without a line of its own for failures */
	ev = next(t, ETRACE_K_CLOSE);
	assert_int_equal(etrace_event_failed(ev), 1);
	assert_int_equal(etrace_event_errno(ev), 5);
	etrace_close(t);
}

/* Tasks that existed before tracing began, and a thread that becomes the process. */
static void present_tasks_and_thread_exec(void **state)
{
	static const char lines[] =
		"500,0,1,1!Present|commsize=2,pathsize=7,process=500,parent=400\n"
		"500,0,1,2!TN|sh\n"
		"500,0,1,3!TP|/bin/sh\n"
		"501,0,1,4!Present|commsize=2,process=500,parent=400\n"
		"501,0,1,5!TN|t1\n"
		"501,0,2,1!New_proc|argsize=0,prognameisize=2,prognamepsize=5,cwdsize=1\n"
		"501,0,2,2!PI|/i\n"
		"501,0,2,3!PP|/b/cc\n"
		"501,0,2,4!CW|/\n"
		"501,0,2,5!End_of_args|\n";
	struct etrace *t = open_one(text_file(lines));
	const struct etrace_task *task;
	uint64_t upid = 0;
	int64_t v = 0;

	(void)state;
	assert_int_equal(etrace_event_value_named(next(t, ETRACE_K_PRESENT), "parent", &v), 1);
	assert_int_equal(v, 400);
	task = etrace_task(t, 500);
	assert_non_null(task);
	assert_int_equal(etrace_task_parent(task, &upid), 1);
	assert_int_equal(upid, 400);
	assert_string_equal(etrace_task_program(task, NULL), "sh");
	next(t, ETRACE_K_PRESENT);
	task = etrace_task(t, 501);
	assert_non_null(task);
	assert_int_equal(etrace_task_process(task), 500);
	assert_int_equal(etrace_task_is_thread(task), 1);
	next(t, ETRACE_K_EXEC);
	task = etrace_task(t, 501);
	assert_non_null(task);
	assert_int_equal(etrace_task_is_thread(task), 0);
	assert_int_equal(etrace_task_process(task), 500);
	assert_string_equal(etrace_task_program(task, NULL), "cc");
	assert_int_equal(etrace_task_since(task), 2000000001);
	assert_end(t);
	etrace_close(t);
}

static void damaged_input(void **state)
{
	static const char lines[] =
		"600,1,4,1!Open|fnamesize=9,forigsize=1,flags=0,mode=0,fd=3\n"
		"600,1,4,2!FN|/abc\n"
		"600,1,4,3!FO|b\n"
		"600,1,4,9!Close|fd\n"
		"CPU:2 [LOST 12 EVENTS]\n"
		"601,2,5,1!Close|fd=4\n"
		"601,2,5,1!Cl";
	struct etrace *t = open_one(text_file(lines));
	unsigned int lost = 0, notes = 0, kinds = 0, i;
	const struct etrace_event *ev;
	char text[160], small[4];
	const char *what;
	uint64_t n;
	int damage;

	(void)state;
	ev = next(t, ETRACE_K_OPEN);
	assert_int_equal(etrace_event_incomplete(ev), 1);
	assert_int_equal(etrace_event_finding(ev, 0, text, sizeof(text)), 0);
	assert_string_equal(text, "FN: 5 of 9 bytes missing");
	assert_int_equal(etrace_event_finding(ev, 0, small, sizeof(small)), 0);
	assert_string_equal(small, "FN:");
	assert_int_equal(etrace_event_finding(ev, 1, text, sizeof(text)), -ENOENT);
	while (etrace_next(t, &ev) > 0) {
		kinds++;
		if (etrace_event_kind(ev) == ETRACE_K_LOST) {
			assert_int_equal(value(ev, ETRACE_V_LOST_count), 12);
			assert_int_equal(etrace_event_upid(ev), 0);
			assert_int_equal(etrace_event_pid(ev), 0);
			assert_int_equal(etrace_event_cpu(ev), 2);
			lost++;
		}
	}
	assert_int_equal(lost, 1);
	assert_true(kinds >= 2);
	assert_int_equal(etrace_complete(t), 0);
	for (i = 0; (what = etrace_damage(t, i, &n, &damage)); i++) {
		notes += !damage;
		if (!strcmp(what, "events lost by the tracer")) {
			assert_int_equal(n, 12);
			assert_int_equal(damage, 1);
			lost++;
		}
		assert_ptr_equal(etrace_damage(t, i, &n, NULL), what);
	}
	assert_int_equal(lost, 2);
	assert_true(i >= 3);
	/* the cut line has no known tag */
	assert_int_equal(notes, 1);
	etrace_close(t);
}

/* Files of two CPUs, merged by time, and an empty one. */
static void several_files_merged(void **state)
{
	const char *files[] = {
		text_file("600,0,1,1!Close|fd=1\n600,0,3,1!Close|fd=3\n"),
		text_file(""),
		text_file("601,1,2,1!Close|fd=2\n601,1,4,1!Close|fd=4\n"),
		fixture_path("mapping/v1.fxt"),
	};
	const struct etrace_event *ev;
	struct etrace *t, *u;

	(void)state;
	assert_int_equal(etrace_open(files, 3, &t), 0);
	for (int fd = 1; fd <= 4; fd++)
		assert_int_equal(value(next(t, ETRACE_K_CLOSE), ETRACE_V_CLOSE_fd), fd);
	assert_end(t);
	assert_int_equal(etrace_open(files, 4, &u), -EINVAL);
	assert_null(u);
	files[0] = files[3];
	files[1] = files[3];
	assert_int_equal(etrace_open(files, 2, &u), -EINVAL);
	assert_null(u);
	/* two open handles at once */
	u = open_one(files[3]);
	assert_int_equal(etrace_next(u, &ev), 1);
	assert_end(t);
	etrace_close(t);
	etrace_close(u);
}

static void error_messages(void **state)
{
	struct bytes b = fixture("mapping/v1.fxt");
	const struct etrace_event *ev;
	const char *two[2];
	struct etrace *t;
	size_t n = 0;

	(void)state;
	assert_int_equal(etrace_open(NULL, 0, &t), -EINVAL);
	assert_null(t);
	assert_int_equal(open_error("/nowhere/at/all"), -ENOENT);
	assert_int_equal(open_error(dir), -EISDIR);
	assert_int_equal(open_error(text_file("")), -ENODATA);
	assert_int_equal(open_error(text_file("a text of somebody\n")), -EINVAL);
	assert_int_equal(open_error(file_of("\x1f\x8bnothing that gzip knows", 24)), -EBADMSG);
	assert_int_equal(open_error(fixture_path("sp-rtrace/64/leaky.rtrace")), -ENOTSUP);
	assert_int_equal(open_error(fixture_path("sp-rtrace/64/leaky.plain.txt")), -ENOTSUP);
	assert_int_equal(open_error(fixture_path("swap/swap42-session.bin")), -ENOTSUP);
	two[0] = text_file(session_lines);
	two[1] = "/nowhere/at/all";
	assert_int_equal(etrace_open(two, 2, &t), -ENOENT);
	assert_null(t);
	/* a truncated file gives the events that it has */
	t = open_one(file_of(b.data, b.n / 2 / 8 * 8));
	while (etrace_next(t, &ev) > 0)
		n++;
	assert_true(n > 3);
	assert_end(t);
	assert_int_equal(etrace_complete(t), 0);
	etrace_close(t);
	bytes_free(&b);
}

/* An FXT file of another program, and one of a newer etrace. */
static void traces_of_other_programs(void **state)
{
	static const char *const providers[] = { "somebody", "etrace" };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		const struct etrace_fxt_arg version = {
			.name = "version", .type = ETRACE_FXT_ARG_UINT, .u = 1000 };
		const struct etrace_fxt_event head = {
			.type = ETRACE_FXT_INSTANT, .process = 1, .thread = 1,
			.category = "etrace", .name = "trace" };
		const char *path = text_file("");
		const struct etrace_event *ev;
		struct etrace_fxt *fxt;
		struct etrace *t;

		assert_int_equal(etrace_fxt_create(path, providers[i], &fxt), 0);
		assert_int_equal(etrace_fxt_event(fxt, &head, &version, 1), 0);
		assert_int_equal(etrace_fxt_close(fxt), 0);
		if (!i) {
			assert_int_equal(open_error(path), -ENOTSUP);
			continue;
		}
		t = open_one(path);
		for (unsigned int again = 0; again < 2; again++) {
			assert_int_equal(etrace_next(t, &ev), -ENOTSUP);
			assert_null(ev);
		}
		assert_int_equal(etrace_complete(t), 0);
		etrace_close(t);
	}
}

/* Whatever etrace-read --check would object to is refused, at once or when the file is closed. */
static void invalid_fxt_refused(void **state)
{
	enum { T = 1000 };
	const struct etrace_fxt_arg one = { .name = "a", .type = ETRACE_FXT_ARG_INT, .i = 1 };
	const struct etrace_fxt_arg args[][2] = {
		{ one, one }, { { .name = "b\xff", .type = ETRACE_FXT_ARG_NULL }, one },
		{ one, { .name = "b", .type = ETRACE_FXT_ARG_STRING, .s = "\xc0\x80" } },
		{ one, { .name = "b", .type = ETRACE_FXT_ARG_UINT, .u = UINT64_MAX } },
		{ one, { .name = "b", .type = (enum etrace_fxt_arg_type)77 } },
	};
	const struct etrace_fxt_event good = {
		.type = ETRACE_FXT_INSTANT, .time = T, .process = 1, .thread = 2,
		.category = "c", .name = "n" };
	struct etrace_fxt_event bad[] = { good, good, good, good, good, good, good, good, good };
	const struct etrace_fxt_event begin = {
		.type = ETRACE_FXT_DURATION_BEGIN, .time = T, .process = 1, .thread = 2,
		.category = "c", .name = "n" };
	struct etrace_fxt_event counter = good;
	const char *path = text_file("");
	struct etrace_fxt *fxt;

	(void)state;
	bad[0].process = 0;
	bad[1].process = 1ull << 32;
	bad[2].thread = 0;
	bad[3].thread = UINT64_MAX;
	bad[4].time = 1ull << 63;
	bad[5].name = "\x80";
	bad[6].category = "\xed\xa0\x80";
	bad[7].name = "a frame";
	bad[8].type = ETRACE_FXT_DURATION_COMPLETE;
	bad[8].value = T - 1;
	assert_int_equal(etrace_fxt_create(path, "\xff", &fxt), -EINVAL);
	assert_int_equal(etrace_fxt_create(path, "test", &fxt), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(etrace_fxt_event(fxt, &bad[i], NULL, 0), -EINVAL);
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		assert_int_equal(etrace_fxt_event(fxt, &good, args[i], 2), -EINVAL);
	assert_int_equal(etrace_fxt_process(fxt, 0, "p"), -EINVAL);
	assert_int_equal(etrace_fxt_process(fxt, 1, "\xff"), -EINVAL);
	assert_int_equal(etrace_fxt_thread(fxt, 1, 1ull << 40, "t"), -EINVAL);
	/* a counter's argument must be a number and must belong to that counter alone */
	counter.type = ETRACE_FXT_COUNTER;
	assert_int_equal(etrace_fxt_event(fxt, &counter, &args[2][1], 1), -EINVAL);
	assert_int_equal(etrace_fxt_event(fxt, &counter, &one, 1), 0);
	assert_int_equal(etrace_fxt_event(fxt, &counter, &one, 1), 0);
	counter.value = 7;
	assert_int_equal(etrace_fxt_event(fxt, &counter, &one, 1), -EINVAL);
	assert_int_equal(etrace_fxt_event(fxt, &good, &one, 1), 0);
	assert_int_equal(etrace_fxt_close(fxt), 0);
	/* only at the end is it known that a duration never ends */
	assert_int_equal(etrace_fxt_create(path, "test", &fxt), 0);
	assert_int_equal(etrace_fxt_event(fxt, &begin, NULL, 0), 0);
	assert_int_equal(etrace_fxt_close(fxt), -EINVAL);
}

/* A longer trace: all events come, as many as it has lines for. */
static void long_trace_complete(void **state)
{
	struct bytes b = fixture("etrace/hello.etrace");
	struct etrace *t = open_one(fixture_path("etrace/hello.etrace"));
	size_t opens = 0, execs = 0, args = 0;
	const struct etrace_event *ev;
	int ret;

	(void)state;
	while ((ret = etrace_next(t, &ev)) > 0) {
		opens += etrace_event_kind(ev) == ETRACE_K_OPEN;
		execs += etrace_event_kind(ev) == ETRACE_K_EXEC;
		args += etrace_event_argc(ev);
		/* the session event belongs to no task */
		assert_int_equal(etrace_task(t, etrace_event_upid(ev)) != NULL,
				 etrace_event_kind(ev) != ETRACE_K_SESSION);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(opens, count_lines(&b, "!Open|"));
	assert_int_equal(execs, count_lines(&b, "!New_proc|"));
	assert_int_equal(args, count_lines(&b, "!A["));
	assert_true(args > 20);
	etrace_close(t);
	bytes_free(&b);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8 && i < npaths; i++)
		unlink(paths[i]);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_match_the_schema),
		cmocka_unit_test(events_of_a_trace),
		cmocka_unit_test(session_facts),
		cmocka_unit_test(odd_names_and_pids),
		cmocka_unit_test(present_tasks_and_thread_exec),
		cmocka_unit_test(damaged_input),
		cmocka_unit_test(several_files_merged),
		cmocka_unit_test(error_messages),
		cmocka_unit_test(traces_of_other_programs),
		cmocka_unit_test(invalid_fxt_refused),
		cmocka_unit_test(long_trace_complete),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
