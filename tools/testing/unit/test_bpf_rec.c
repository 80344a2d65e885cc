// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the BPF programs into events: what each becomes, in what order,
 * and that damaged ones are counted and crash nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf_abi.h"
#include "bpf_rec.h"
#include "buf.h"
#include "event_lines.h"

#define TASK 4194305u		/* upid of process 1 */
#define SECOND 1000000000u
#define CLONE_THREAD 0x10000

/* A sink that prints, and looks at the order. */
struct printer {
	struct sink sink;
	struct buf lines;
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
	return 0;
}

static const struct sink_ops print_ops = { .item = print_item };

struct fixture {
	struct printer p;
	struct bpf_rec *b;
	/* of the record in the making */
	struct eb_rec r;
	struct buf bytes;
	/* what resolve() was asked, and what it says */
	struct eb_maker maker;
	uint32_t groups[4];
	bool known;
	int found;
	uint8_t link_mark;
	bool damaged;		/* any bytes may be passed to it */
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
	f->b = bpf_rec_new(&f->p.sink, &(struct bpf_rec_ops){ resolve, f });
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bpf_rec_free(f->b);
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

/* String @i; @path as the programs send it: last component first. */
static void string(struct fixture *f, int i, enum eb_form form, const char *text,
		   const char *path)
{
	f->r.str[i].form = form;
	f->r.str[i].text = (uint32_t)strlen(text);
	f->r.str[i].path = (uint32_t)strlen(path);
	buf_adds(&f->bytes, text);
	buf_adds(&f->bytes, path);
}

/* The first @size bytes of it, in memory that ends there. */
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

/* All that came is @lines, without what stands before the '!'. */
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

/* ---- what records become ---- */

static void numbers(void **state)
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

static void strings(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_OPEN, 1);
	f->r.val[0] = 3;
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

/* Names that a hook showed, in the middle of the call. */
static void held(void **state)
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

/* A string in parts, arguments, and a program's life. */
static void parts(void **state)
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
	assert_int_equal(tally(f)->t.processes_now, 1);
	begin(f, EB_EXIT, 2);
	send(f);
	expect(f, "New_proc|argsize=6,prognameisize=12,prognamepsize=12,cwdsize=1\n"
	       "PI|/bin/program\nPP|/bin/program\nCW|/\nA[0]a\nA[1]\nA[2]b\nCont|c\nCont_end|\n"
	       "End_of_args|\nExit|status=0\n");
	assert_int_equal(tally(f)->t.processes, 1);
	assert_int_equal(tally(f)->t.processes_now, 0);
	assert_int_equal(tally(f)->damaged, 0);
}

static void failures(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_RENAME, 1);
	f->r.error = 2;
	send(f);
	begin(f, EB_CLONE, 2);
	f->r.val[0] = 17;
	f->r.val[2] = 1;
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
	/* One record, however many events. */
	assert_int_equal(tally(f)->t.records, 1);
}

static void marks(void **state)
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

static void links(void **state)
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

/* More groups announced than there are, or than there can be. */
static void link_groups_missing(void **state)
{
	struct fixture *f = *state;

	make_link(f, 1, 2, 3);
	assert_false(f->known);
	make_link(f, 2, 2, EB_GROUPS_MAX + 1);
	assert_false(f->known);
}

/* ---- order and loss ---- */

static void order(void **state)
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

/* Nothing waits for ever; what comes too late is passed on all the same. */
static void late(void **state)
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

static void loss(void **state)
{
	struct fixture *f = *state;

	begin(f, EB_CLOSE, 200);
	f->r.lost = 12;
	f->r.lost_since = 100;
	send(f);
	bpf_rec_end(f->b);
	assert_int_equal(tally(f)->t.lost, 12);
	assert_int_equal(tally(f)->t.nlosses, 1);
	assert_int_equal(tally(f)->t.losses[0].since, 100);
	assert_int_equal(tally(f)->t.losses[0].until, 200);
	assert_int_equal(f->p.n, 2);
	assert_int_equal(tally(f)->t.events, 1);
}

/* Whose parents never appeared, and threads. */
static void tasks(void **state)
{
	struct fixture *f = *state;

	bpf_rec_present(f->b, TASK, "there", true);
	begin(f, EB_CLONE, 1);
	f->r.val[0] = CLONE_THREAD;
	f->r.val[1] = TASK + 1;
	f->r.val[2] = 1;
	send(f);
	assert_int_equal(tally(f)->t.processes_now, 1);
	begin(f, EB_EXIT, 2);
	f->r.upid = TASK + 1;
	send(f);
	assert_int_equal(tally(f)->t.processes_now, 1);
	begin(f, EB_EXIT, 3);
	send(f);
	begin(f, EB_EXIT, 4);
	f->r.upid = TASK + 99;
	send(f);
	assert_int_equal(tally(f)->t.processes_now, 0);
	assert_int_equal(tally(f)->t.processes, 1);
}

/* ---- damage ---- */

/* Every record of a run of them, cut everywhere. */
static void cut(void **state)
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

static void flipped(void **state)
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

/* A hold's index or a bitmap's place that cannot be. */
static void impossible(void **state)
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
		T(numbers), T(strings), T(held), T(parts), T(failures), T(close_range),
		T(marks), T(links), T(link_groups_missing), T(order), T(late), T(loss),
		T(tasks), T(cut), T(flipped), T(impossible),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
