// SPDX-License-Identifier: GPL-2.0
/*
 * Turning records of the BPF programs into events: what each record becomes, the order of
 * events, and that damaged records are counted and do not crash anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_rec.h"
#include "base/buf.h"
#include "record/notable.h"
#include "format/lines/event_lines.h"

#define TASK 4194305u		/* upid of process 1 */
#define SECOND 1000000000u
#define CLONE_THREAD 0x10000

/* A sink that prints events and checks their order; the summary gets all events, too. */
struct printer {
	struct sink sink;
	struct buf lines;
	struct notable *notable;
	uint64_t last;
	unsigned int n, disorder;
};

static int print_item(struct sink *s, const void *item)
{
	struct printer *p = (struct printer *)s;
	const struct et_event *ev = item;

	p->n++;
	p->disorder += ev->time < p->last && !(ev->flags & ET_F_LATE);
	p->last = ev->time > p->last ? ev->time : p->last;
	et_print_lines(ev, 0, &p->lines);
	notable_event(p->notable, ev);
	return 0;
}

static const struct sink_ops print_ops = { .item = print_item };

struct fixture {
	struct printer p;
	struct bpf_rec *b;
	/* the record being made */
	struct eb_rec r;
	struct buf bytes;
	/* what resolve() was called with, and what it returns */
	struct eb_maker maker;
	uint32_t groups[4];
	bool known;
	int found;
	uint8_t link_mark;
	bool damaged;		/* any bytes may be passed to resolve() */
};

static int resolve(void *arg, const struct eb_maker *maker, const uint32_t *groups,
		   const struct buf *target, const struct buf *link, struct buf *to)
{
	struct fixture *f = arg;

	f->maker = *maker;
	f->known = groups;
	if (groups && maker->ngroups)
		memcpy(f->groups, groups, sizeof(*groups) *
		       (maker->ngroups < 4 ? maker->ngroups : 4));
	if (!f->damaged) {
		assert_int_equal(target->len, 1);
		assert_int_equal(link->len, 6);
	}
	if (f->found > 0)
		buf_adds(to, "/found");
	return f->found;
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->p.sink.ops = &print_ops;
	f->p.notable = notable_new(22);
	f->b = bpf_rec_new(&f->p.sink, &(struct bpf_rec_ops){ resolve, f, "KEPT_KEY", false });
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bpf_rec_free(f->b);
	notable_free(f->p.notable);
	buf_free(&f->p.lines);
	buf_free(&f->bytes);
	free(f);
	return 0;
}

static void begin(struct fixture *f, enum eb_kind kind, uint64_t time)
{
	memset(&f->r, 0, sizeof(f->r));
	f->r.upid = TASK;
	f->r.time = time;
	f->r.kind = kind;
	f->bytes.len = 0;
}

/* Add string @i; @path as the programs send it: last component first. */
static void string(struct fixture *f, int i, enum eb_form form, const char *text,
		   const char *path)
{
	f->r.str[i].form = form;
	f->r.str[i].text = (uint32_t)strlen(text);
	f->r.str[i].path = (uint32_t)strlen(path);
	buf_adds(&f->bytes, text);
	buf_adds(&f->bytes, path);
}

/* Send the first @size bytes of the record, in a buffer of that size. */
static void send_some(struct fixture *f, size_t size)
{
	char *copy = xmalloc(size + !size);
	size_t head = size < sizeof(f->r) ? size : sizeof(f->r);

	memcpy(copy, &f->r, head);
	if (size > head)
		memcpy(copy + head, f->bytes.s, size - head);
	assert_int_equal(bpf_rec_take(f->b, copy, size), 0);
	free(copy);
}

static void send(struct fixture *f)
{
	send_some(f, sizeof(f->r) + f->bytes.len);
}

/* The events are @lines, each without its part before the '!'. */
static void expect(struct fixture *f, const char *lines)
{
	struct buf got = { 0 };
	const char *s, *end;

	bpf_rec_end(f->b);
	s = f->p.lines.s;
	for (end = s + f->p.lines.len; s && s < end; ) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *bang = memchr(s, '!', (size_t)(end - s));

		assert_non_null(nl);
		if (bang && bang < nl)
			s = bang + 1;
		buf_add(&got, s, (size_t)(nl + 1 - s));
		s = nl + 1;
	}
	buf_addc(&got, 0);
	assert_string_equal(got.s, lines);
	buf_free(&got);
	assert_int_equal(f->p.disorder, 0);
}

static const struct bpf_rec_tally *tally(const struct fixture *f)
{
	return bpf_rec_tally(f->b);
}

/* Numbers of the summary after all events are passed on. */
static uint64_t processes(struct fixture *f)
{
	bpf_rec_end(f->b);
	return notable_processes(f->p.notable);
}

static uint64_t processes_now(struct fixture *f)
{
	bpf_rec_end(f->b);
	return notable_processes_now(f->p.notable);
}

static const struct notable_losses *lost(struct fixture *f)
{
	bpf_rec_end(f->b);
	return notable_losses(f->p.notable);
}

/* The recorder reports a process that existed before tracing began. */
static void present(struct fixture *f, uint64_t upid, const char *program)
{
	struct et_event ev;

	et_init(&ev);
	et_reset(&ev, ET_K_PRESENT, upid, 0, 0);
	et_set(&ev, ET_V_PRESENT_process, (int64_t)upid);
	et_set(&ev, ET_V_PRESENT_parent, 0);
	et_add_string(&ev, ET_S_PRESENT_path, program, strlen(program));
	notable_event(f->p.notable, &ev);
	et_fini(&ev);
}

/* ---- what records become ---- */

static void numbers_of_events(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_CLOSE, 1);
	f->r.val[0] = 3;
	send(f);
	begin(f, EB_DUP, 2);
	f->r.val[0] = 3;
	f->r.val[1] = 4;
	f->r.val[2] = 02000000;
	send(f);
	begin(f, EB_PIPE, 3);
	f->r.val[0] = 5;
	f->r.val[1] = 6;
	send(f);
	begin(f, EB_EXIT, 4);
	f->r.val[0] = 7;
	send(f);
	expect(f, "Close|fd=3\nDup|oldfd=3,newfd=4,flags=524288\n"
	       "Pipe|fd1=5,fd2=6,flags=0\nExit|status=7\n");
	assert_int_equal(tally(f)->t.records, 4);
	assert_int_equal(tally(f)->t.events, 4);
	assert_int_equal(tally(f)->damaged, 0);
}

