// SPDX-License-Identifier: GPL-2.0
/* Records into events.  See rec_events.h; the records' rules: kernel/emit.c. */
#include "module/rec_events.h"
#include "base/buf.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The pieces of an event follow one another at once, so an event that is not
 * whole holds back few others.  When its rest was lost it goes on alone after
 * so many.
 */
#define WAIT_EVENTS	4096u
#define WAIT_BYTES	(16u << 20)

/* Numbers in records: enum etrace_tag and ETRACE_PIECE_* of kernel/etrace.h. */
static const uint8_t string_tags[] = {
	ET_T_PI, ET_T_PP, ET_T_CW, ET_T_FN, ET_T_FO, ET_T_RF, ET_T_RT, ET_T_LF,
	ET_T_LT, ET_T_ST, ET_T_SR, ET_T_SL, ET_T_MS, ET_T_MT, ET_T_MX, ET_T_CN,
};
#define PIECE_CONT	1	/* begins behind a newline */
#define PIECE_OPEN	2	/* the next piece begins behind a newline */
#define PIECE_LAST	4	/* ends the string */

/* A header, and where its values come from. */
struct head_row {
	uint8_t tag;				/* ET_T_NONE: no header */
	uint8_t field[ET_MAX_FIELDS];		/* enum rec_field, in et_tags' order */
	bool optional[ET_MAX_FIELDS];		/* not there if negative */
};

/* A string of an event, in the order of the record's inl. */
struct string_row {
	uint8_t tag;
	uint8_t len, bytes;			/* enum rec_field */
	uint8_t head;				/* header before it, or ET_T_NONE */
};

/* What a record of a kind becomes; what is not in the table is in make(). */
static const struct kind_row {
	uint8_t kind;				/* enum et_kind */
	struct head_row head;
	struct string_row str[3];
	unsigned int nstr;
	uint8_t failed;				/* header of a call that failed */
} kinds[REC_KIND_COUNT] = {
	[REC_exec] = { ET_K_EXEC, { ET_T_NEW_PROC, { REC_F_args_len,
		REC_F_interp_len, REC_F_path_len, REC_F_cwd_len }, { false } }, {
		{ ET_T_PI, REC_F_interp_len, REC_F_interp, ET_T_NONE },
		{ ET_T_PP, REC_F_path_len, REC_F_path, ET_T_NONE },
		{ ET_T_CW, REC_F_cwd_len, REC_F_cwd, ET_T_NONE } }, 3, ET_T_NONE },
	[REC_clone] = { ET_K_CLONE, { ET_T_NONE, { 0 }, { false } },
		{ { 0 } }, 0, ET_T_SYS_CLONE_FAILED },
	[REC_exit] = { ET_K_EXIT, { ET_T_EXIT, { REC_F_status }, { false } },
		{ { 0 } }, 0, ET_T_NONE },
	[REC_open] = { ET_K_OPEN, { ET_T_OPEN, { REC_F_name_len, REC_F_orig_len,
		REC_F_flags, REC_F_mode, REC_F_fd }, { false } }, {
		{ ET_T_FN, REC_F_name_len, REC_F_name, ET_T_NONE },
		{ ET_T_FO, REC_F_orig_len, REC_F_orig, ET_T_NONE } }, 2, ET_T_NONE },
	[REC_close] = { ET_K_CLOSE, { ET_T_CLOSE, { REC_F_fd }, { false } },
		{ { 0 } }, 0, ET_T_NONE },
	[REC_dup] = { ET_K_DUP, { ET_T_DUP, { REC_F_oldfd, REC_F_newfd,
		REC_F_flags }, { false } }, { { 0 } }, 0, ET_T_NONE },
	[REC_pipe] = { ET_K_PIPE, { ET_T_PIPE, { REC_F_fd1, REC_F_fd2,
		REC_F_flags }, { false } }, { { 0 } }, 0, ET_T_NONE },
	[REC_rename] = { ET_K_RENAME, { ET_T_RENAME_FROM, { REC_F_from_len },
		{ false } }, {
		{ ET_T_RF, REC_F_from_len, REC_F_from, ET_T_NONE },
		{ ET_T_RT, REC_F_to_len, REC_F_to, ET_T_RENAME_TO } },
		2, ET_T_RENAME_FAILED },
	[REC_link] = { ET_K_LINK, { ET_T_LINK_FROM, { REC_F_from_len },
		{ false } }, {
		{ ET_T_LF, REC_F_from_len, REC_F_from, ET_T_NONE },
		{ ET_T_LT, REC_F_to_len, REC_F_to, ET_T_LINK_TO } },
		2, ET_T_LINK_FAILED },
	[REC_symlink] = { ET_K_SYMLINK, { ET_T_SYMLINK, { REC_F_target_len,
		REC_F_resolved_len, REC_F_link_len }, { false, true } }, {
		{ ET_T_ST, REC_F_target_len, REC_F_target, ET_T_NONE },
		{ ET_T_SR, REC_F_resolved_len, REC_F_resolved, ET_T_NONE },
		{ ET_T_SL, REC_F_link_len, REC_F_link, ET_T_NONE } }, 3, ET_T_NONE },
	[REC_mount] = { ET_K_MOUNT, { ET_T_MOUNT, { REC_F_source_len,
		REC_F_target_len, REC_F_type_len, REC_F_flags },
		{ true, false, true } }, {
		{ ET_T_MS, REC_F_source_len, REC_F_source, ET_T_NONE },
		{ ET_T_MT, REC_F_target_len, REC_F_target, ET_T_NONE },
		{ ET_T_MX, REC_F_type_len, REC_F_type, ET_T_NONE } },
		3, ET_T_MOUNT_FAILED },
	[REC_umount] = { ET_K_UMOUNT, { ET_T_UMOUNT, { REC_F_target_len,
		REC_F_flags }, { false } }, {
		{ ET_T_MT, REC_F_target_len, REC_F_target, ET_T_NONE } },
		1, ET_T_UMOUNT_FAILED },
	[REC_comm] = { ET_K_COMM, { ET_T_COMM, { REC_F_comm_len }, { false } }, {
		{ ET_T_CN, REC_F_comm_len, REC_F_comm, ET_T_NONE } }, 1, ET_T_NONE },
	[REC_uring] = { ET_K_URING, { ET_T_URING, { REC_F_fd }, { false } },
		{ { 0 } }, 0, ET_T_NONE },
};

