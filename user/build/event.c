// SPDX-License-Identifier: GPL-2.0
/* The event model: its tables, making events, checking them.  See event.h. */
#include "build/event.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct et_kind_row et_kinds[ET_K_COUNT] = {
	[ET_K_NONE]	= { "none", "etrace" },
	[ET_K_EXEC]	= { "exec", "exec" },
	[ET_K_CLONE]	= { "clone", "proc" },
	[ET_K_EXIT]	= { "exit", "proc" },
	[ET_K_OPEN]	= { "open", "file" },
	[ET_K_CLOSE]	= { "close", "file" },
	[ET_K_DUP]	= { "dup", "fd" },
	[ET_K_PIPE]	= { "pipe", "fd" },
	[ET_K_RENAME]	= { "rename", "file" },
	[ET_K_LINK]	= { "link", "file" },
	[ET_K_SYMLINK]	= { "symlink", "file" },
	[ET_K_MOUNT]	= { "mount", "fs" },
	[ET_K_UMOUNT]	= { "umount", "fs" },
	[ET_K_COMM]	= { "comm", "proc" },
	[ET_K_URING]	= { "io_uring", "fd" },
	[ET_K_PRESENT]	= { "present", "proc" },
	[ET_K_SESSION]	= { "session", "etrace" },
	[ET_K_FRAGMENT]	= { "fragment", "etrace" },
	[ET_K_LOST]	= { "lost", "lost" },
};

#define SIZE(name, tag)		{ name, sizeof(name) - 1, NULL, tag, false }
#define SIZE_OPT(name, tag)	{ name, sizeof(name) - 1, NULL, tag, true }
#define VAL(name)		{ name, sizeof(name) - 1, name, ET_T_NONE, false }
#define VAL_OPT(name)		{ name, sizeof(name) - 1, name, ET_T_NONE, true }
#define VAL_AS(name, arg)	{ name, sizeof(name) - 1, arg, ET_T_NONE, false }

#define HEADER(id, text, kind, role, order, n, ...) \
	[ET_T_##id] = { text, sizeof(text) - 1, NULL, ET_K_##kind, ET_##role, \
			{ __VA_ARGS__ }, n, order }
#define TEXT(id, arg, kind, order) \
	[ET_T_##id] = { #id, sizeof(#id) - 1, arg, ET_K_##kind, ET_STRING, \
			{ { 0 } }, 0, order }