static void strings_of_events(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_OPEN, 1);
	f->r.val[EB_V_OPEN_fd] = 3;
	string(f, 0, EB_S_PATH, "", "c/b/a/");
	string(f, 1, EB_S_JOIN, "../x", "d/e/");
	send(f);
	begin(f, EB_OPEN, 2);
	string(f, 0, EB_S_PATH, "", "");		/* the root itself */
	string(f, 1, EB_S_TEXT, "/", "");
	send(f);
	begin(f, EB_OPEN, 3);
	string(f, 0, EB_S_PATH, "", "b/");
	f->r.str[0].mark = EB_DELETED;
	string(f, 1, EB_S_SAME, "", "");
	send(f);
	expect(f, "Open|fnamesize=6,forigsize=9,flags=0,mode=0,fd=3\nFN|/a/b/c\nFO|/e/d/../x\n"
	       "Open|fnamesize=1,forigsize=1,flags=0,mode=0,fd=0\nFN|/\nFO|/\n"
	       "Open|fnamesize=12,forigsize=12,flags=0,mode=0,fd=0\nFN|/b (deleted)\nFO|/b (deleted)\n");
}

/* Names that a hook sent in the middle of the call. */
static void names_from_within_a_call(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_HOLD, 1);
	f->r.flags = EB_FIRST;
	string(f, 0, EB_S_CHILD, "x", "a/");
	string(f, 1, EB_S_CHILD, "y", "");
	send(f);
	begin(f, EB_RENAME, 2);
	string(f, 0, EB_S_HELD, "", "");
	string(f, 1, EB_S_HELD, "", "");
	f->r.str[1].arg = 1;
	send(f);
	expect(f, "RenameFrom|fnamesize=4\nRF|/a/x\nRenameTo|fnamesize=2\nRT|/y\n");
	assert_int_equal(tally(f)->t.records, 1);
}

/* An environment in parts: secrets are hidden, what could not be read is marked. */
static void environment_in_parts(void **state)
{
	static const char first[] = "PATH=/bin\0A_TOK", rest[] = "EN=secret\0KEPT_KEY=seen\0\0=\0X";
	struct fixture *f = *state;

	begin(f, EB_PART, 1);
	f->r.flags = EB_FIRST;
	buf_add(&f->bytes, first, sizeof(first) - 1);
	send(f);
	begin(f, EB_ENV, 1);
	buf_add(&f->bytes, rest, sizeof(rest));
	send(f);
	begin(f, EB_ENV, 1000);
	send(f);
	begin(f, EB_ENV, 2000);
	f->r.flags = EB_ARGS_UNREAD;
	buf_add(&f->bytes, "A=b\0B_SECRET=hal", 16);
	send(f);
	expect(f, "Env|namesize=4,valuesize=4\nEN|PATH\nEV|/bin\n"
	       "Env|namesize=7,valuesize=3,hidden=1\nEN|A_TOKEN\nEV|***\n"
	       "Env|namesize=8,valuesize=4\nEN|KEPT_KEY\nEV|seen\n"
	       "Env|namesize=0\nEN|\nEnv|namesize=0,valuesize=0\nEN|\nEV|\n"
	       "Env|namesize=1\nEN|X\n"
	       "Env|namesize=1,valuesize=1\nEN|A\nEV|b\n"
	       "Env|namesize=0\nEN|\nMarks|joined=,unread=EN,cut=\n");
	assert_int_equal(tally(f)->t.records, 3);
	assert_int_equal(tally(f)->damaged, 0);
}

/* Only variables that are listed, with secrets hidden as always. */
static void listed_variables_only(void **state)
{
	static const char all[] = "PATH=/bin\0CPATH=http://u:secret@h\0CPATHS=/x\0CPAT=/x\0MY_KEY=secret\0CPATH";
	struct fixture *f = *state;

	bpf_rec_free(f->b);
	f->b = bpf_rec_new(&f->p.sink, &(struct bpf_rec_ops){ resolve, f, "CPATH,MY_KEY", true });
	begin(f, EB_ENV, 1000);
	buf_add(&f->bytes, all, sizeof(all));
	send(f);
	begin(f, EB_ENV, 2000);
	f->r.flags = EB_ARGS_UNREAD;
	buf_add(&f->bytes, "PATH=/bin", 10);
	send(f);
	expect(f, "Env|namesize=5,valuesize=14,hidden=1\nEN|CPATH\nEV|http://u:***@h\n"
	       "Env|namesize=6,valuesize=3,hidden=1\nEN|MY_KEY\nEV|***\n"
	       "Env|namesize=5\nEN|CPATH\n"
	       "Env|namesize=0\nEN|\nMarks|joined=,unread=EN,cut=\n");
	assert_int_equal(tally(f)->damaged, 0);
}

/* Records of several tasks alternate, as with io_uring workers: they are not mixed up. */
static void records_of_several_tasks(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 3; i++) {
		begin(f, EB_HOLD, 1);
		f->r.flags = EB_FIRST;
		f->r.upid = 100 + i;
		string(f, 0, EB_S_CHILD, i == 0 ? "x" : i == 1 ? "y" : "z", "");
		send(f);
	}
	for (unsigned int i = 0; i < 3; i++) {
		begin(f, EB_UNLINK, 2 + i);
		f->r.upid = 100 + i;
		string(f, 0, EB_S_HELD, "", "");
		send(f);
	}
	expect(f, "Unlink|fnamesize=2,dir=0\nUN|/x\nUnlink|fnamesize=2,dir=0\nUN|/y\n"
	       "Unlink|fnamesize=2,dir=0\nUN|/z\n");
}

