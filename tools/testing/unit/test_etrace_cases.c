// SPDX-License-Identifier: GPL-2.0
/*
 * Single cases for the etrace reader: the format document's examples, every form of every call,
 * losses, the module's additions, and damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_etrace.h"
#include "format/fxt/fxt.h"

#define P "4194405,1,12,345!"		/* a task and a time */
#define P2 "8388710,0,12,400!"		/* another task, later */
#define P3 "4194405,1,12,500!"		/* the first task, later still */

struct one {
	const char *name;
	const char *in;
	const char *out;		/* NULL: same as @in; times: see check() */
	int status;
	const char *message;		/* expected; NULL: none if the status is 0, else any */
};

/* A conversion to FXT and back gives the same lines. */
static void check_fxt(const struct one *c, const struct bytes *lines)
{
	struct conversion fxt = convert("etrace", "fxt", c->in, strlen(c->in), NULL);
	struct conversion back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);

	if (back.out.n != lines->n || memcmp(back.out.data, lines->data, lines->n))
		fail_msg("%s is read back from FXT as\n%s", c->name, back.out.data);
	conversion_free(&fxt);
	conversion_free(&back);
}

static void check(const struct one *c)
{
	struct conversion r = convert("etrace", "etrace", c->in, strlen(c->in), NULL);
	/* whatever times the cases have, each line of a record gets its own */
	const char *text = c->out ? c->out : c->in;
	struct bytes out = own_times(text, strlen(text));

	if (r.out.n != out.n || memcmp(r.out.data, out.data, r.out.n))
		fail_msg("%s gives\n%s", c->name, r.out.data);
	if (r.status != c->status)
		fail_msg("%s: status %d\n%s", c->name, r.status, r.messages.data);
	if (!c->message && !c->status && r.messages.n)
		fail_msg("%s: prints\n%s", c->name, r.messages.data);
	if (c->message && !strstr(r.messages.data, c->message))
		fail_msg("%s: expected the message \"%s\", got\n%s", c->name, c->message, r.messages.data);
	check_fxt(c, &r.out);
	bytes_free(&out);
	conversion_free(&r);
}

static void check_all(const struct one *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(&cases[i]);
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof(cases[0]))

