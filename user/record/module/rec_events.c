// SPDX-License-Identifier: LGPL-2.1
/* Turns records into events.  See rec_events.h; the records' rules: kernel/emit.c. */
#include "record/module/rec_events.h"
#include "base/map64.h"
#include "event/event_queue.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Numbers in records: ETRACE_PIECE_* of kernel/schema.h. */
#define PIECE_CONT	1	/* a newline separates it from what came before */
#define PIECE_LAST	4	/* ends the string */

/* An event, and state for its next pieces. */
struct node {
	struct et_event ev;
	enum rec_kind kind;		/* kind of its first record */
	bool doubtful;			/* needs et_check() before it is passed on */
	bool arg_open;			/* the last argument continues in the next piece */
	int32_t next_part;		/* number of the next part of the last string */
	uint32_t args_lost;		/* number of arguments missing so far */
};

struct rec_events {
	const struct rec_formats *formats;
	struct rec_tally tally;
	struct map64 open;		/* upid to its struct node that is not closed */
	struct event_queue queue;	/* queue of struct node */
};

struct rec_events *rec_events_new(const struct rec_formats *formats,
				  struct sink *sink)
{
	struct rec_events *e = xcalloc(1, sizeof(*e));

	e->formats = formats;
	e->queue.sink = sink;
	e->queue.size = sizeof(struct node);
	return e;
}

void rec_events_free(struct rec_events *e)
{
	const struct map64_slot *slot;
	size_t i = 0;

	if (!e)
		return;
	while ((slot = map64_each(&e->open, &i)))
		evq_close(&e->queue, (void *)(uintptr_t)slot->value);
	evq_free(&e->queue);
	map64_clear(&e->open);
	free(e);
}

const struct rec_tally *rec_events_tally(const struct rec_events *e)
{
	return &e->tally;
}

/* ---- passing events on ---- */

static inline void let_out(struct rec_events *e, struct node *n)
{
	if (n->doubtful && et_check(&n->ev))
		e->tally.incomplete++;
	e->tally.events++;
	if (evq_is_late(&e->queue, &n->ev))
		e->tally.late++;
	evq_send(&e->queue, n);
}

/*
 * The pieces of an event directly follow each other, so an incomplete event holds back
 * few others unless its rest was lost.
 */
static void drain_queue(struct rec_events *e)
{
	struct node *n;

	while ((n = evq_first(&e->queue)) && (n->ev.closed || evq_is_full(&e->queue))) {
		evq_take(&e->queue);
		/* otherwise e->open still refers to it, for further pieces */
		if (n->ev.closed)
			let_out(e, n);
	}
}

static struct node *get_node(struct rec_events *e)
{
	struct node *n = evq_new(&e->queue);

	n->doubtful = n->arg_open = false;
	n->next_part = 0;
	n->args_lost = 0;
	return n;
}

/* Finish an event that gets no more pieces. */
static void finish_event(struct rec_events *e, struct node *n)
{
	n->doubtful = true;
	map64_remove(&e->open, n->ev.upid);
	evq_close(&e->queue, n);
}

/* ---- making events ---- */

/* A bit for each optional value: whether the record has it. */
static unsigned int given_of(const struct rec *r)
{
	const struct rec_place *value = r->layout->value;

	if (r->layout->field[REC_F_have].size)
		return (unsigned int)rec_num(r, REC_F_have);
	/* older modules lack this field */
	switch (r->kind) {
	case REC_clone:
		return (rec_num(r, REC_F_has_flags) ? 1u << ET_V_CLONE_flags : 0) |
		       (rec_num(r, REC_F_error) ? 0 : 1u << ET_V_CLONE_child);
	case REC_exit:
		return rec_at(r, &value[ET_V_EXIT_signal]) ?
		       1u << ET_V_EXIT_signal | 1u << ET_V_EXIT_core : 0;
	case REC_comm:
		return rec_at(r, &value[ET_V_COMM_target]) == rec_num(r, REC_F_upid) ?
		       0 : 1u << ET_V_COMM_target;
	case REC_rename:
		return rec_num(r, REC_F_has_flags) ? 1u << ET_V_RENAME_flags : 0;
	case REC_link:
		return rec_num(r, REC_F_has_flags) ? 1u << ET_V_LINK_flags : 0;
	default:
		return 0;
	}
}

static void add_values(struct et_event *ev, const struct rec *r)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	unsigned int all = (1u << kind->nvalues) - 1;

	for (unsigned int left = all & (~kind->may | given_of(r)); left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		et_set_value(ev, i, rec_at(r, &r->layout->value[i]));
	}
}