/* A string in parts, arguments, and a program's life. */
static void strings_and_arguments_in_parts(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_PART, 1);
	f->r.flags = EB_FIRST;
	buf_adds(&f->bytes, "prog");
	send(f);
	begin(f, EB_PART, 1);
	buf_adds(&f->bytes, "ram/bin/");
	send(f);
	begin(f, EB_EXEC, 1);
	f->r.val[0] = 6;
	string(f, 0, EB_S_PATH, "", "");
	f->r.str[0].path = 12;
	string(f, 1, EB_S_SAME, "", "");
	string(f, 2, EB_S_PATH, "", "");
	buf_add(&f->bytes, "a\0\0b\nc", 7);
	send(f);
	assert_int_equal(processes_now(f), 1);
	begin(f, EB_EXIT, 2);
	send(f);
	expect(f, "New_proc|argsize=6,prognameisize=12,prognamepsize=12,cwdsize=1\n"
	       "PI|/bin/program\nPP|/bin/program\nCW|/\nA[0]a\nA[1]\nA[2]b\nCont|c\nCont_end|\n"
	       "End_of_args|\nExit|status=0\n");
	assert_int_equal(processes(f), 1);
	assert_int_equal(processes_now(f), 0);
	assert_int_equal(tally(f)->damaged, 0);
}

/* Every kind with fields or strings of its own, and its failure. */
static void every_kind_and_its_failure(void **state)
{
	static const struct {
		enum eb_kind kind;
		int64_t val[EB_NR_VAL];
		uint8_t have;
		int error;
		const char *str[EB_NR_STR];
		const char *want;
	} rows[] = {
		{ EB_EXIT, { 0, 9, 1 }, 6, 0, { 0 }, "Exit|status=0\nExitSignal|signal=9,core=1\n" },
		{ EB_URING, { 4 }, 0, 0, { 0 }, "IoUring|fd=4\n" },
		{ EB_OPEN, { 2, 0644, 3 }, 0, 0, { "/f", "f" },
		  "Open|fnamesize=2,forigsize=1,flags=2,mode=420,fd=3\nFN|/f\nFO|f\n" },
		{ EB_OPEN, { 0, 0, -1 }, 0, 2, { "/f", "f" },
		  "Open|fnamesize=2,forigsize=1,flags=0,mode=0,fd=-1\nFN|/f\nFO|f\nFailed|error=2\n" },
		{ EB_CLOSE, { 5 }, 0, 9, { 0 }, "Close|fd=5\nFailed|error=9\n" },
		{ EB_RENAME, { 0 }, 0, 0, { "a", "bc" },
		  "RenameFrom|fnamesize=1\nRF|a\nRenameTo|fnamesize=2\nRT|bc\n" },
		{ EB_RENAME, { 4 }, 1, 0, { "a", "bc" },
		  "Rename2From|fnamesize=1,flags=4\nRF|a\nRenameTo|fnamesize=2\nRT|bc\n" },
		{ EB_RENAME, { 4 }, 1, 13, { "a", "bc" },
		  "Rename2From|fnamesize=1,flags=4\nRF|a\nRenameTo|fnamesize=2\nRT|bc\nRenameFailed|\nFailed|error=13\n" },
		{ EB_LINK, { 0 }, 0, 0, { "a", "bc" },
		  "LinkFrom|fnamesize=1\nLF|a\nLinkTo|fnamesize=2\nLT|bc\n" },
		{ EB_LINK, { 1024 }, 1, 0, { "a", "bc" },
		  "LinkatFrom|fnamesize=1,flags=1024\nLF|a\nLinkTo|fnamesize=2\nLT|bc\n" },
		{ EB_LINK, { 0 }, 1, 17, { 0 }, "LinkFailed|\nFailed|error=17\n" },
		{ EB_MOUNT, { -1 }, 0, 0, { "src", "/mnt", "ext4" },
		  "Mount|sourcenamesize=3,targetnamesize=4,typenamesize=4,flags=18446744073709551615\nMS|src\nMT|/mnt\nMX|ext4\n" },
		{ EB_MOUNT, { 32 }, 0, 1, { NULL, "/mnt" },
		  "Mount|targetnamesize=4,flags=32\nMT|/mnt\nMountFailed|\nFailed|error=1\n" },
		{ EB_UMOUNT, { 2 }, 0, 0, { "/mnt" }, "Umount|targetnamesize=4,flags=2\nMT|/mnt\n" },
		{ EB_UMOUNT, { 2 }, 0, 22, { 0 }, "UmountFailed|\nFailed|error=22\n" },
		{ EB_COMM, { 0 }, 0, 0, { "name" }, "Comm|size=4\nCN|name\n" },
		{ EB_COMM, { TASK + 1 }, 1, 0, { "sixteen bytes is" },
		  "Comm|size=15\nCN|sixteen bytes i\nCommOf|upid=4194306\n" },
		{ EB_CLONE, { 17, TASK + 1 }, 3, 0, { 0 }, "SysClone|flags=17\nSchedFork|pid=4194306\n" },
		{ EB_CLONE, { 17, TASK + 2 }, 2, 0, { 0 }, "SchedFork|pid=4194307\n" },
		{ EB_CLONE, { -1, 0 }, 1, 11, { 0 },
		  "SysClone|flags=18446744073709551615\nSysCloneFailed|\nFailed|error=11\n" },
		{ EB_DUP, { 3, 4, 0 }, 0, 9, { 0 }, "Dup|oldfd=3,newfd=4,flags=0\nFailed|error=9\n" },
		{ EB_PIPE, { 3, 4, 1 }, 0, 14, { 0 }, "Pipe|fd1=3,fd2=4,flags=1\nFailed|error=14\n" },
		{ EB_URING, { -1 }, 0, 12, { 0 }, "IoUring|fd=-1\nFailed|error=12\n" },
		{ EB_COMM, { 0 }, 0, 14, { "n" }, "Comm|size=1\nCN|n\nFailed|error=14\n" },
		{ EB_EXEC, { 0 }, 0, 0, { "/i", "/p", "/" },
		  "New_proc|argsize=0,prognameisize=2,prognamepsize=2,cwdsize=1\nPI|/i\nPP|/p\nCW|/\nEnd_of_args|\n" },
	};
	struct fixture *f = *state;
	struct buf want = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(f, rows[i].kind, i + 1);
		memcpy(f->r.val, rows[i].val, sizeof(f->r.val));
		f->r.have = rows[i].have;
		f->r.error = rows[i].error;
		for (int k = 0; k < EB_NR_STR; k++)
			if (rows[i].str[k])
				string(f, k, EB_S_TEXT, rows[i].str[k], "");
		send(f);
		buf_adds(&want, rows[i].want);
	}
	buf_addc(&want, 0);
	expect(f, want.s);
	buf_free(&want);
	assert_int_equal(tally(f)->t.incomplete, 0);
	assert_int_equal(tally(f)->t.events, sizeof(rows) / sizeof(*rows));
	assert_int_equal(tally(f)->t.last_time, sizeof(rows) / sizeof(*rows));
}