static void document_examples(void **state)
{
	static const struct one cases[] = {
		{ "exec",
		  P "New_proc|argsize=31,prognameisize=7,prognamepsize=7,cwdsize=35\n"
		  P "PI|/bin/sh\n" P "PP|/bin/sh\n" P "CW|/drive/tracing/tools/execve_tracing\n"
		  P "A[0]sh\n" P "A[1]/usr/bin/setup_etrace.sh\n" P "A[2]-r\n" P "End_of_args|\n",
		  NULL, 0, NULL },
		{ "fork", P "SchedFork|pid=9183\n", NULL, 0, NULL },
		{ "clone", P "SysClone|flags=18874385\n" P "SchedFork|pid=9181\n", NULL, 0, NULL },
		{ "clone failed", P "SysClone|flags=18874385\n" P "SysCloneFailed|\n", NULL, 0, NULL },
		{ "exit", P "Exit|status=256\n", NULL, 0, NULL },
		{ "open",
		  P "Open|fnamesize=34,forigsize=31,flags=524288,mode=0,fd=3\n"
		  P "FN|/lib/x86_64-linux-gnu/libc-2.27.so\n" P "FO|/lib/x86_64-linux-gnu/libc.so.6\n",
		  NULL, 0, NULL },
		{ "pipe", P "Pipe|fd1=3,fd2=4,flags=0\n", NULL, 0, NULL },
		{ "rename",
		  P "RenameFrom|fnamesize=16\n" P "RF|/tmp/soong.4.log\n"
		  P "RenameTo|fnamesize=16\n" P "RT|/tmp/soong.5.log\n", NULL, 0, NULL },
		{ "rename (2)",
		  P "RenameFrom|fnamesize=2\n" P "RF|/a\n" P "RenameFailed|\n", NULL, 0, NULL },
		{ "rename (3)", P "RenameFailed|\n", NULL, 0, NULL },
		{ "renameat2",
		  P "Rename2From|fnamesize=16,flags=0\n" P "RF|/tmp/soong.4.log\n"
		  P "RenameTo|fnamesize=16\n" P "RT|/tmp/soong.5.log\n", NULL, 0, NULL },
		{ "renameat2 (2)",
		  P "Rename2From|fnamesize=2,flags=1\n" P "RF|/a\n" P "RenameFailed|\n", NULL, 0, NULL },
		{ "link",
		  P "LinkFrom|fnamesize=15\n" P "LF|/dev/shm/FRk1Ce\n" P "LinkTo|fnamesize=43\n"
		  P "LT|/dev/shm/sem.mp3192055-12140030561392220055\n", NULL, 0, NULL },
		{ "link (2)",
		  P "LinkatFrom|fnamesize=2,flags=1024\n" P "LF|/a\n" P "LinkTo|fnamesize=2\n" P "LT|/b\n",
		  NULL, 0, NULL },
		{ "link (3)", P "LinkFrom|fnamesize=2\n" P "LF|/a\n" P "LinkFailed|\n", NULL, 0, NULL },
		{ "link (4)", P "LinkFailed|\n", NULL, 0, NULL },
		{ "link (5)",
		  P "LinkatFrom|fnamesize=2,flags=0\n" P "LF|/a\n" P "LinkFailed|\n", NULL, 0, NULL },
		{ "symlink, dangling",
		  P "Symlink|targetnamesize=19,linknamesize=30\n" P "ST|../.path_interposer\n"
		  P "SL|/drive/android/out/.path/jinfo\n", NULL, 0, NULL },
		{ "symlink",
		  P "Symlink|targetnamesize=21,resolvednamesize=1,linknamesize=15\n"
		  P "ST|../../../../../../../\n" P "SR|/\n" P "SL|/bin/linktoroot\n", NULL, 0, NULL },
		{ "close", P "Close|fd=3\n", NULL, 0, NULL },
		{ "dup", P "Dup|oldfd=2,newfd=5,flags=524288\n", NULL, 0, NULL },
		{ "mount (1)",
		  P "Mount|sourcenamesize=2,targetnamesize=2,typenamesize=4,flags=0\n"
		  P "MS|/a\n" P "MT|/b\n" P "MX|ext4\n", NULL, 0, NULL },
		{ "mount (2)",
		  P "Mount|sourcenamesize=2,targetnamesize=2,flags=4096\n"
		  P "MS|/a\n" P "MT|/b\n" P "MountFailed|\n", NULL, 0, NULL },
		{ "mount (3)", P "Mount|targetnamesize=2,flags=32\n" P "MT|/b\n", NULL, 0, NULL },
		{ "umount", P "Umount|targetnamesize=4,flags=0\n" P "MT|/mnt\n", NULL, 0, NULL },
		{ "umount (1)",
		  P "Umount|targetnamesize=4,flags=2\n" P "MT|/mnt\n" P "UmountFailed|\n", NULL, 0, NULL },
		{ "umount (2)", P "UmountFailed|\n", NULL, 0, NULL },
		{ "comm", P "Comm|size=8\n" P "CN|new_name\n", NULL, 0, NULL },
		{ "fork that failed", P "SysCloneFailed|\n", NULL, 0, NULL },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void string_values(void **state)
{
	static const struct one cases[] = {
		{ "newlines",
		  P "Comm|size=35\n" P "CN|this is\n" P "Cont|a string with\n" P "Cont|new lines\n"
		  P "Cont_end|\n", NULL, 1, "4 of 35 bytes missing" },
		{ "Cont_end without a bar",
		  P "Comm|size=3\n" P "CN|a\n" P "Cont|b\n" P "Cont_end\n",
		  P "Comm|size=3\n" P "CN|a\n" P "Cont|b\n" P "Cont_end|\n", 0, NULL },
		{ "newlines at the start and end, and doubled",
		  P "Comm|size=5\n" P "CN|\n" P "Cont|a\n" P "Cont|\n" P "Cont|b\n" P "Cont_end|\n",
		  NULL, 0, NULL },
		{ "only newlines",
		  P "Comm|size=2\n" P "CN|\n" P "Cont|\n" P "Cont|\n" P "Cont_end|\n", NULL, 0, NULL },
		{ "empty", P "Comm|size=0\n" P "CN|\n", NULL, 0, NULL },
		{ "empty, and missing", P "Comm|size=0\n", NULL, 1, "CN: missing" },
		{ "short parts are joined",
		  P "Comm|size=4\n" P "CN[0]a\n" P "CN[1]\n" P "CN[2]bc\n" P "CN[3]d\n" P "CN_end\n",
		  P "Comm|size=4\n" P "CN|abcd\n", 0, NULL },
		{ "empty arguments",
		  P "New_proc|argsize=5,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|/\n" P "PP|/\n" P "CW|/\n" P "A[0]a\n" P "A[1]\n" P "A[2]b\n" P "End_of_args|\n",
		  NULL, 0, NULL },
		{ "no arguments",
		  P "New_proc|argsize=0,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|/\n" P "PP|/\n" P "CW|/\n" P "End_of_args|\n", NULL, 0, NULL },
		{ "an argument in several parts",
		  P "New_proc|argsize=9,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|/\n" P "PP|/\n" P "CW|/\n" P "A[0]a\n" P "A[1]b\n" P "A[1]c\n" P "Cont|\n"
		  P "Cont_end|\n" P "A[1]d\n" P "A[1]e\n" P "End_of_args|\n",
		  P "New_proc|argsize=9,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|/\n" P "PP|/\n" P "CW|/\n" P "A[0]a\n" P "A[1]bc\n" P "Cont|de\n" P "Cont_end|\n"
		  P "End_of_args|\n", 1, "1 of 9 bytes missing" },
		{ "an argument without a number",
		  P "New_proc|argsize=4,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|/\n" P "PP|/\n" P "CW|/\n" P "A[0]a\n" P "A|b\n" P "End_of_args|\n",
		  NULL, 1, "2 of 4 bytes missing" },
	};

	(void)state;
	CHECK_ALL(cases);
}

static void events_in_order(void **state)
{
	static const struct one cases[] = {
		{ "interleaved",
		  P "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=3\n"
		  P2 "Close|fd=9\n"
		  P "FN|a\n"
		  "8388710,0,12,401!Close|fd=8\n"
		  P "FO|b\n",
		  P "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=3\n" P "FN|a\n" P "FO|b\n"
		  P2 "Close|fd=9\n" "8388710,0,12,401!Close|fd=8\n", 0, NULL },
		{ "records out of order",
		  P2 "Close|fd=1\n" P "Close|fd=2\n", P "Close|fd=2\n" P2 "Close|fd=1\n", 0, NULL },
		{ "times of later records are kept",
		  P "RenameFrom|fnamesize=3\n" P "RF|a\n" P3 "Cont|b\n" P3 "Cont_end|\n"
		  P3 "RenameTo|fnamesize=1\n" P3 "RT|c\n", NULL, 0, NULL },
	};

	(void)state;
	CHECK_ALL(cases);
}

#define OPEN "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=3\n"

/* Lines of records: each is printed with a time of its own. */
static void records_have_own_times(void **state)
{
	static const struct { const char *name; const char *in, *out; } cases[] = {
		{ "one time per record",
		  "7,1,12,998!" OPEN "7,1,12,998!FN|a\n" "7,1,12,998!FO|b\n",
		  "7,1,12,998!" OPEN "7,1,12,999!FN|a\n" "7,1,12,1000!FO|b\n" },
		{ "times carry into the next second",
		  "7,1,12,999999999!" OPEN "7,1,12,999999999!FN|a\n" "7,1,12,999999999!FO|b\n",
		  "7,1,12,999999999!" OPEN "7,1,13,0!FN|a\n" "7,1,13,1!FO|b\n" },
		{ "lines keep their own times",
		  "7,1,12,5!" OPEN "7,1,12,6!FN|a\n" "7,1,12,7!FO|b\n" "7,1,12,8!Close|fd=3\n",
		  "7,1,12,5!" OPEN "7,1,12,6!FN|a\n" "7,1,12,7!FO|b\n" "7,1,12,8!Close|fd=3\n" },
		{ "calls that follow too fast get later times, later events do not",
		  "7,1,12,5!" OPEN "7,1,12,5!FN|a\n" "7,1,12,5!FO|b\n"
		  "7,1,12,6!Close|fd=3\n" "7,1,12,7!Close|fd=4\n" "7,1,12,70!Close|fd=5\n",
		  "7,1,12,5!" OPEN "7,1,12,6!FN|a\n" "7,1,12,7!FO|b\n"
		  "7,1,12,8!Close|fd=3\n" "7,1,12,9!Close|fd=4\n" "7,1,12,70!Close|fd=5\n" },
		{ "other tasks keep their times",
		  "7,1,12,5!" OPEN "7,1,12,5!FN|a\n" "7,1,12,5!FO|b\n" "8,1,12,6!Close|fd=3\n",
		  "7,1,12,5!" OPEN "7,1,12,6!FN|a\n" "7,1,12,7!FO|b\n" "8,1,12,6!Close|fd=3\n" },
		{ "newlines",
		  "7,1,12,5!Comm|size=5\n" "7,1,12,5!CN|a\n" "7,1,12,5!Cont|b\n" "7,1,12,5!Cont|c\n"
		  "7,1,12,5!Cont_end|\n" "7,1,12,9!Close|fd=3\n",
		  "7,1,12,5!Comm|size=5\n" "7,1,12,6!CN|a\n" "7,1,12,7!Cont|b\n" "7,1,12,8!Cont|c\n"
		  "7,1,12,9!Cont_end|\n" "7,1,12,10!Close|fd=3\n" },
		{ "a failed umount that gets a later time remains a separate call",
		  "7,1,12,5!Umount|targetnamesize=1,flags=0\n" "7,1,12,5!MT|/\n" "7,1,12,6!UmountFailed|\n",
		  "7,1,12,5!Umount|targetnamesize=1,flags=0\n" "7,1,12,6!MT|/\n" "7,1,12,8!UmountFailed|\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conversion r = convert("etrace", "etrace", cases[i].in, strlen(cases[i].in), NULL);
		struct conversion again = convert("etrace", "etrace", r.out.data, r.out.n, NULL);

		if (strcmp(r.out.data, cases[i].out))
			fail_msg("%s: gives\n%s", cases[i].name, r.out.data);
		assert_int_equal(r.status, 0);
		assert_string_equal(again.out.data, r.out.data);
		conversion_free(&r);
		conversion_free(&again);
	}
}

/* A long string that came in parts of another size is split every 900 bytes, in order. */
static void parts_of_another_size(void **state)
{
	struct bytes text = { 0 };
	struct conversion r;
	char line[1000];

	(void)state;
	for (unsigned int form = 0; form < 2; form++) {
		unsigned int at = 100;

		text.n = 0;
		bytes_add(&text, line, (size_t)sprintf(line, "7,0,1,%u!Comm|size=3000\n", at));
		for (unsigned int i = 0; i < 30; i++) {
			at += form;
			bytes_add(&text, line, (size_t)sprintf(line, "7,0,1,%u!CN[%u]%0100u\n",
							       at, i, i));
		}
		at += form;
		bytes_add(&text, line, (size_t)sprintf(line, "7,0,1,%u!CN_end|\n7,0,1,%u!Close|fd=1\n",
						       at, at + 1));
		r = convert("etrace", "etrace", text.data, text.n, NULL);
		assert_int_equal(r.status, 0);
		assert_int_equal(count_lines(&r.out, "!"), 7);
		assert_sorted(&r.out);
		conversion_free(&r);
	}
	bytes_free(&text);
}

/* Tasks come and go; one goes on all the time, with more lines than nanoseconds. */
static void many_tasks(void **state)
{
	struct bytes text = { 0 };
	struct conversion r;
	char line[400];

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		int n = sprintf(line, "%u,0,1,%u!Exit|status=0\n", 100 + i, 100 + 2 * i);

		for (unsigned int k = 0; k < 2; k++)
			n += sprintf(line + n, "7,0,1,%u!RenameFrom|fnamesize=1\n7,0,1,%u!RF|a\n"
				     "7,0,1,%u!RenameFailed|\n", 100 + 2 * i + k,
				     100 + 2 * i + k, 100 + 2 * i + k);
		bytes_add(&text, line, (size_t)n);
	}
	r = convert("etrace", "etrace", text.data, text.n, NULL);
	assert_int_equal(r.status, 0);
	assert_int_equal(count_lines(&r.out, "!"), 7 * 20000);
	assert_sorted(&r.out);
	conversion_free(&r);
	bytes_free(&text);
}

/* A task's time goes back: its events are sorted if possible, else this is reported. */
static void time_goes_back(void **state)
{
	static const struct one cases[] = {
		{ "back in time within an event",
		  "7,1,5,0!" OPEN "7,1,2,0!FN|a\n" "7,1,6,0!FO|b\n",
		  "7,1,5,0!" OPEN "7,1,5,1!FN|a\n" "7,1,6,0!FO|b\n", 1,
		  "line 2: the line goes back in its task's time" },
		{ "back in time between events that can be sorted",
		  "7,1,12,500!Close|fd=3\n" "7,1,12,200!Close|fd=4\n" "7,1,12,600!Close|fd=5\n",
		  "7,1,12,200!Close|fd=4\n" "7,1,12,500!Close|fd=3\n" "7,1,12,600!Close|fd=5\n", 0, NULL },
		{ "back in time before events that were already written",
		  "7,1,5,0!Close|fd=3\n" "8,1,7,0!Close|fd=3\n" "7,1,2,0!Close|fd=4\n" "7,1,8,0!Close|fd=5\n",
		  "7,1,5,0!Close|fd=3\n" "7,1,5,1!Close|fd=4\n" "8,1,7,0!Close|fd=3\n" "7,1,8,0!Close|fd=5\n",
		  1, "line 3: the line goes back in its task's time" },
		{ "back in time into an event",
		  "7,1,5,0!" OPEN "7,1,5,7!FN|a\n" "7,1,5,9!FO|b\n" "7,1,5,8!Close|fd=3\n",
		  "7,1,5,0!" OPEN "7,1,5,7!FN|a\n" "7,1,5,9!FO|b\n" "7,1,5,10!Close|fd=3\n",
		  1, "line 4: the line goes back in its task's time" },
	};

	(void)state;
	CHECK_ALL(cases);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conversion fxt = convert("etrace", "fxt", cases[i].in, strlen(cases[i].in), NULL);
		struct conversion back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);

		assert_fxt_clean(fxt.out.data, fxt.out.n);
		assert_string_equal(back.out.data, cases[i].out);
		conversion_free(&fxt);
		conversion_free(&back);
	}
}