/* An event in the queue, or the one in the making. */
struct node {
	struct et_event ev;
	struct node *next;
	enum rec_kind kind;		/* of its first record */
	bool queued;
	bool done;			/* no more pieces will come */
	bool doubtful;			/* to be checked before it leaves */
	bool arg_open;			/* the last argument goes on */
	int32_t next_part;		/* of the last string */
};

struct rec_events {
	const struct rec_formats *formats;
	struct sink *sink;
	struct rec_tally tally;
	struct map64 open;		/* upid to the node that is not done */
	struct map64 names;		/* upid to the name of its program */
	struct map64 threads;		/* upids that are no processes */
	struct node *head, **tail;	/* events in order */
	size_t nqueue, bytes;
	struct node *spare;
	uint64_t passed;		/* time of the latest event let out */
	int err;
};

struct rec_events *rec_events_new(const struct rec_formats *formats,
				  struct sink *sink)
{
	struct rec_events *e = xcalloc(1, sizeof(*e));

	e->formats = formats;
	e->sink = sink;
	e->tail = &e->head;
	return e;
}

static void free_nodes(struct node *n)
{
	while (n) {
		struct node *next = n->next;

		et_fini(&n->ev);
		free(n);
		n = next;
	}
}

void rec_events_free(struct rec_events *e)
{
	const struct map64_slot *slot;
	size_t i = 0;

	if (!e)
		return;
	/* those that have left the queue unfinished */
	while ((slot = map64_each(&e->open, &i))) {
		struct node *n = (struct node *)(uintptr_t)slot->value;

		if (!n->queued) {
			n->next = NULL;
			free_nodes(n);
		}
	}
	free_nodes(e->head);
	free_nodes(e->spare);
	i = 0;
	while ((slot = map64_each(&e->names, &i)))
		free((void *)(uintptr_t)slot->value);
	map64_clear(&e->open);
	map64_clear(&e->names);
	map64_clear(&e->threads);
	free(e);
}