/* Names that a file system makes up. */
static void names_made_up_by_file_systems(void **state)
{
	static const struct {
		uint64_t magic;
		const char *name, *want;
	} rows[] = {
		{ 0x50495045, "", "pipe:[7]" },
		{ 0x534f434b, "", "socket:[7]" },
		{ 0x6e736673, "", "sixteen letters:[7]" },
		{ 0x50494446, "", "anon_inode:[pidfd]" },
		{ 0x09041934, "[eventfd]/", "anon_inode:[eventfd]" },
		{ 0x01021994, "memfd:x/", "/memfd:x (deleted)" },
		{ 0x01021994, "", "/ (deleted)" },
	};
	struct fixture *f = *state;
	struct buf want = { 0 };
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct eb_special sp = { .magic = rows[i].magic, .ino = 7, .ns = "sixteen letters" };

		/* the programs copy it without checking that it is terminated */
		sp.ns[15] = '!';
		begin(f, EB_OPEN, i + 1);
		string(f, 0, EB_S_SPECIAL, "", "");
		buf_add(&f->bytes, (char *)&sp, sizeof(sp));
		buf_adds(&f->bytes, rows[i].name);
		f->r.str[0].path = (uint32_t)(sizeof(sp) + strlen(rows[i].name));
		string(f, 1, EB_S_SAME, "", "");
		send(f);
		snprintf(text, sizeof(text), "Open|fnamesize=%zu,forigsize=%zu,flags=0,mode=0,fd=0\nFN|%s\nFO|%s\n",
			 strlen(rows[i].want), strlen(rows[i].want), rows[i].want, rows[i].want);
		buf_adds(&want, text);
	}
	/* too short for the inode number */
	begin(f, EB_OPEN, 100);
	string(f, 0, EB_S_SPECIAL, "", "short/");
	string(f, 1, EB_S_TEXT, "x", "");
	send(f);
	buf_adds(&want, "Open|fnamesize=0,forigsize=1,flags=0,mode=0,fd=0\nFN|\nFO|x\nMarks|joined=,unread=,cut=FN\n");
	buf_addc(&want, 0);
	expect(f, want.s);
	buf_free(&want);
}

/* Each form of a string, with and without its parts, and damaged. */
static void forms_of_strings(void **state)
{
	static const struct {
		enum eb_form form;
		uint8_t mark;
		const char *text, *path, *want;
	} rows[] = {
		{ EB_S_PATH, 0, "", "", "/" },
		{ EB_S_PATH, 0, "", "/", "/" },
		{ EB_S_PATH, 0, "", "b/a/", "/a/b" },
		{ EB_S_PATH, EB_UNREAD, "", "a/", "/a" },
		{ EB_S_CHILD, 0, "x", "", "/x" },
		{ EB_S_CHILD, 0, "x", "b/a/", "/a/b/x" },
		{ EB_S_CHILD, EB_DELETED, "x", "a/", "/a (deleted)/x" },
		{ EB_S_JOIN, 0, "/x", "a/", "/a//x" },
		{ EB_S_JOIN, 0, "x", "", "//x" },
	};
	struct fixture *f = *state;
	struct buf want = { 0 };
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(f, EB_OPEN, i + 1);
		string(f, 0, rows[i].form, rows[i].text, rows[i].path);
		string(f, 1, EB_S_TEXT, "o", "");
		f->r.str[0].mark = rows[i].mark;
		send(f);
		snprintf(text, sizeof(text), "Open|fnamesize=%zu,forigsize=1,flags=0,mode=0,fd=0\nFN|%s\nFO|o\n%s",
			 strlen(rows[i].want), rows[i].want,
			 rows[i].mark & EB_UNREAD ? "Marks|joined=,unread=FN,cut=\n" : "");
		buf_adds(&want, text);
	}
	buf_addc(&want, 0);
	expect(f, want.s);
	buf_free(&want);
	assert_int_equal(tally(f)->damaged, 0);
	/* an unknown form */
	begin(f, EB_OPEN, 100);
	string(f, 0, EB_S_BYTES + 1, "x", "a/");
	send(f);
	assert_int_equal(tally(f)->damaged, 1);
}

static void all_marks(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_RENAME, 1);
	string(f, 0, EB_S_TEXT, "a", "");
	string(f, 1, EB_S_TEXT, "b", "");
	f->r.str[0].mark = EB_JOINED | EB_UNREAD | EB_CUT | EB_OUTSIDE;
	f->r.str[1].mark = EB_JOINED | EB_OUTSIDE;
	/* the mark of a string that the kind does not have is ignored */
	string(f, 2, EB_S_TEXT, "c", "");
	f->r.str[2].mark = EB_CUT;
	send(f);
	begin(f, EB_EXEC, 2);
	for (int i = 0; i < EB_NR_STR; i++)
		string(f, i, EB_S_TEXT, "p", "");
	f->r.flags = EB_ARGS_UNREAD;
	f->r.str[2].mark = EB_UNREAD;
	send(f);
	begin(f, EB_CLONE, 3);
	f->r.flags = EB_ARGS_UNREAD;
	f->r.val[EB_V_CLONE_child] = TASK + 1;
	f->r.have = 1u << EB_V_CLONE_child;
	send(f);
	expect(f, "RenameFrom|fnamesize=1\nRF|a\nRenameTo|fnamesize=1\nRT|b\nMarks|joined=RF+RT,unread=RF,cut=RF,outside=RF+RT\n"
	       "New_proc|argsize=0,prognameisize=1,prognamepsize=1,cwdsize=1\nPI|p\nPP|p\nCW|p\nEnd_of_args|\nMarks|joined=,unread=CW+A,cut=\n"
	       "SchedFork|pid=4194306\nMarks|joined=,unread=args,cut=\n");
}