static void loss_reports(void **state)
{
	static const struct one cases[] = {
		{ "lost", "CPU:1 [LOST 12 EVENTS]\n" P "Close|fd=3\n", NULL, 1,
		  "12 events lost by the tracer" },
		{ "an unknown number of events lost", "CPU:1 [LOST EVENTS]\n" P "Close|fd=3\n", NULL, 1,
		  "1 loss of an unknown number of events" },
		{ "events lost at the end", P "Close|fd=3\n" "CPU:0 [LOST 3 EVENTS]\n", NULL, 1, NULL },
		{ "strings lost", P "Open|fnamesize=3,forigsize=4,flags=0,mode=0,fd=3\n" P "FN|/ab\n",
		  NULL, 1, "open of task 4194405: FO: missing, with all its 4 bytes" },
		{ "parts lost",
		  P "Comm|size=1200\n" P "CN[0]abc\n" P "CN[2]def\n" P "CN_end|\n",
		  NULL, 1, "1194 of 1200 bytes missing" },
		{ "parts of two strings lost",
		  P "Open|fnamesize=1200,forigsize=1200,flags=0,mode=0,fd=3\n"
		  P "FN[0]abc\n" P "FN[2]def\n" P "FN_end|\n"
		  P "FO[0]ghi\n" P "FO[3]jkl\n" P "FO[5]mno\n" P "FO_end|\n",
		  NULL, 1, NULL },
		{ "beginning lost", P "FO|/ab\n" P "Close|fd=3\n", NULL, 1,
		  "open of task 4194405: the lines before FO are missing" },
		{ "end of a string lost", P "Comm|size=3\n" P "CN[0]abc\n" P "Close|fd=3\n",
		  NULL, 1, "CN: its end is missing" },
		{ "a string that the module could not read",
		  P "Open|fnamesize=2,forigsize=-1,flags=0,mode=0,fd=3\n" P "FN|/a\n", NULL, 1,
		  "FO: could not be read by the tracer" },
	};

	(void)state;
	CHECK_ALL(cases);
}