const struct rec_tally *rec_events_tally(const struct rec_events *e)
{
	return &e->tally;
}

/* ---- what the tasks run, for the summary ---- */

static const char *name_of(const struct rec_events *e, uint64_t upid)
{
	const uint64_t *p = map64_get(&e->names, upid);

	return p ? (const char *)(uintptr_t)*p : "";
}

static void set_name(struct rec_events *e, uint64_t upid, const char *s, size_t len)
{
	const uint64_t *p = map64_get(&e->names, upid);
	char *name = xmalloc(len + 1);

	memcpy(name, s, len);
	name[len] = 0;
	if (p)
		free((void *)(uintptr_t)*p);
	map64_put(&e->names, upid, (uintptr_t)name);
}

static void born(struct rec_events *e, uint64_t upid, bool process)
{
	if (process) {
		e->tally.processes++;
		e->tally.processes_now++;
	} else {
		map64_put(&e->threads, upid, 1);
	}
}

void rec_events_present(struct rec_events *e, uint64_t upid, const char *program,
			bool process)
{
	set_name(e, upid, program, strlen(program));
	born(e, upid, process);
}

static void task_ends(struct rec_events *e, uint64_t upid)
{
	const uint64_t *p = map64_get(&e->names, upid);

	if (p) {
		free((void *)(uintptr_t)*p);
		map64_remove(&e->names, upid);
	}
	if (!map64_remove(&e->threads, upid) && e->tally.processes_now)
		e->tally.processes_now--;
}

static void task_execs(struct rec_events *e, const struct et_event *ev)
{
	const struct et_item *it = et_find(ev, ET_T_PP);
	const char *s, *slash;

	/* the task that tracing began with is in no clone */
	if (!map64_get(&e->names, ev->upid) && !map64_get(&e->threads, ev->upid))
		born(e, ev->upid, true);
	if (!it)
		return;
	s = et_bytes(ev, it);
	slash = memrchr(s, '/', it->len);
	if (slash)
		set_name(e, ev->upid, slash + 1, it->len - (size_t)(slash + 1 - s));
	else
		set_name(e, ev->upid, s, it->len);
}

static void task_clones(struct rec_events *e, const struct rec *r, uint64_t upid)
{
	uint64_t child = (uint64_t)rec_num(r, REC_F_child);
	const char *name = name_of(e, upid);

	if (rec_num(r, REC_F_error))
		return;
	born(e, child, !(rec_num(r, REC_F_flags) & CLONE_THREAD));
	set_name(e, child, name, strlen(name));
}

static void note_loss(struct rec_events *e, const struct rec *r, uint64_t upid,
		      uint64_t time)
{
	uint64_t count = (uint64_t)rec_num(r, REC_F_count);
	struct rec_loss *l;

	e->tally.lost += count;
	if (e->tally.nlosses++ >= REC_LOSSES_MAX)
		return;
	l = &e->tally.losses[e->tally.nlosses - 1];
	l->upid = upid;
	l->since = (uint64_t)rec_num(r, REC_F_since);
	l->until = time;
	l->count = count;
	snprintf(l->program, sizeof(l->program), "%s", name_of(e, upid));
}

/* ---- letting events out ---- */

static void let_out(struct rec_events *e, struct node *n)
{
	struct et_event *ev = &n->ev;
	int err;

	if (n->doubtful && et_check(ev, NULL, 0)) {
		ev->flags |= ET_F_INCOMPLETE;
		e->tally.incomplete++;
	}
	if (ev->time < e->passed) {
		ev->flags |= ET_F_LATE;
		e->tally.late++;
	} else {
		e->passed = ev->time;
	}
	e->tally.events++;
	if (ev->kind == ET_K_EXEC)
		task_execs(e, ev);
	err = sink_item(e->sink, ev);
	if (!e->err)
		e->err = err;
}