/* A held name is unread if none is held for the task, and left out if only others are. */
static void missing_held_names(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_UMOUNT, 1);
	string(f, 0, EB_S_HELD, "", "");
	send(f);
	begin(f, EB_HOLD, 2);
	string(f, 0, EB_S_CHILD, "x", "a/");
	f->r.str[0].mark = EB_CUT;
	send(f);
	/* the call's record says which of the held names it uses; the mark comes with the name */
	begin(f, EB_MOUNT, 3);
	string(f, 1, EB_S_HELD, "", "");
	string(f, 2, EB_S_HELD, "", "");
	f->r.str[2].arg = 1;
	send(f);
	expect(f, "Umount|targetnamesize=0,flags=0\nMT|\nMarks|joined=,unread=MT,cut=\n"
	       "Mount|targetnamesize=4,flags=0\nMT|/a/x\nMarks|joined=,unread=,cut=MT\n");
}

static void failed_calls(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_RENAME, 1);
	f->r.error = 2;
	send(f);
	begin(f, EB_CLONE, 2);
	f->r.val[EB_V_CLONE_flags] = 17;
	f->r.have = 1u << EB_V_CLONE_flags;
	f->r.error = 11;
	send(f);
	expect(f, "RenameFailed|\nFailed|error=2\nSysClone|flags=17\nSysCloneFailed|\nFailed|error=11\n");
}

static void close_range(void **state)
{
	struct fixture *f = *state;
	uint64_t open = 1 << 3 | 1 << 5 | 1 << 9;

	begin(f, EB_HOLD, 1);
	f->r.flags = EB_FIRST;
	f->r.val[0] = EB_H_CLOSE_RANGE;
	buf_add(&f->bytes, (char *)&open, sizeof(open));
	send(f);
	begin(f, EB_CLOSE_RANGE, 2);
	f->r.val[0] = 4;
	f->r.val[1] = UINT32_MAX;
	send(f);
	expect(f, "Close|fd=5\nClose|fd=9\n");
	/* One record, although it made several events. */
	assert_int_equal(tally(f)->t.records, 1);
}

static void bitmap(struct fixture *f, unsigned int flags, uint64_t from, const uint64_t *words, size_t n)
{
	begin(f, EB_HOLD, 1);
	f->r.flags = (uint8_t)flags;
	f->r.val[0] = EB_H_CLOSE_RANGE;
	f->r.val[1] = (int64_t)from;
	buf_add(&f->bytes, (const char *)words, n * sizeof(*words));
	send(f);
}

/* Use of descriptors 0 to 2, reported when their program ends or execve closes one. */
static void uses_of_standard_streams(void **state)
{
	static const struct eb_use done[] = {
		{ .did_write = 1, .wrote = 7 },
		{ .did_write = 1, .wrote = 9, .not_copied = 1, .is_file = 1, .size = 5, .mtime = 6 },
		{ .did_read = 1, .read = 3 },
	};
	struct fixture *f = *state;
	uint64_t open = 1;

	begin(f, EB_USES, 1);
	f->r.val[0] = EB_USES_RECORD;
	buf_add(&f->bytes, (const char *)done, sizeof(done));
	send(f);
	bitmap(f, EB_FIRST, 0, &open, 1);
	begin(f, EB_USES, 2000);
	f->r.val[0] = EB_USES_EXEC;
	buf_add(&f->bytes, (const char *)done, sizeof(done[0]));
	send(f);
	expect(f, "Use|fd=0\nUseWrote|bytes=7\nUseCopied|copied=1\n"
	       "Use|fd=1\nUseWrote|bytes=9\nUseFile|size=5,mtime=6\n"
	       "Use|fd=2\nUseRead|bytes=3\n"
	       "Close|fd=0\nCloseWrote|bytes=7\nCloseCopied|copied=1\nCloseExec|execve=1\n");
}

/* Values sent with an argument list: each has its own bit. */
static void program_of_an_exec(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_EXEC, 1);
	for (int i = 0; i < EB_NR_STR; i++)
		string(f, i, EB_S_TEXT, "x", "");
	f->r.val[EB_V_EXEC_ino] = 17;
	f->r.val[EB_V_EXEC_dev] = 16;
	f->r.val[EB_V_EXEC_size] = 18;
	f->r.val[EB_V_EXEC_mtime] = -19;
	f->r.have = 1u << EB_V_EXEC_dev | 1u << EB_V_EXEC_ino | 1u << EB_V_EXEC_size |
		    1u << EB_V_EXEC_mtime;
	send(f);
	expect(f, "New_proc|argsize=0,prognameisize=1,prognamepsize=1,cwdsize=1\n"
	       "ExecFile|dev=16,ino=17,size=18,mtime=-19\nPI|x\nPP|x\nCW|x\nEnd_of_args|\n");
}

static void range(struct fixture *f, uint64_t time, int64_t from, int64_t to)
{
	begin(f, EB_CLOSE_RANGE, time);
	f->r.val[0] = from;
	f->r.val[1] = to;
	send(f);
}

/* Bitmaps in parts with gaps between them; ranges that begin and end anywhere. */
static void close_ranges(void **state)
{
	static const uint64_t low[] = { 1ull << 63, 1 | 1ull << 63 }, high[] = { 1 | 1 << 1 };
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 3; i++) {
		static const struct { int64_t from, to; } r[] = { { 63, 64 }, { 64, 256 }, { 0, 62 } };

		bitmap(f, EB_FIRST, 0, low, 2);
		bitmap(f, 0, 256, high, 1);
		range(f, 100 * (i + 1), r[i].from, r[i].to);
	}
	/* nothing is left of the last bitmap, */
	range(f, 400, 0, UINT32_MAX);
	/* nor of one that a new one replaced; a part that is sent again is replaced */
	bitmap(f, EB_FIRST, 0, low, 2);
	bitmap(f, EB_FIRST, 64, high, 1);
	bitmap(f, 0, 64, low, 1);
	range(f, 500, 0, UINT32_MAX);
	expect(f, "Close|fd=63\nClose|fd=64\n"
	       "Close|fd=64\nClose|fd=127\nClose|fd=256\n"
	       "Close|fd=127\n");
	assert_int_equal(tally(f)->damaged, 0);
	assert_int_equal(tally(f)->t.records, 5);
	/* not a whole word, not aligned to a word */
	bitmap(f, EB_FIRST, 32, low, 1);
	begin(f, EB_HOLD, 1);
	f->r.val[0] = EB_H_CLOSE_RANGE;
	buf_adds(&f->bytes, "abc");
	send(f);
	bitmap(f, EB_FIRST, EB_FDS_MAX + 64, low, 1);
	assert_int_equal(tally(f)->damaged, 3);
	bitmap(f, EB_FIRST, EB_FDS_MAX, low, 1);
	assert_int_equal(tally(f)->damaged, 3);
}