#define EXEC P "New_proc|argsize=2,prognameisize=1,prognamepsize=1,cwdsize=1\n" \
	P "ExecFile|dev=1,ino=2,size=3,mtime=-4\n" P "PI|a\n" P "PP|b\n" P "CW|/\n"
#define EXEC_LATER "4194405,1,14,0!A[0]a\n4194405,1,14,0!End_of_args|\n"

/* Lines with tags outside the document stay with their event and are no damage. */
static void unknown_tags(void **state)
{
	static const struct one cases[] = {
		{ "signal", P "Exit|status=0\n" P "ExitSignal|signal=9,core=0\n", NULL, 0, NULL },
		{ "signal without its exit", P "ExitSignal|signal=9,core=0\n", NULL, 1,
		  "the lines before ExitSignal are missing" },
		{ "two signals", P "Exit|status=0\n" P "ExitSignal|signal=9,core=0\n"
		  P "ExitSignal|signal=8,core=0\n", NULL, 1, NULL },
		{ "error and marks",
		  P "RenameFrom|fnamesize=2\n" P "RF|/a\n" P "RenameFailed|\n" P "Failed|error=2\n"
		  P "Marks|joined=RF,unread=,cut=\n", NULL, 0, NULL },
		{ "another thread's name", P "Comm|size=1\n" P "CN|x\n" P "CommOf|upid=7\n",
		  NULL, 0, NULL },
		{ "lines of another task in between",
		  P "Exit|status=0\n" P2 "Close|fd=1\n" P "ExitSignal|signal=9,core=0\n",
		  P "Exit|status=0\n" P "ExitSignal|signal=9,core=0\n" P2 "Close|fd=1\n", 0, NULL },
		{ "a line in the middle of an event whose rest comes much later",
		  EXEC "8388710,0,13,0!Close|fd=1\n" EXEC_LATER, EXEC EXEC_LATER
		  "8388710,0,13,0!Close|fd=1\n", 0, NULL },
		{ "unknown tag", P "Exit|status=0\n" P "Later|a=1,b=x\n", NULL, 0,
		  "1 line with tags outside the format, kept" },
		{ "unknown event alone", P "OpenFailed2|fd=1\n", NULL, 1, NULL },
		{ "unknown field", P "Close|fd=3,flags=4\n", NULL, 0, NULL },
		{ "fields in another order", P "Dup|flags=1,newfd=5,oldfd=2\n",
		  P "Dup|oldfd=2,newfd=5,flags=1\n", 0, NULL },
		{ "missing field", P "Dup|oldfd=2,flags=1\n", NULL, 1, "Dup: no newfd" },
		{ "not a number", P "Close|fd=x\n", NULL, 1, "Close line cannot be read in full" },
		{ "no comma", P "Dup|oldfd=1newfd=2,flags=0\n",
		  P "Dup|flags=0,oldfd=1newfd=2\n", 1, "Dup line cannot be read in full" },
		{ "no comma at the end", P "Dup|oldfd=1,newfd=2flags=0\n",
		  P "Dup|oldfd=1,newfd=2flags=0\n", 1, "Dup line cannot be read in full" },
		{ "no comma between optional values",
		  P "Truncate|fd=1size=2\n", P "Truncate|fd=1size=2\n", 1,
		  "Truncate line cannot be read in full" },
		{ "truncated in the middle", P "Dup|oldfd=2,newf\n", NULL, 1, NULL },
	};

	(void)state;
	CHECK_ALL(cases);
}