static void put_spare(struct rec_events *e, struct node *n)
{
	n->next = e->spare;
	e->spare = n;
}

static void drain(struct rec_events *e)
{
	while (e->head) {
		struct node *n = e->head;

		if (!n->done && e->nqueue <= WAIT_EVENTS && e->bytes <= WAIT_BYTES)
			break;
		e->head = n->next;
		if (!e->head)
			e->tail = &e->head;
		e->nqueue--;
		e->bytes -= n->ev.nbytes;
		n->queued = false;
		if (!n->done)
			continue;	/* its pieces still find it in e->open */
		let_out(e, n);
		put_spare(e, n);
	}
}

static struct node *get_node(struct rec_events *e)
{
	struct node *n = e->spare;

	if (n)
		e->spare = n->next;
	else
		n = xcalloc(1, sizeof(*n));
	n->next = NULL;
	n->queued = n->done = n->doubtful = n->arg_open = false;
	n->next_part = 0;
	return n;
}

static void enqueue(struct rec_events *e, struct node *n)
{
	*e->tail = n;
	e->tail = &n->next;
	e->nqueue++;
	e->bytes += n->ev.nbytes;
	n->queued = true;
}

/* The event gets no more pieces. */
static void finish(struct rec_events *e, struct node *n)
{
	n->done = true;
	n->doubtful = true;
	map64_remove(&e->open, n->ev.upid);
	if (!n->queued) {
		let_out(e, n);
		put_spare(e, n);
	}
}

/* ---- making events ---- */

static void add_head(struct et_event *ev, const struct rec *r,
		     const struct head_row *h, enum et_tag tag, uint32_t cpu,
		     uint64_t time)
{
	unsigned int n = et_tags[tag].nfields;

	et_add_item(ev, tag, cpu, time);
	for (unsigned int i = 0; i < n; i++) {
		int64_t v = rec_num(r, h->field[i]);

		if (h->optional[i] && v < 0)
			continue;
		et_set_field(ev, i, v, v < 0 && r->layout->field[h->field[i]].size == 8 &&
			     !r->layout->field[h->field[i]].sign);
	}
}

static void add_size_head(struct et_event *ev, enum et_tag tag, int64_t size,
			  uint32_t cpu, uint64_t time)
{
	et_add_item(ev, tag, cpu, time);
	et_set_field(ev, 0, size, false);
}

static void add_text(struct et_event *ev, const char *text, uint32_t cpu,
		     uint64_t time)
{
	et_add_item(ev, ET_T_OTHER, cpu, time);
	et_add_bytes(ev, text, strlen(text));
}

/* The names of the strings that have a mark, as the module prints them. */
static void add_marks(struct et_event *ev, const struct rec *r, const struct kind_row *row,
		      uint32_t cpu, uint64_t time)
{
	static const struct {
		const char *name;
		enum rec_field field;
		bool always;
	} marks[] = {
		{ "Marks|joined=", REC_F_joined, true },
		{ ",unread=", REC_F_unread, true },
		{ ",cut=", REC_F_cut, true },
		{ ",untold=", REC_F_untold, false },
		{ ",outside=", REC_F_outside, false },
	};
	struct buf text = { 0 };
	uint64_t all = 0;

	for (size_t m = 0; m < sizeof(marks) / sizeof(*marks); m++)
		all |= (uint64_t)rec_num(r, marks[m].field);
	if (!all)
		return;
	for (size_t m = 0; m < sizeof(marks) / sizeof(*marks); m++) {
		uint64_t bits = (uint64_t)rec_num(r, marks[m].field);
		const char *sep = "";

		if (bits || marks[m].always)
			buf_adds(&text, marks[m].name);
		for (unsigned int i = 0; i < 8; i++) {
			if (!(bits >> i & 1))
				continue;
			buf_adds(&text, sep);
			buf_adds(&text, i < row->nstr ? et_tags[row->str[i].tag].name :
				 row->kind == ET_K_EXEC ? "A" : "args");
			sep = "+";
		}
	}
	et_add_item(ev, ET_T_OTHER, cpu, time);
	et_add_bytes(ev, text.s, text.len);
	buf_free(&text);
}