const struct et_tag_row et_tags[ET_T_COUNT] = {
	HEADER(NONE,		"",		NONE,	STRING, 0, 0, { 0 }),
	HEADER(NEW_PROC,	"New_proc",	EXEC,	BEGIN, 1, 4,
	       SIZE("argsize", ET_T_A), SIZE("prognameisize", ET_T_PI),
	       SIZE("prognamepsize", ET_T_PP), SIZE("cwdsize", ET_T_CW)),
	HEADER(END_OF_ARGS,	"End_of_args",	EXEC,	LAST, 6, 0, { 0 }),
	HEADER(SYS_CLONE,	"SysClone",	CLONE,	BEGIN, 1, 1, VAL("flags")),
	HEADER(SCHED_FORK,	"SchedFork",	CLONE,	LAST, 2, 1, VAL_AS("pid", "child")),
	HEADER(SYS_CLONE_FAILED, "SysCloneFailed", CLONE, FAILED, 3, 0, { 0 }),
	HEADER(EXIT,		"Exit",		EXIT,	BEGIN, 1, 1, VAL("status")),
	HEADER(EXIT_SIGNAL,	"ExitSignal",	EXIT,	MORE, 2, 2, VAL("signal"), VAL("core")),
	HEADER(OPEN,		"Open",		OPEN,	BEGIN, 1, 5,
	       SIZE("fnamesize", ET_T_FN), SIZE("forigsize", ET_T_FO),
	       VAL("flags"), VAL("mode"), VAL("fd")),
	HEADER(CLOSE,		"Close",	CLOSE,	BEGIN, 1, 1, VAL("fd")),
	HEADER(DUP,		"Dup",		DUP,	BEGIN, 1, 3,
	       VAL("oldfd"), VAL("newfd"), VAL("flags")),
	HEADER(PIPE,		"Pipe",		PIPE,	BEGIN, 1, 3,
	       VAL("fd1"), VAL("fd2"), VAL("flags")),
	HEADER(RENAME_FROM,	"RenameFrom",	RENAME,	BEGIN, 1, 1,
	       SIZE("fnamesize", ET_T_RF)),
	HEADER(RENAME2_FROM,	"Rename2From",	RENAME,	BEGIN, 1, 2,
	       SIZE("fnamesize", ET_T_RF), VAL("flags")),
	HEADER(RENAME_TO,	"RenameTo",	RENAME,	MIDDLE, 3, 1,
	       SIZE("fnamesize", ET_T_RT)),
	HEADER(RENAME_FAILED,	"RenameFailed",	RENAME,	FAILED, 5, 0, { 0 }),
	HEADER(LINK_FROM,	"LinkFrom",	LINK,	BEGIN, 1, 1,
	       SIZE("fnamesize", ET_T_LF)),
	HEADER(LINKAT_FROM,	"LinkatFrom",	LINK,	BEGIN, 1, 2,
	       SIZE("fnamesize", ET_T_LF), VAL("flags")),
	HEADER(LINK_TO,		"LinkTo",	LINK,	MIDDLE, 3, 1,
	       SIZE("fnamesize", ET_T_LT)),
	HEADER(LINK_FAILED,	"LinkFailed",	LINK,	FAILED, 5, 0, { 0 }),
	HEADER(SYMLINK,		"Symlink",	SYMLINK, BEGIN, 1, 3,
	       SIZE("targetnamesize", ET_T_ST), SIZE_OPT("resolvednamesize", ET_T_SR),
	       SIZE("linknamesize", ET_T_SL)),
	HEADER(MOUNT,		"Mount",	MOUNT,	BEGIN, 1, 4,
	       SIZE_OPT("sourcenamesize", ET_T_MS), SIZE("targetnamesize", ET_T_MT),
	       SIZE_OPT("typenamesize", ET_T_MX), VAL("flags")),
	HEADER(MOUNT_FAILED,	"MountFailed",	MOUNT,	FAILED, 5, 0, { 0 }),
	HEADER(UMOUNT,		"Umount",	UMOUNT,	BEGIN, 1, 2,
	       SIZE("targetnamesize", ET_T_MT), VAL("flags")),
	HEADER(UMOUNT_FAILED,	"UmountFailed",	UMOUNT,	FAILED, 5, 0, { 0 }),
	HEADER(COMM,		"Comm",		COMM,	BEGIN, 1, 1,
	       SIZE("size", ET_T_CN)),
	HEADER(URING,		"IoUring",	URING,	BEGIN, 1, 1, VAL("fd")),
	HEADER(PRESENT,		"Present",	PRESENT, BEGIN, 1, 6,
	       SIZE("commsize", ET_T_TN), SIZE_OPT("pathsize", ET_T_TP),
	       SIZE_OPT("cwdsize", ET_T_TW), SIZE_OPT("argvsize", ET_T_TA),
	       VAL("process"), VAL("parent")),
	HEADER(SESSION,		"Session",	SESSION, BEGIN, 1, 8,
	       SIZE("backendsize", ET_T_VB), SIZE("commandsize", ET_T_VC),
	       SIZE("verdictsize", ET_T_VT), VAL("complete"), VAL_OPT("status"),
	       VAL("records"), VAL("arrived"), VAL("lost")),
	TEXT(PI, "interpreter",	EXEC, 2),
	TEXT(PP, "path",	EXEC, 3),
	TEXT(CW, "cwd",		EXEC, 4),
	TEXT(A,  "argv",	EXEC, 5),
	TEXT(FN, "path",	OPEN, 2),
	TEXT(FO, "original",	OPEN, 3),
	TEXT(RF, "from",	RENAME, 2),
	TEXT(RT, "to",		RENAME, 4),
	TEXT(LF, "from",	LINK, 2),
	TEXT(LT, "to",		LINK, 4),
	TEXT(ST, "target",	SYMLINK, 2),
	TEXT(SR, "resolved",	SYMLINK, 3),
	TEXT(SL, "path",	SYMLINK, 4),
	TEXT(MS, "source",	MOUNT, 2),
	TEXT(MT, "target",	FRAGMENT, 3),
	TEXT(MX, "type",	MOUNT, 4),
	TEXT(CN, "comm",	COMM, 2),
	TEXT(TN, "comm",	PRESENT, 2),
	TEXT(TP, "path",	PRESENT, 3),
	TEXT(TW, "cwd",		PRESENT, 4),
	TEXT(TA, "arguments",	PRESENT, 5),
	TEXT(VB, "backend",	SESSION, 2),
	TEXT(VC, "command",	SESSION, 3),
	TEXT(VT, "verdict",	SESSION, 4),
	[ET_T_OTHER] = { "", 0, NULL, ET_K_NONE, ET_STRING, { { 0 } }, 0, 9 },
};