/* A failed umount may stand alone: does the line belong to the complete umount before it? */
static void failed_umounts(void **state)
{
	static const struct one cases[] = {
		{ "records of several lines: another call",
		  P "Umount|targetnamesize=1,flags=0\n" P "MT|/\n" P3 "UmountFailed|\n" P3 "Close|fd=1\n",
		  NULL, 0, NULL },
		{ "the same record: the same call",
		  P "Umount|targetnamesize=1,flags=0\n" P "MT|/\n" P "UmountFailed|\n", NULL, 0, NULL },
		{ "records of several lines, each with its time: another call",
		  "7,1,12,5!Umount|targetnamesize=1,flags=0\n" "7,1,12,6!MT|/\n"
		  "7,1,12,8!UmountFailed|\n" "7,1,12,12!Close|fd=1\n", NULL, 0, NULL },
		{ "the same record, each with its time: the same call",
		  "7,1,12,5!Umount|targetnamesize=1,flags=0\n" "7,1,12,6!MT|/\n"
		  "7,1,12,7!UmountFailed|\n", NULL, 0, NULL },
	};
	static const size_t events[] = { 3, 1, 3, 1 };
	struct reading r;
	struct bytes b;

	(void)state;
	CHECK_ALL(cases);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b = (struct bytes){ (char *)(uintptr_t)cases[i].in, strlen(cases[i].in), 0 };
		r = read_lines(&b, 1);
		assert_int_equal(r.events.n, events[i]);
		reading_free(&r);
	}
}