/*
 * What comes behind an event's last string; in the words of the module's
 * parameter "extended" where the line format has none.
 */
static void add_tail(struct node *n, const struct rec *r, uint32_t cpu, uint64_t time)
{
	const struct kind_row *row = &kinds[n->kind];
	int64_t error = rec_num(r, REC_F_error);
	char text[128];

	if (n->kind == REC_exec)
		et_add_item(&n->ev, ET_T_END_OF_ARGS, cpu, time);
	if (error && row->failed != ET_T_NONE) {
		et_add_item(&n->ev, row->failed, cpu, time);
		n->ev.flags |= ET_F_FAILED;
	}
	if (error) {
		snprintf(text, sizeof(text), "Failed|error=%" PRId64, error);
		add_text(&n->ev, text, cpu, time);
	}
	add_marks(&n->ev, r, row, cpu, time);
}

static void add_clone(struct et_event *ev, const struct rec *r, uint32_t cpu,
		      uint64_t time)
{
	static const struct head_row flags = { ET_T_SYS_CLONE, { REC_F_flags }, { false } };
	static const struct head_row child = { ET_T_SCHED_FORK, { REC_F_child }, { false } };

	if (rec_num(r, REC_F_has_flags))
		add_head(ev, r, &flags, ET_T_SYS_CLONE, cpu, time);
	if (!rec_num(r, REC_F_error))
		add_head(ev, r, &child, ET_T_SCHED_FORK, cpu, time);
}

/* The header of rename and link, which has two forms, and may not be there. */
static void add_two_names(struct et_event *ev, const struct rec *r,
			  const struct kind_row *row, uint32_t cpu, uint64_t time)
{
	static const struct head_row two = { ET_T_NONE, { REC_F_from_len, REC_F_flags },
					     { false } };
	bool rename = r->kind == REC_rename;

	if (rec_num(r, REC_F_from_len) < 0)
		return;
	if (rec_num(r, REC_F_has_flags))
		add_head(ev, r, &two, rename ? ET_T_RENAME2_FROM : ET_T_LINKAT_FROM, cpu, time);
	else
		add_head(ev, r, &row->head, row->head.tag, cpu, time);
}

/* Arguments, each with its null byte; the last may go on in a next piece. */
static void add_args(struct node *n, const char *s, uint32_t len, uint32_t index,
		     uint32_t cpu, uint64_t time)
{
	struct et_event *ev = &n->ev;
	struct et_item *last = ev->nitems ? &ev->items[ev->nitems - 1] : NULL;
	bool on = n->arg_open && last && last->tag == ET_T_A && last->index == index;

	while (len) {
		const char *nul = memchr(s, 0, len);
		uint32_t m = nul ? (uint32_t)(nul - s) : len;

		if (on) {
			et_go_on(ev, false, cpu, time);
			ev->items[ev->nitems - 1].flags |= ET_I_SPLIT;
		} else {
			et_add_item(ev, ET_T_A, cpu, time)->index = index;
		}
		et_add_bytes(ev, s, m);
		n->arg_open = !nul;
		on = false;
		index++;
		s += m + !!nul;
		len -= m + !!nul;
	}
}

static void add_strings(struct node *n, const struct rec *r, const struct kind_row *row,
			uint32_t cpu, uint64_t time)
{
	unsigned int inl = (unsigned int)rec_num(r, REC_F_inl);

	for (unsigned int i = 0; i < row->nstr; i++) {
		const struct string_row *s = &row->str[i];
		int64_t len = rec_num(r, s->len);
		const char *bytes;
		uint32_t room;

		if (len < 0) {
			/* optional, or could not be read: et_check() knows */
			n->doubtful = true;
			continue;
		}
		if (i >= inl)
			continue;
		bytes = rec_bytes(r, s->bytes, &room);
		/* with its null byte */
		if (len + 1 > room)
			n->doubtful = true;
		if (s->head != ET_T_NONE)
			add_size_head(&n->ev, s->head, len, cpu, time);
		et_add_item(&n->ev, s->tag, cpu, time);
		et_add_bytes(&n->ev, bytes, len < room ? (size_t)len : room);
	}
}