/* ---- making events ---- */

#define KEEP_BYTES	4096u	/* memory that an event keeps for the next */
#define KEEP_ITEMS	64u

void et_init(struct et_event *ev)
{
	memset(ev, 0, sizeof(*ev));
}

void et_fini(struct et_event *ev)
{
	free(ev->items);
	free(ev->marks);
	free(ev->bytes);
	et_init(ev);
}

void et_reset(struct et_event *ev, enum et_kind kind, uint64_t upid,
	      uint32_t cpu, uint64_t time)
{
	ev->kind = (uint8_t)kind;
	ev->flags = 0;
	ev->nvals = 0;
	ev->cpu = ev->last_cpu = cpu;
	ev->time = time;
	ev->last_time = time - 1;
	ev->upid = upid;
	ev->place = 0;
	ev->nitems = ev->nmarks = 0;
	ev->nbytes = 0;
	if (ev->bytes_cap > KEEP_BYTES) {
		free(ev->bytes);
		ev->bytes = NULL;
		ev->bytes_cap = 0;
	}
	if (ev->items_cap > KEEP_ITEMS) {
		free(ev->items);
		ev->items = NULL;
		ev->items_cap = 0;
	}
	if (ev->marks_cap > KEEP_ITEMS) {
		free(ev->marks);
		ev->marks = NULL;
		ev->marks_cap = 0;
	}
}

static struct et_mark *add_mark(struct et_event *ev)
{
	const struct et_item *last = &ev->items[ev->nitems - 1];
	struct et_mark *m;

	ev->marks = xgrow(ev->marks, &ev->marks_cap, ev->nmarks + 1, sizeof(*m));
	m = &ev->marks[ev->nmarks++];
	memset(m, 0, sizeof(*m));
	m->item = ev->nitems - 1;
	m->off = et_tags[last->tag].role == ET_STRING ? last->len : 0;
	return m;
}

static void stamp(struct et_event *ev, uint32_t cpu, uint64_t time, bool must)
{
	uint64_t next = ev->last_time + 1;
	struct et_mark *m;

	ev->last_time = time > next ? time : next;
	if (cpu == ev->last_cpu && ev->last_time == next && !must)
		return;
	m = add_mark(ev);
	m->what = ET_M_STAMP;
	m->cpu = ev->last_cpu = cpu;
	m->time = ev->last_time;
}

void et_stamp(struct et_event *ev, uint32_t cpu, uint64_t time)
{
	stamp(ev, cpu, time, false);
}

void et_go_on(struct et_event *ev, bool newline, uint32_t cpu, uint64_t time)
{
	if (newline)
		et_add_bytes(ev, "\n", 1);
	et_stamp(ev, cpu, time);
}

/*
 * An argument that went on with nothing, not even behind a newline: there is no
 * line for that, so what comes next has the stamp.  Return: whether it needs one.
 */
static bool drop_idle_stamp(struct et_event *ev)
{
	const struct et_item *last = &ev->items[ev->nitems - 1];
	const struct et_mark *m = ev->nmarks ? &ev->marks[ev->nmarks - 1] : NULL;

	if (last->tag != ET_T_A || !last->len || !m || m->what != ET_M_STAMP ||
	    m->item != ev->nitems - 1 || m->off != last->len ||
	    ev->bytes[last->off + last->len - 1] == '\n')
		return false;
	ev->nmarks--;
	return true;
}