static void damaged_lines_reported(void **state)
{
	static const struct one cases[] = {
		{ "doubled header", P "Close|fd=3\n" P "Close|fd=3\n", P "Close|fd=3\n", 1,
		  "1 line that came twice, dropped once" },
		{ "truncated last line", P "Close|fd=3\n" P2 "Close|fd=4", P "Close|fd=3\n" P2 "Close|fd=4\n", 1,
		  "line 2: the last line has no newline" },
		{ "rubbish between",
		  P "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=3\n" "\x01\x02\n" P "FN|a\n"
		  "# comment\n" P "FO|b\n",
		  P "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=3\n" P "FN|a\n" P "FO|b\n", 1,
		  "line 2: damaged line" },
		{ "only lines of other tracers: no damage",
		  "# tracer: nop\n#\n" P "Close|fd=3\n"
		  "              sh-9       [000] d..1.     1.500000: sched_switch: prev_comm=sh\n",
		  P "Close|fd=3\n", 0, "3 lines of other tracers" },
		{ "stray ends", P "Close|fd=3\n" P "Cont_end|\n" P "FN_end|\n", P "Close|fd=3\n", 1, NULL },
	};

	(void)state;
	CHECK_ALL(cases);
}

/* Bits reserved for later formats are reported, but are no damage. */
static void reserved_bits_reported(void **state)
{
	static const char lines[] = P "Close|fd=3\n";
	struct conversion fxt = convert("etrace", "fxt", lines, strlen(lines), NULL), back;
	uint64_t init, at = 8;

	(void)state;
	for (;; at += (init >> 4 & 0xfff) * 8) {
		assert_true(at + 8 <= fxt.out.n);
		memcpy(&init, fxt.out.data + at, 8);
		if ((init & 15) == FXT_REC_INIT)
			break;
	}
	init |= 1ull << 40;
	memcpy(fxt.out.data + at, &init, 8);
	back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);
	assert_int_equal(back.status, 0);
	assert_string_equal(back.out.data, lines);
	assert_non_null(strstr(back.messages.data,
			       "1 part of the FXT file unknown to the format document"));
	conversion_free(&fxt);
	conversion_free(&back);
}