static void marks_of_strings(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_OPEN, 1);
	string(f, 0, EB_S_PATH, "", "");
	f->r.str[0].mark = EB_UNREAD;
	string(f, 1, EB_S_TEXT, "x", "");
	f->r.str[1].mark = EB_JOINED | EB_CUT;
	send(f);
	expect(f, "Open|fnamesize=0,forigsize=1,flags=0,mode=0,fd=0\nFN|\nFO|x\n"
	       "Marks|joined=FO,unread=FN,cut=FO\n");
}

/* ---- symbolic links ---- */

static void make_link(struct fixture *f, uint64_t time, uint32_t ngroups, uint32_t announced)
{
	struct eb_maker m = { .fsuid = 1000, .fsgid = 100, .tgid = 7, .ngroups = announced,
			      .dir_ino = 12, .dir_mount = 34 };
	uint32_t groups[2] = { 100, 27 };

	begin(f, EB_SYMLINK, time);
	string(f, 0, EB_S_TEXT, "t", "");
	string(f, 2, EB_S_CHILD, "link", "d/");
	f->r.str[2].text = 3;
	f->r.str[2].path = 2;
	f->r.str[2].mark = f->link_mark;
	f->bytes.len = 0;
	buf_adds(&f->bytes, "tlnkd/");
	buf_add(&f->bytes, (char *)&m, sizeof(m));
	buf_add(&f->bytes, (char *)groups, ngroups * sizeof(*groups));
	send(f);
}

static void links_looked_up_for_their_maker(void **state)
{
	struct fixture *f = *state;

	f->found = 1;
	make_link(f, 1, 2, 2);
	assert_int_equal(f->maker.fsuid, 1000);
	assert_int_equal(f->maker.tgid, 7);
	assert_true(f->known);
	assert_int_equal(f->groups[1], 27);
	assert_int_equal(f->maker.dir_ino, 12);
	assert_int_equal(f->maker.dir_mount, 34);
	f->found = 0;
	make_link(f, 2, 0, 0);
	assert_true(f->known);
	f->found = -1;
	make_link(f, 3, 0, EB_GROUPS_UNREAD);
	assert_false(f->known);
	f->found = -2;
	f->link_mark = EB_OUTSIDE;
	make_link(f, 4, 0, 0);
	assert_int_equal(f->maker.dir_mount, -1);
	expect(f, "Symlink|targetnamesize=1,resolvednamesize=6,linknamesize=6\nST|t\nSR|/found\nSL|/d/lnk\n"
	       "Symlink|targetnamesize=1,linknamesize=6\nST|t\nSL|/d/lnk\n"
	       "Symlink|targetnamesize=1,linknamesize=6\nST|t\nSL|/d/lnk\nMarks|joined=,unread=SR,cut=\n"
	       "Symlink|targetnamesize=1,linknamesize=6\nST|t\nSL|/d/lnk\nMarks|joined=,unread=,cut=,untold=SR,outside=SL\n");
	assert_int_equal(tally(f)->resolved, 4);
	assert_int_equal(tally(f)->unresolved, 1);
	assert_int_equal(tally(f)->untold, 1);
}

/* Links that are not looked up: the maker is missing, or a name is incomplete. */
static void links_not_looked_up(void **state)
{
	static const struct { int at; uint8_t mark; bool maker, looked_up; } rows[] = {
		{ 0, 0, true, true }, { 0, EB_JOINED, true, true }, { 2, EB_JOINED, true, true },
		{ 0, 0, false, false }, { 0, EB_CUT, true, false }, { 2, EB_CUT, true, false },
		{ 0, EB_UNREAD, true, false }, { 2, EB_UNREAD, true, false },
	};
	struct fixture *f = *state;

	f->found = EB_TARGET_UNTOLD;
	f->damaged = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct eb_maker m = { .fsuid = 1000 + (uint32_t)i };

		begin(f, EB_SYMLINK, 1);
		string(f, 0, EB_S_TEXT, "t", "");
		string(f, 2, EB_S_TEXT, "/l", "");
		f->r.str[rows[i].at].mark = rows[i].mark;
		buf_add(&f->bytes, (char *)&m, sizeof(m) - !rows[i].maker);
		send(f);
		assert_int_equal(f->maker.fsuid == 1000 + i, rows[i].looked_up);
	}
	bpf_rec_end(f->b);
	assert_int_equal(tally(f)->resolved, 8);
	assert_int_equal(tally(f)->unresolved, 5);
	assert_int_equal(tally(f)->untold, 3);
	buf_addc(&f->p.lines, 0);
	assert_non_null(strstr(f->p.lines.s, "ST|t\n"));
	assert_non_null(strstr(f->p.lines.s, "Marks|joined=,unread=,cut=,untold=SR\n"));
	assert_non_null(strstr(f->p.lines.s, "Marks|joined=SL,unread=,cut=,untold=SR\n"));
	assert_non_null(strstr(f->p.lines.s, "Marks|joined=,unread=SR,cut=ST\n"));
}

/* More groups announced than are there, or than the limit. */
static void too_few_or_many_groups(void **state)
{
	struct fixture *f = *state;

	make_link(f, 1, 2, 3);
	assert_false(f->known);
	make_link(f, 2, 2, EB_GROUPS_MAX + 1);
	assert_false(f->known);
}