void et_gap(struct et_event *ev, uint32_t n)
{
	struct et_mark *m = add_mark(ev);

	m->what = ET_M_GAP;
	m->n = n;
}

struct et_item *et_add_item(struct et_event *ev, enum et_tag tag, uint32_t cpu,
			    uint64_t time)
{
	bool moved = ev->nitems && drop_idle_stamp(ev);
	struct et_item *it;

	if (ev->nitems == ev->items_cap)
		ev->items = xgrow(ev->items, &ev->items_cap, ev->nitems + 1, sizeof(*it));
	it = &ev->items[ev->nitems++];
	*it = (struct et_item){ .tag = (uint8_t)tag };
	if (et_tags[tag].role == ET_STRING) {
		it->off = (uint32_t)ev->nbytes;
	} else {
		it->off = ev->nvals;
		ev->nvals = (uint8_t)(ev->nvals + et_tags[tag].nfields);
		if (et_tags[tag].role == ET_FAILED)
			ev->flags |= ET_F_FAILED;
	}
	stamp(ev, cpu, time, moved);
	return it;
}

void et_add_bytes(struct et_event *ev, const char *s, size_t n)
{
	size_t need = ev->nbytes + n;

	if (!n)
		return;
	if (need > ev->bytes_cap)
		ev->bytes = xgrow(ev->bytes, &ev->bytes_cap, need > 256 ? need : 256, 1);
	memcpy(ev->bytes + ev->nbytes, s, n);
	ev->nbytes = need;
	ev->items[ev->nitems - 1].len += (uint32_t)n;
}

void et_set_field(struct et_event *ev, unsigned int field, int64_t v, bool big)
{
	struct et_item *it = &ev->items[ev->nitems - 1];

	it->have |= (uint8_t)(1u << field);
	if (big)
		it->big |= (uint8_t)(1u << field);
	ev->vals[it->off + field] = v;
}

/* ---- looking at events ---- */

const struct et_item *et_find(const struct et_event *ev, enum et_tag tag)
{
	for (uint32_t i = 0; i < ev->nitems; i++)
		if (ev->items[i].tag == tag)
			return &ev->items[i];
	return NULL;
}

bool et_value(const struct et_event *ev, enum et_tag tag, const char *field,
	      int64_t *v)
{
	const struct et_tag_row *row = &et_tags[tag];
	const struct et_item *it = et_find(ev, tag);

	for (unsigned int i = 0; it && i < row->nfields; i++)
		if (!strcmp(row->fields[i].name, field) && it->have >> i & 1) {
			*v = ev->vals[it->off + i];
			return true;
		}
	return false;
}

bool et_no_args(const struct et_event *ev)
{
	int64_t size;

	return et_value(ev, ET_T_NEW_PROC, "argsize", &size) && !size &&
	       !et_find(ev, ET_T_A);
}

size_t et_other_name(const struct et_event *ev, const struct et_item *it)
{
	const char *s = et_bytes(ev, it);
	size_t n = 0;

	/* an upper-case letter: no name of ours begins so in FXT or JSON */
	if (!it->len || s[0] < 'A' || s[0] > 'Z')
		return 0;
	while (n < it->len && ((s[n] >= 'a' && s[n] <= 'z') ||
			       (s[n] >= 'A' && s[n] <= 'Z') ||
			       (s[n] >= '0' && s[n] <= '9') || s[n] == '_'))
		n++;
	/* "_hex" is the suffix of a string's bytes in FXT and JSON */
	if (n > 4 && !memcmp(s + n - 4, "_hex", 4))
		return 0;
	return n < it->len && n < 32 && s[n] == '|' ? n : 0;
}

/* Whether an OTHER item has a name of its own. */
static bool other_regular(const struct et_event *ev, uint32_t i)
{
	size_t n = et_other_name(ev, &ev->items[i]);

	if (!n)
		return false;
	for (uint32_t j = 0; j < i; j++)
		if (ev->items[j].tag == ET_T_OTHER &&
		    et_other_name(ev, &ev->items[j]) == n &&
		    !memcmp(et_bytes(ev, &ev->items[j]), et_bytes(ev, &ev->items[i]), n))
			return false;
	return true;
}