/* The first record of an event; most events have no other. */
static void make(struct node *n, const struct rec *r, uint64_t upid, uint32_t cpu,
		 uint64_t time)
{
	static const struct head_row signal = { ET_T_NONE, { REC_F_signal, REC_F_core },
						{ false } };
	const struct kind_row *row = &kinds[r->kind];
	struct et_event *ev = &n->ev;
	const char *args;
	uint32_t len;
	char text[64];

	n->kind = r->kind;
	et_reset(ev, row->kind, upid, cpu, time);
	switch (r->kind) {
	case REC_clone:
		add_clone(ev, r, cpu, time);
		break;
	case REC_rename:
	case REC_link:
		add_two_names(ev, r, row, cpu, time);
		break;
	case REC_umount:
		if (rec_num(r, REC_F_target_len) >= 0)
			add_head(ev, r, &row->head, row->head.tag, cpu, time);
		break;
	default:
		add_head(ev, r, &row->head, row->head.tag, cpu, time);
		break;
	}
	add_strings(n, r, row, cpu, time);
	if (r->kind == REC_exec) {
		args = rec_bytes(r, REC_F_args, &len);
		add_args(n, args, len, 0, cpu, time);
	}
	if (r->kind == REC_exit && rec_num(r, REC_F_signal))
		add_head(ev, r, &signal, ET_T_EXIT_SIGNAL, cpu, time);
	if (r->kind == REC_comm && (uint64_t)rec_num(r, REC_F_target) != upid) {
		snprintf(text, sizeof(text), "CommOf|upid=%" PRIu64,
			 (uint64_t)rec_num(r, REC_F_target));
		add_text(ev, text, cpu, time);
	}
	if (!rec_num(r, REC_F_more))
		add_tail(n, r, cpu, time);
}

/* A piece of a string into its event. */
static void add_piece(struct node *n, const struct rec *r, uint32_t cpu, uint64_t time)
{
	unsigned int number = (unsigned int)rec_num(r, REC_F_tag);
	unsigned int state = (unsigned int)rec_num(r, REC_F_state);
	int32_t part = (int32_t)rec_num(r, REC_F_part);
	const struct kind_row *row = &kinds[n->kind];
	struct et_event *ev = &n->ev;
	struct et_item *last;
	enum et_tag tag;
	const char *s;
	uint32_t len;

	if (number >= sizeof(string_tags))
		return;
	tag = string_tags[number];
	s = rec_bytes(r, REC_F_piece, &len);
	last = ev->nitems ? &ev->items[ev->nitems - 1] : NULL;
	if (!last || last->tag != tag) {
		for (unsigned int i = 0; i < row->nstr; i++)
			if (row->str[i].tag == tag && row->str[i].head != ET_T_NONE)
				add_size_head(ev, row->str[i].head,
					      rec_num(r, REC_F_total), cpu, time);
		last = et_add_item(ev, tag, cpu, time);
		if (part >= 0)
			last->flags = ET_I_SPLIT | ET_I_OPEN;
		n->next_part = 0;
		if (state & PIECE_CONT)
			et_add_bytes(ev, "\n", 1);
	} else {
		et_go_on(ev, state & PIECE_CONT, cpu, time);
	}
	if (part >= 0) {
		if (part > n->next_part)
			et_gap(ev, (uint32_t)(part - n->next_part));
		n->next_part = part + 1;
	}
	et_add_bytes(ev, s, len);
	if (state & PIECE_LAST)
		ev->items[ev->nitems - 1].flags &= (uint8_t)~ET_I_OPEN;
}

/* Whether a piece belongs to an event that waits for one. */
static bool is_piece_of(const struct node *n, const struct rec *r)
{
	if (r->kind == REC_args)
		return n->kind == REC_exec;
	/* enum etrace_event of kernel/etrace.h is in the order of rec_kind */
	return n->kind == (enum rec_kind)rec_num(r, REC_F_event);
}