static void as_many_groups_as_allowed(void **state)
{
	struct fixture *f = *state;
	struct eb_maker m = { .ngroups = EB_GROUPS_MAX };
	uint32_t groups[EB_GROUPS_MAX + 1] = { 1, 2, 3, 4 };

	f->damaged = true;
	for (unsigned int over = 0; over < 2; over++) {
		m.ngroups = EB_GROUPS_MAX + over;
		begin(f, EB_SYMLINK, 1);
		string(f, 0, EB_S_TEXT, "t", "");
		string(f, 2, EB_S_TEXT, "/l", "");
		buf_add(&f->bytes, (char *)&m, sizeof(m));
		buf_add(&f->bytes, (char *)groups, m.ngroups * sizeof(*groups));
		send(f);
		assert_int_equal(f->known, !over);
	}
	assert_int_equal(f->groups[3], 4);
}

/* ---- order and loss ---- */

static void events_are_sorted(void **state)
{
	struct fixture *f = *state;
	static const uint64_t times[] = { 5000, 1000, 4000, 2000, 3000 };

	for (size_t i = 0; i < 5; i++) {
		begin(f, EB_CLOSE, SECOND + times[i]);
		f->r.val[0] = (int64_t)times[i] / 1000;
		send(f);
	}
	expect(f, "Close|fd=1\nClose|fd=2\nClose|fd=3\nClose|fd=4\nClose|fd=5\n");
	assert_int_equal(tally(f)->t.late, 0);
}

/* Many events, mixed as from many CPUs; those with equal times keep their order. */
static void many_events_are_sorted(void **state)
{
	enum { N = 1000 };
	struct fixture *f = *state;
	const char *at;

	for (unsigned int i = 0; i < N; i++) {
		begin(f, EB_CLOSE, SECOND + i * 7919 % N / 2);
		f->r.val[0] = i;
		send(f);
	}
	assert_int_equal(f->p.n, 0);
	bpf_rec_end(f->b);
	assert_int_equal(f->p.n, N);
	assert_int_equal(f->p.disorder, 0);
	assert_int_equal(tally(f)->t.late, 0);
	buf_addc(&f->p.lines, 0);
	at = f->p.lines.s;
	for (unsigned int t = 0, last = 0; t < N; t++) {
		unsigned int fd;

		at = strstr(at, "fd=") + 3;
		fd = (unsigned int)strtoul(at, NULL, 10);
		assert_int_equal(fd * 7919 % N / 2, t / 2);
		if (t % 2)
			assert_true(fd > last);
		last = fd;
	}
}

/* Events wait 20 ms for earlier ones, or until 65,536 wait. */
static void events_wait_for_earlier_ones(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_CLOSE, SECOND);
	send(f);
	bpf_rec_seen(f->b, SECOND + 20000000);
	assert_int_equal(f->p.n, 0);
	bpf_rec_seen(f->b, SECOND + 20000001);
	assert_int_equal(f->p.n, 1);
	for (unsigned int i = 0; i < 65536; i++) {
		begin(f, EB_CLOSE, SECOND);
		send(f);
	}
	assert_int_equal(f->p.n, 1);
	begin(f, EB_CLOSE, SECOND);
	send(f);
	assert_int_equal(f->p.n, 2);
}

/* No event waits forever; one that comes too late is still passed on. */
static void late_events_are_passed_on(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_CLOSE, SECOND);
	send(f);
	bpf_rec_seen(f->b, 2 * (uint64_t)SECOND);
	assert_int_equal(f->p.n, 1);
	begin(f, EB_CLOSE, SECOND / 2);
	f->r.val[0] = 1;
	send(f);
	expect(f, "Close|fd=0\nClose|fd=1\n");
	assert_int_equal(tally(f)->t.late, 1);
}

static void loss_is_reported(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_CLOSE, 200);
	f->r.lost = 12;
	f->r.lost_since = 100;
	send(f);
	assert_int_equal(lost(f)->records, 12);
	assert_int_equal(lost(f)->n, 1);
	assert_int_equal(lost(f)->loss[0].since, 100);
	assert_int_equal(lost(f)->loss[0].until, 200);
	assert_int_equal(f->p.n, 2);
	assert_int_equal(tally(f)->t.events, 1);
}

/* The first losses are reported in full, with the task's program; all are counted. */
static void losses_are_counted(void **state)
{
	struct fixture *f = *state;

	present(f, TASK, "/usr/bin/a-name-that-is-longer-than-thirty-one-bytes");
	for (uint32_t i = 0; i < NOTABLE_MAX + 2; i++) {
		begin(f, EB_CLOSE, 200 + i);
		f->r.upid = TASK + i;
		f->r.lost = 1 + i;
		f->r.lost_since = 100 + i;
		send(f);
	}
	assert_int_equal(lost(f)->n, NOTABLE_MAX + 2);
	assert_int_equal(lost(f)->records, (NOTABLE_MAX + 2) * (NOTABLE_MAX + 3) / 2);
	assert_string_equal(lost(f)->loss[0].program, "a-name-that-is-longer-than-thir");
	assert_string_equal(lost(f)->loss[1].program, "?");
	assert_int_equal(lost(f)->loss[NOTABLE_MAX - 1].count, NOTABLE_MAX);
	assert_int_equal(lost(f)->loss[NOTABLE_MAX - 1].upid, TASK + NOTABLE_MAX - 1);
	/* a lost record does not count as a new process */
	assert_int_equal(processes(f), 1);
}

static void lose(struct fixture *f, uint64_t upid)
{
	begin(f, EB_CLOSE, 10);
	f->r.upid = upid;
	f->r.lost = 1;
	send(f);
}

static void born(struct fixture *f, uint64_t time, uint64_t upid, int64_t flags, uint64_t child)
{
	begin(f, EB_CLONE, time);
	f->r.upid = upid;
	f->r.val[EB_V_CLONE_flags] = flags;
	f->r.val[EB_V_CLONE_child] = (int64_t)child;
	f->r.have = 1u << EB_V_CLONE_flags | 1u << EB_V_CLONE_child;
	send(f);
}