/* Whether the sizes of a header and the strings of the event fit one another. */
static bool sizes_regular(const struct et_event *ev, const struct et_item *it)
{
	const struct et_tag_row *row = &et_tags[it->tag];

	for (unsigned int i = 0; i < row->nfields; i++) {
		enum et_tag tag = row->fields[i].size_of;

		/* no arguments at all: there is no item then */
		if (tag == ET_T_NONE || (tag == ET_T_A && !ev->vals[it->off + i]))
			continue;
		if ((it->have >> i & 1) != (et_find(ev, tag) != NULL))
			return false;
	}
	return true;
}

/* A header with all of its fields that is an event by itself. */
static bool is_plain_line(const struct et_item *it)
{
	const struct et_tag_row *row = &et_tags[it->tag];

	return row->role == ET_BEGIN && it->have == (1u << row->nfields) - 1 &&
	       (it->tag == ET_T_CLOSE || it->tag == ET_T_EXIT || it->tag == ET_T_DUP ||
		it->tag == ET_T_PIPE);
}

bool et_regular(const struct et_event *ev)
{
	unsigned int order = 0;
	uint32_t arg = 0, others = 0;

	if (ev->flags & (ET_F_INCOMPLETE | ET_F_ODD) || ev->kind == ET_K_FRAGMENT)
		return false;
	if (ev->nitems == 1 && is_plain_line(&ev->items[0]))
		return true;
	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct et_item *it = &ev->items[i];
		const struct et_tag_row *row = &et_tags[it->tag];

		if (it->tag == ET_T_A) {
			if (it->index != arg++)
				return false;
		} else if (it->tag == ET_T_OTHER) {
			/* few, or looking for doubles takes too long */
			if (++others > 16 || !other_regular(ev, i))
				return false;
		} else if (row->order <= order) {
			return false;
		}
		if (row->order < order || (row->role != ET_STRING && !sizes_regular(ev, it)))
			return false;
		order = row->order;
	}
	return true;
}

/* Findings are counted beyond @max, but only so many are kept. */
struct findings {
	struct et_finding *f;
	unsigned int n, max;
};

static void found(struct findings *fs, enum et_fault fault, enum et_tag tag,
		  int64_t want, int64_t have)
{
	if (fs->n < fs->max)
		fs->f[fs->n] = (struct et_finding){ fault, tag, want, have };
	fs->n++;
}

/* An announced size against the string that came; the argument list is one. */
static void check_size(const struct et_event *ev, struct findings *fs,
		       enum et_tag tag, int64_t want)
{
	int64_t have = 0;
	bool there = false;

	for (uint32_t i = 0; i < ev->nitems; i++) {
		if (ev->items[i].tag != tag)
			continue;
		there = true;
		/* argsize counts the NUL of each argument */
		have += ev->items[i].len + (tag == ET_T_A ? 1 : 0);
		if (tag != ET_T_A)
			break;
	}
	if (want < 0)
		found(fs, ET_UNREAD, tag, 0, have);
	else if (!there && (want > 0 || tag != ET_T_A))
		found(fs, ET_NO_STRING, tag, want, 0);
	else if (have < want)
		found(fs, ET_SHORT, tag, want, have);
	else if (have > want)
		found(fs, ET_LONG, tag, want, have);
}

/* The headers that end a whole event of a kind; NONE: strings may end it. */
static bool has_end(const struct et_event *ev)
{
	switch (ev->kind) {
	case ET_K_EXEC:
		return et_find(ev, ET_T_END_OF_ARGS);
	case ET_K_CLONE:
		return et_find(ev, ET_T_SCHED_FORK) || ev->flags & ET_F_FAILED;
	case ET_K_RENAME:
		return et_find(ev, ET_T_RENAME_TO) || ev->flags & ET_F_FAILED;
	case ET_K_LINK:
		return et_find(ev, ET_T_LINK_TO) || ev->flags & ET_F_FAILED;
	default:
		return true;
	}
}