/* Add what an event's last record carries: the error and the marks. */
static void add_tail(struct et_event *ev, const struct rec *r)
{
	int64_t error = rec_num(r, REC_F_error);

	if (error)
		et_set_error(ev, (int32_t)error);
	rec_marks(r, ev->marks);
	if (ev->pending)
		et_end(ev);
}

/* Add arguments, each ended by a NUL; the last may continue in the next piece. */
static void add_args(struct node *n, const char *s, uint32_t len, uint32_t index)
{
	struct et_event *ev = &n->ev;
	bool on = n->arg_open && ev->nargs && index == ev->nargs + n->args_lost - 1;

	/* the arguments in between were lost */
	if (!on && index > ev->nargs + n->args_lost) {
		et_gap_args(ev, index - ev->nargs - n->args_lost);
		n->args_lost = index - ev->nargs;
	}
	if (len)
		n->arg_open = et_add_args(ev, s, len, on);
}

static void add_strings(struct node *n, const struct rec *r)
{
	unsigned int inl = (unsigned int)rec_num(r, REC_F_inl);

	for (unsigned int i = 0; i < et_kinds[n->ev.kind].nstrings; i++) {
		int64_t len = rec_at(r, &r->layout->len[i]);
		const char *bytes;
		uint32_t room;

		if (len < 0) {
			/* optional or unreadable: et_check() decides which */
			n->doubtful = true;
			continue;
		}
		if (i >= inl) {
			et_announce(&n->ev, i, len);
			continue;
		}
		bytes = rec_bytes(r, &r->layout->text[i], &room);
		/* the record contains the string with its NUL */
		if (len + 1 > room) {
			n->doubtful = true;
			et_announce(&n->ev, i, len);
		}
		et_add_string(&n->ev, i, bytes, len < room ? (size_t)len : room);
	}
}

/* Make an event from its first record; most events have only one. */
static void make_event(struct node *n, const struct rec *r, uint64_t upid, uint32_t cpu,
		       uint64_t time)
{
	struct et_event *ev = &n->ev;
	const char *args;
	uint32_t len;

	n->kind = r->kind;
	et_reset(ev, r->kind + 1, upid, cpu, time);
	add_values(ev, r);
	add_strings(n, r);
	if (et_args_name[ev->kind]) {
		et_announce(ev, ET_ARGS, rec_at(r, &r->layout->len[ET_ARGS]));
		if (!ev->size[ET_ARGS])
			ev->strings |= 1u << ET_ARGS;
		args = rec_bytes(r, &r->layout->text[ET_ARGS], &len);
		add_args(n, args, len, 0);
	}
	if (!rec_num(r, REC_F_more))
		add_tail(ev, r);
}

/* The index of the string to which a piece belongs, among those of its event, -1 if none. */
static int node_string(const struct node *n, const struct rec *r)
{
	static const char *const tags[] = {
#define TAG(TAG) #TAG,
#include "kernel/etrace_events.def"
	};
	unsigned int number = (unsigned int)rec_num(r, REC_F_tag);
	const struct et_kind_row *kind = &et_kinds[n->ev.kind];

	if (number >= sizeof(tags) / sizeof(*tags))
		return -1;
	for (unsigned int i = 0; i < kind->nstrings; i++)
		if (!strcmp(kind->strings[i].tag, tags[number]))
			return (int)i;
	return -1;
}

/* Add a piece of a string to its event. */
static void add_piece(struct node *n, const struct rec *r)
{
	unsigned int state = (unsigned int)rec_num(r, REC_F_state);
	int32_t part = (int32_t)rec_num(r, REC_F_part);
	struct et_event *ev = &n->ev;
	int i = node_string(n, r);
	const char *s;
	uint32_t len;

	if (i < 0)
		return;
	s = rec_bytes(r, &r->layout->field[REC_F_piece], &len);
	if (!et_has_string(ev, (unsigned int)i)) {
		et_announce(ev, (unsigned int)i, rec_num(r, REC_F_total));
		et_add_string(ev, (unsigned int)i, state & PIECE_CONT ? "\n" : "",
			      !!(state & PIECE_CONT));
		if (part >= 0)
			ev->open |= (uint8_t)(1u << i);
		n->next_part = 0;
	} else if (state & PIECE_CONT) {
		/* the newline ends what came before */
		et_add_earlier(ev, "\n", 1);
	}
	if (part >= 0) {
		if (part > n->next_part)
			et_gap(ev, (uint32_t)(part - n->next_part));
		n->next_part = part + 1;
	}
	et_add_bytes(ev, s, len);
	if (state & PIECE_LAST)
		ev->open &= (uint8_t)~(1u << i);
}