/* A task's program, which its children run, too, until they call execve. */
static void programs_are_inherited(void **state)
{
	struct fixture *f = *state;
	unsigned int n = 0;

	begin(f, EB_EXEC, 1);
	string(f, 0, EB_S_TEXT, "/lib/ld.so", "");
	string(f, 1, EB_S_TEXT, "/bin/first", "");
	send(f);
	assert_int_equal(processes(f), 1);
	born(f, 2, TASK, 0, TASK + 1);
	assert_int_equal(processes(f), 2);
	begin(f, EB_EXEC, 3);
	f->r.upid = TASK + 1;
	string(f, 1, EB_S_TEXT, "second", "");
	send(f);
	assert_int_equal(processes(f), 2);
	/* an unknown parent counts as a process, too */
	born(f, 4, TASK + 9, 0, TASK + 2);
	assert_int_equal(processes(f), 4);
	assert_int_equal(processes_now(f), 4);
	begin(f, EB_EXEC, 5);
	f->r.upid = TASK + 2;
	string(f, 1, EB_S_TEXT, "third/", "");
	send(f);
	assert_int_equal(processes(f), 4);
	/* a failed clone made no child, whatever the child's value is */
	begin(f, EB_CLONE, 6);
	f->r.val[EB_V_CLONE_child] = TASK + 3;
	f->r.have = 1u << EB_V_CLONE_flags;
	f->r.error = 12;
	send(f);
	assert_int_equal(processes(f), 4);
	assert_int_equal(processes_now(f), 4);
	for (unsigned int i = 0; i < 4; i++)
		lose(f, TASK + i);
	assert_string_equal(lost(f)->loss[n++].program, "first");
	assert_string_equal(lost(f)->loss[n++].program, "second");
	assert_string_equal(lost(f)->loss[n++].program, "third/");
	assert_string_equal(lost(f)->loss[n++].program, "?");
}

/* Tasks whose parents never appeared, and threads. */
static void tasks_without_parents(void **state)
{
	struct fixture *f = *state;

	present(f, TASK, "there");
	born(f, 1, TASK, CLONE_THREAD, TASK + 1);
	assert_int_equal(processes_now(f), 1);
	begin(f, EB_EXIT, 2);
	f->r.upid = TASK + 1;
	send(f);
	assert_int_equal(processes_now(f), 1);
	begin(f, EB_EXIT, 3);
	send(f);
	assert_int_equal(processes(f), 1);
	assert_int_equal(processes_now(f), 0);
	/* an unknown task that exits counts as a process that existed until now */
	begin(f, EB_EXIT, 4);
	f->r.upid = TASK + 99;
	send(f);
	assert_int_equal(processes_now(f), 0);
	assert_int_equal(processes(f), 2);
}

/* ---- damage ---- */

/* Records cut at every byte. */
static void truncated_records(void **state)
{
	struct fixture *f = *state;
	size_t size;

	for (size_t n = 0; ; n++) {
		begin(f, EB_OPEN, n + 1);
		string(f, 0, EB_S_CHILD, "text", "b/a/");
		string(f, 1, EB_S_JOIN, "x", "d/");
		string(f, 2, EB_S_SPECIAL, "", "abc/");
		size = sizeof(f->r) + f->bytes.len;
		if (n == size)
			break;
		send_some(f, n);
		assert_int_equal(tally(f)->damaged, n + 1);
	}
	send(f);
	assert_int_equal(tally(f)->damaged, size);
	bpf_rec_end(f->b);
	assert_int_equal(f->p.n, 1);
}

static void damaged_records(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 0x9e3779b97f4a7c15;
	struct buf copy = { 0 };

	f->damaged = true;
	for (int round = 0; round < 20000; round++) {
		size_t size;

		f->found = round % 3 - 1;
		begin(f, (enum eb_kind)(1 + round % (EB_NR_KIND - 1)), (uint64_t)round);
		f->r.val[0] = round % 5 == 0 ? EB_H_CLOSE_RANGE : 1;
		for (int i = 0; i < EB_NR_STR; i++)
			string(f, i, (enum eb_form)((round / 7 + i) % 8), "t", "b/a/");
		buf_add(&f->bytes, "argument\0another\0and some more bytes", 36);
		size = sizeof(f->r) + f->bytes.len;
		copy.len = 0;
		buf_add(&copy, (char *)&f->r, sizeof(f->r));
		buf_add(&copy, f->bytes.s, f->bytes.len);
		for (int i = 0; i < 4; i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			copy.s[(seed >> 33) % size] ^= (char)(1 << (seed >> 60 & 7));
		}
		assert_int_equal(bpf_rec_take(f->b, copy.s, size), 0);
	}
	bpf_rec_end(f->b);
	assert_int_equal(f->p.disorder, 0);
	assert_true(tally(f)->damaged > 0);
	assert_true(tally(f)->t.records > 0);
	buf_free(&copy);
}

/* Indexes of held names and positions of bitmaps that are out of range. */
static void values_out_of_range(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_OPEN, 1);
	string(f, 0, EB_S_HELD, "", "");
	f->r.str[0].arg = EB_NR_STR;
	send(f);
	begin(f, EB_HOLD, 2);
	f->r.val[0] = EB_H_CLOSE_RANGE;
	f->r.val[1] = INT64_MAX - 63;
	send(f);
	begin(f, EB_HOLD, 3);
	f->r.val[0] = EB_H_CLOSE_RANGE;
	f->r.val[1] = -64;
	send(f);
	begin(f, EB_NONE, 4);
	send(f);
	begin(f, EB_NR_KIND, 5);
	send(f);
	bpf_rec_end(f->b);
	assert_int_equal(tally(f)->damaged, 5);
	assert_int_equal(f->p.n, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest all[] = {
		T(numbers_of_events), T(strings_of_events), T(names_from_within_a_call),
		T(environment_in_parts), T(listed_variables_only), T(records_of_several_tasks),
		T(strings_and_arguments_in_parts), T(every_kind_and_its_failure),
		T(names_made_up_by_file_systems),
		T(forms_of_strings),
		T(all_marks), T(missing_held_names), T(failed_calls), T(close_range),
		T(close_ranges),
		T(uses_of_standard_streams), T(program_of_an_exec),
		T(marks_of_strings), T(links_looked_up_for_their_maker), T(links_not_looked_up),
		T(too_few_or_many_groups),
		T(as_many_groups_as_allowed), T(events_are_sorted), T(many_events_are_sorted),
		T(events_wait_for_earlier_ones), T(late_events_are_passed_on), T(loss_is_reported),
		T(losses_are_counted), T(programs_are_inherited), T(tasks_without_parents),
		T(truncated_records), T(damaged_records), T(values_out_of_range),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