/* Whether the first item may begin an event. */
static bool has_begin(const struct et_event *ev)
{
	switch (ev->items[0].tag) {
	case ET_T_SCHED_FORK:		/* fork */
	case ET_T_SYS_CLONE_FAILED:	/* failed fork */
	case ET_T_RENAME_FAILED:	/* forms (3), (4) and (2) of the document */
	case ET_T_LINK_FAILED:
	case ET_T_UMOUNT_FAILED:
		return true;
	default:
		return et_tags[ev->items[0].tag].role == ET_BEGIN;
	}
}

_Static_assert(ET_T_COUNT <= 64, "et_check() keeps a set of tags in 64 bits");

unsigned int et_check(const struct et_event *ev, struct et_finding *f,
		      unsigned int max)
{
	struct findings fs = { f, 0, max };
	uint64_t announced = 0;
	bool begun;

	if (!ev->nitems || ev->kind == ET_K_LOST)
		return 0;
	/* half of all events are one line: see at once that it is whole */
	if (ev->nitems == 1 && is_plain_line(&ev->items[0]))
		return 0;
	begun = ev->kind != ET_K_FRAGMENT && has_begin(ev);
	if (!begun)
		found(&fs, ET_NO_BEGIN, ev->items[0].tag, 0, 0);
	else if (!has_end(ev))
		found(&fs, ET_NO_END, ev->items[ev->nitems - 1].tag, 0, 0);
	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct et_item *it = &ev->items[i];
		const struct et_tag_row *row = &et_tags[it->tag];

		if (it->flags & ET_I_OPEN)
			found(&fs, ET_NO_STRING_END, it->tag, 0, 0);
		/* a string's header is before it, or it is lost */
		if (begun && row->role == ET_STRING && it->tag != ET_T_OTHER &&
		    !(announced >> it->tag & 1))
			found(&fs, ET_NO_BEGIN, it->tag, 0, 0);
		for (unsigned int j = 0; j < row->nfields; j++) {
			announced |= UINT64_C(1) << row->fields[j].size_of;
			if (!(it->have >> j & 1)) {
				if (!row->fields[j].optional)
					found(&fs, ET_NO_FIELD, it->tag, j, 0);
			} else if (row->fields[j].size_of != ET_T_NONE) {
				check_size(ev, &fs, row->fields[j].size_of,
					   ev->vals[it->off + j]);
			}
		}
	}
	for (uint32_t i = 0; i < ev->nmarks; i++)
		if (ev->marks[i].what == ET_M_GAP)
			found(&fs, ET_GAP_PARTS, ev->items[ev->marks[i].item].tag,
			      ev->marks[i].n, 0);
	return fs.n;
}

void et_finding_text(const struct et_finding *f, char *buf, size_t size)
{
	const char *name = et_tags[f->tag].name;

	switch (f->fault) {
	case ET_OK:
		snprintf(buf, size, "nothing");
		break;
	case ET_NO_BEGIN:
		snprintf(buf, size, "the lines before %s are missing", name);
		break;
	case ET_NO_END:
		snprintf(buf, size, "the lines after %s are missing", name);
		break;
	case ET_NO_FIELD:
		snprintf(buf, size, "%s: no %s", name, et_tags[f->tag].fields[f->want].name);
		break;
	case ET_NO_STRING:
		snprintf(buf, size, "%s: missing, with all its %" PRId64 " bytes", name, f->want);
		break;
	case ET_UNREAD:
		snprintf(buf, size, "%s: could not be read by the tracer", name);
		break;
	case ET_SHORT:
		snprintf(buf, size, "%s: %" PRId64 " of %" PRId64 " bytes missing", name,
			 f->want - f->have, f->want);
		break;
	case ET_LONG:
		snprintf(buf, size, "%s: %" PRId64 " bytes more than the %" PRId64 " announced",
			 name, f->have - f->want, f->want);
		break;
	case ET_GAP_PARTS:
		snprintf(buf, size, "%s: %" PRId64 " parts missing", name, f->want);
		break;
	case ET_NO_STRING_END:
		snprintf(buf, size, "%s: its end is missing", name);
		break;
	}
}