/* A piece whose event's record was lost: what there is, marked incomplete. */
static struct node *orphan(struct rec_events *e, const struct rec *r, uint64_t upid,
			   uint32_t cpu, uint64_t time)
{
	unsigned int event = (unsigned int)rec_num(r, REC_F_event);
	struct node *n = get_node(e);

	n->kind = r->kind == REC_args ? REC_exec : (enum rec_kind)event;
	if (n->kind >= REC_KIND_COUNT || !kinds[n->kind].kind)
		n->kind = REC_exec;
	et_reset(&n->ev, kinds[n->kind].kind, upid, cpu, time);
	n->doubtful = true;
	enqueue(e, n);
	map64_put(&e->open, upid, (uintptr_t)n);
	return n;
}

static void take_piece(struct rec_events *e, struct node *n, const struct rec *r,
		       uint64_t upid, uint32_t cpu, uint64_t time)
{
	size_t was;

	if (n && (!is_piece_of(n, r) || et_memory(&n->ev) > ET_MAX_BYTES)) {
		finish(e, n);
		n = NULL;
	}
	if (!n)
		n = orphan(e, r, upid, cpu, time);
	was = n->ev.nbytes;
	if (r->kind == REC_args) {
		uint32_t len;
		const char *s = rec_bytes(r, REC_F_piece, &len);

		add_args(n, s, len, (uint32_t)rec_num(r, REC_F_first), cpu, time);
	} else {
		add_piece(n, r, cpu, time);
	}
	if (n->queued)
		e->bytes += n->ev.nbytes - was;
	if (!rec_num(r, REC_F_more)) {
		add_tail(n, r, cpu, time);
		finish(e, n);
	}
	drain(e);
}

static void take_first(struct rec_events *e, const struct rec *r, uint64_t upid,
		       uint32_t cpu, uint64_t time)
{
	struct node *n = get_node(e);

	if (r->kind == REC_lost) {
		et_reset(&n->ev, ET_K_LOST, upid, cpu, time);
		n->ev.nvals = 1;
		n->ev.vals[0] = rec_num(r, REC_F_count);
		note_loss(e, r, upid, time);
	} else {
		make(n, r, upid, cpu, time);
	}
	if (r->kind == REC_clone)
		task_clones(e, r, upid);
	else if (r->kind == REC_exit)
		task_ends(e, upid);
	if (rec_num(r, REC_F_more)) {
		map64_put(&e->open, upid, (uintptr_t)n);
		enqueue(e, n);
		return;
	}
	if (!e->head) {
		let_out(e, n);
		put_spare(e, n);
		return;
	}
	n->done = true;
	enqueue(e, n);
	drain(e);
}

int rec_events_take(struct rec_events *e, uint32_t cpu, const void *data,
		    uint32_t size)
{
	uint64_t upid, time;
	uint64_t *slot;
	struct node *n = NULL;
	struct rec r;

	if (!rec_open(e->formats, &r, data, size)) {
		e->tally.foreign++;
		return e->err;
	}
	e->tally.records++;
	upid = (uint64_t)rec_num(&r, REC_F_upid);
	time = (uint64_t)rec_num(&r, REC_F_time);
	if (time > e->tally.last_time)
		e->tally.last_time = time;
	if (e->open.n) {
		slot = map64_get(&e->open, upid);
		n = slot ? (struct node *)(uintptr_t)*slot : NULL;
	}
	if (r.kind == REC_string || r.kind == REC_args) {
		take_piece(e, n, &r, upid, cpu, time);
		return e->err;
	}
	/* the rest of the task's event was lost */
	if (n)
		finish(e, n);
	take_first(e, &r, upid, cpu, time);
	return e->err;
}

int rec_events_end(struct rec_events *e)
{
	const struct map64_slot *slot;
	size_t i;

	do {
		i = 0;
		slot = map64_each(&e->open, &i);
		if (slot)
			finish(e, (struct node *)(uintptr_t)slot->value);
	} while (slot);
	drain(e);
	return e->err;
}