/* Lines of one and of several megabytes are skipped; lines around them are read. */
static void long_lines(void **state)
{
	struct bytes text = { 0 };
	struct reading r;
	char *big = malloc(6 << 20);

	(void)state;
	memset(big, 'x', 6 << 20);
	bytes_add(&text, P "Close|fd=1\n", strlen(P "Close|fd=1\n"));
	bytes_add(&text, big, 6 << 20);
	bytes_add(&text, "\n", 1);
	bytes_add(&text, P2 "Close|fd=2\n", strlen(P2 "Close|fd=2\n"));
	bytes_add(&text, big, 1 << 20);
	bytes_add(&text, "\n", 1);
	bytes_add(&text, P3 "Close|fd=3\n", strlen(P3 "Close|fd=3\n"));
	bytes_add(&text, big, 6 << 20);
	r = read_lines(&text, 1);
	assert_int_equal(r.events.n, 3);
	assert_int_equal(r.status, 1);
	assert_non_null(strstr(r.messages.data, "2 lines too long"));
	reading_free(&r);
	bytes_free(&text);
	free(big);
}

/* A task that never completes an event must not hold the others back forever. */
static void event_that_never_ends(void **state)
{
	struct bytes text = { 0 };
	struct conversion c;
	char line[100];
	size_t small = 0;

	(void)state;
	bytes_add(&text, P "SysClone|flags=1\n", strlen(P "SysClone|flags=1\n"));
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 20000u << round; i++) {
			snprintf(line, sizeof(line), "8388710,0,%u,%u!Close|fd=%u\n", 13 + round, i, i);
			bytes_add(&text, line, strlen(line));
		}
		c = convert("etrace", "etrace", text.data, text.n, NULL);
		assert_int_equal(c.status, 1);
		assert_int_equal(c.out.n, text.n);
		if (round)
			assert_true(c.peak < small + 100000);
		small = c.peak;
		conversion_free(&c);
	}
	bytes_free(&text);
}