/* The kind of the event to which a piece belongs; exec if the piece is damaged. */
static enum rec_kind kind_of_piece(const struct rec *r)
{
	uint64_t event = rec_num(r, REC_F_event);

	if (event >= REC_EVENTS || (r->kind == REC_args && !et_args_name[event + 1]))
		return REC_exec;
	return (enum rec_kind)event;
}

/* Make an event, marked incomplete, for a piece whose event's first record was lost. */
static struct node *orphan_event(struct rec_events *e, const struct rec *r, uint64_t upid,
				 uint32_t cpu, uint64_t time)
{
	struct node *n = get_node(e);

	n->kind = kind_of_piece(r);
	et_reset(&n->ev, n->kind + 1, upid, cpu, time);
	n->ev.flags |= ET_F_NO_BEGIN | ET_F_NO_END;
	n->doubtful = true;
	evq_put(&e->queue, n);
	map64_put(&e->open, upid, (uintptr_t)n);
	return n;
}

static void take_piece(struct rec_events *e, struct node *n, const struct rec *r,
		       uint64_t upid, uint32_t cpu, uint64_t time)
{
	if (n && (n->kind != kind_of_piece(r) || et_memory(&n->ev) > ET_MAX_BYTES)) {
		finish_event(e, n);
		n = NULL;
	}
	if (n)
		et_later(&n->ev, cpu, time);
	else
		n = orphan_event(e, r, upid, cpu, time);
	if (r->kind == REC_args) {
		uint32_t len;
		const char *s = rec_bytes(r, &r->layout->field[REC_F_piece], &len);

		add_args(n, s, len, (uint32_t)rec_num(r, REC_F_first));
	} else {
		add_piece(n, r);
	}
	evq_grown(&e->queue, &n->ev);
	if (!rec_num(r, REC_F_more)) {
		n->ev.flags &= (uint8_t)~ET_F_NO_END;
		add_tail(&n->ev, r);
		finish_event(e, n);
	}
	drain_queue(e);
}

static void take_first(struct rec_events *e, const struct rec *r, uint64_t upid,
		       uint32_t cpu, uint64_t time)
{
	struct node *n = get_node(e);

	if (r->kind == REC_lost) {
		et_reset(&n->ev, ET_K_LOST, upid, cpu, time);
		et_set_value(&n->ev, ET_V_LOST_count, rec_num(r, REC_F_count));
		et_set_value(&n->ev, ET_V_LOST_since, rec_num(r, REC_F_since));
	} else {
		make_event(n, r, upid, cpu, time);
	}
	if (rec_num(r, REC_F_more)) {
		n->ev.flags |= ET_F_NO_END;
		map64_put(&e->open, upid, (uintptr_t)n);
		evq_put(&e->queue, n);
	} else if (evq_first(&e->queue)) {
		evq_close(&e->queue, n);
		drain_queue(e);
	} else {
		let_out(e, n);
	}
}

int rec_events_take(struct rec_events *e, uint32_t cpu, const struct rec *r)
{
	uint64_t upid, time;
	uint64_t *slot;
	struct node *n = NULL;

	if (!r) {
		e->tally.foreign++;
		return e->queue.err;
	}
	e->tally.records++;
	upid = (uint64_t)rec_num(r, REC_F_upid);
	time = (uint64_t)rec_num(r, REC_F_time);
	if (time > e->tally.last_time)
		e->tally.last_time = time;
	if (e->open.n) {
		slot = map64_get(&e->open, upid);
		n = slot ? (struct node *)(uintptr_t)*slot : NULL;
	}
	if (r->kind == REC_string || r->kind == REC_args) {
		take_piece(e, n, r, upid, cpu, time);
	} else {
		/* the rest of the task's event was lost */
		if (n)
			finish_event(e, n);
		take_first(e, r, upid, cpu, time);
	}
	return e->queue.err;
}

int rec_events_end(struct rec_events *e)
{
	const struct map64_slot *slot;
	size_t i = 0;

	for (; (slot = map64_each(&e->open, &i)); i = 0)
		finish_event(e, (struct node *)(uintptr_t)slot->value);
	drain_queue(e);
	return e->queue.err;
}