static void json_output(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ P "Open|fnamesize=2,forigsize=2,flags=18446744073709551615,mode=-1,fd=3\n"
		  P "FN|/\xff\n" P "FO|/a\n",
		  "{\"event\":\"open\",\"time_ns\":12000000345,\"cpu\":1,\"upid\":4194405,\"pid\":101,"
		  "\"flags\":18446744073709551615,\"mode\":-1,\"fd\":3,\"path\":\"/\xef\xbf\xbd\","
		  "\"path_hex\":\"2fff\",\"original\":\"/a\"}\n" },
		{ P "New_proc|argsize=8,prognameisize=1,prognamepsize=1,cwdsize=1\n"
		  P "PI|i\n" P "PP|p\n" P "CW|/\n" P "A[0]a\n" P "A[1]\n" P "A[2]\"\n" P "Cont|\xfe\n"
		  P "Cont_end|\n" P "End_of_args|\n",
		  "{\"event\":\"exec\",\"time_ns\":12000000345,\"cpu\":1,\"upid\":4194405,\"pid\":101,"
		  "\"interpreter\":\"i\",\"path\":\"p\",\"cwd\":\"/\","
		  "\"argv\":[\"a\",\"\",\"\\\"\\n\xef\xbf\xbd\"],\"argv_hex\":[\"61\",\"\",\"220afe\"],"
		  "\"incomplete\":[\"A: 1 of 8 bytes missing\"]}\n" },
		{ P "RenameFailed|\n" P "Failed|error=2\n",
		  "{\"event\":\"rename\",\"time_ns\":12000000345,\"cpu\":1,\"upid\":4194405,\"pid\":101,"
		  "\"error\":\"ENOENT\",\"failed\":true}\n" },
		{ "CPU:3 [LOST 7 EVENTS]\n" P "Close|fd=1\n",
		  "{\"event\":\"lost\",\"time_ns\":12000000345,\"cpu\":3,\"count\":7}\n"
		  "{\"event\":\"close\",\"time_ns\":12000000345,\"cpu\":1,\"upid\":4194405,\"pid\":101,\"fd\":1}\n" },
		{ "CPU:3 [LOST EVENTS]\n",
		  "{\"event\":\"lost\",\"time_ns\":0,\"cpu\":3,\"count\":null}\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conversion r = convert("etrace", "json", cases[i].in, strlen(cases[i].in), NULL);

		if (r.out.n != strlen(cases[i].out) || memcmp(r.out.data, cases[i].out, r.out.n))
			fail_msg("case %zu gives\n%s", i, r.out.data);
		conversion_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document_examples),
		cmocka_unit_test(string_values),
		cmocka_unit_test(events_in_order),
		cmocka_unit_test(records_have_own_times),
		cmocka_unit_test(parts_of_another_size),
		cmocka_unit_test(many_tasks),
		cmocka_unit_test(time_goes_back),
		cmocka_unit_test(loss_reports),
		cmocka_unit_test(unknown_tags),
		cmocka_unit_test(failed_umounts),
		cmocka_unit_test(damaged_lines_reported),
		cmocka_unit_test(reserved_bits_reported),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(event_that_never_ends),
		cmocka_unit_test(json_output),
	};

	return cmocka_run_group_tests_name("etrace: cases", tests, NULL, NULL);
}
