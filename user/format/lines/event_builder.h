/* SPDX-License-Identifier: LGPL-2.1 */
/* Builds one event from its lines: keeps those that have come, and knows which may follow. */
#ifndef ETRACE_EVENT_BUILDER_H
#define ETRACE_EVENT_BUILDER_H

#include "base/xalloc.h"
#include "event/event.h"
#include "format/lines/line_text.h"
#include "format/lines/line_list.h"

struct builder {
	struct et_event ev;
	/*
	 * The lines so far.  Most events need no list, because their lines come just as the
	 * module prints them: a line with all sizes and values, then the strings in order and
	 * with these sizes, all in one record.  The list is made when a line differs from this.
	 */
	struct lt_list list;
	const char *file;	/* name of the input it began in, for messages */
	bool sure;		/* all lines are known to belong to it */
	/* builder_begin() clears the members from here to args_left */
	bool listed;		/* @list is in use */
	uint8_t expected;	/* without a list: row in et_rows of the expected line, 0 if none */
	uint8_t need;		/* bit i: string i is announced, but not complete yet */
	bool done;		/* the event is complete, but may get more lines */
	bool ended;		/* only announced strings can still come */
	bool one_record;	/* it has several lines, all from one record */
	bool went_back;		/* the last line was earlier than the line before it */
	bool in_parts;		/* the TAG_end of the current string has not come yet */
	bool in_cont;		/* the Cont_end of the current string has not come yet */
	bool cont_done;		/* Cont_end came: only another part may follow */
	bool no_cont_end;	/* a Cont_end never came */
	uint32_t lines;
	uint32_t piece_off;	/* offset of the last line's bytes in the current string */
	/* if there is no list: bytes of arguments still to come, 0 if none is expected next */
	int64_t args_left;
	int32_t string;		/* index of the current string in @list, -1 if none */
	uint32_t next_part;
	/* processor and time (ns) of the last line, as it came */
	uint32_t line_cpu;
	uint64_t line_time;
	uint64_t step;		/* ns from each line of a record to the next */
	/* stamp of the last line for add_stamp(); before the first line, 1 ns before the event */
	uint32_t last_cpu;
	uint64_t last_time;
};

/* List items that stay allocated when the memory of an event is reused. */
#define BUILDER_KEEP	64u

/** builder_begin - begin an event that has no line yet */
static inline void builder_begin(struct builder *b, enum et_kind kind, uint64_t upid, uint32_t cpu,
				 uint64_t time)
{
	et_reset(&b->ev, kind, upid, cpu, time);
	b->list.nitems = 0;
	b->list.items = xtrim(b->list.items, &b->list.items_cap, BUILDER_KEEP);
	memset(&b->listed, 0, offsetof(struct builder, string) - offsetof(struct builder, listed));
	b->string = -1;
	b->ended = !(lt_needs[kind] & LT_NEEDS_END);
	b->last_cpu = cpu;
	b->last_time = time - 1;
}

/** builder_kind - get the kind of an event that may begin with this line */
enum et_kind builder_kind(const struct line_text *p);

/** builder_fini - free what a struct builder holds besides the event */
void builder_fini(void *builder);

/*
 * Whether a line with this time fits the record of the lines before.  Either all lines have
 * the record's time, or each is 1 ns after the one before; never mixed.
 */
static inline bool builder_in_step(const struct builder *b, uint64_t time)
{
	uint64_t step = time - b->line_time;

	return b->lines == 1 ? step <= 1 : step == b->step;
}

/* ---- event_expected.c: lines that come just as the module prints them ---- */

/**
 * builder_expect - set the line expected after that of row @i of et_rows: the next announced
 * string, or the last line; or note that the event is complete
 */
static inline void builder_expect(struct builder *b, unsigned int i)
{
	struct et_event *ev = &b->ev;
	bool more = !b->ended || ev->announced & ~ev->strings;

	while (more && ++i < et_kinds[ev->kind].end) {
		const struct et_row *row = &et_rows[i];

		if (row->role != ET_LAST &&
		    (row->role != ET_STRING || !(ev->announced >> row->slot & 1)))
			continue;
		if (row->role == ET_STRING && row->slot == ET_ARGS) {
			b->args_left = ev->size[ET_ARGS];
			if (!b->args_left) {
				ev->strings |= 1u << ET_ARGS;
				continue;
			}
		}
		b->expected = (uint8_t)i;
		return;
	}
	b->expected = 0;
	b->done = true;
	/* all announced strings have come, with these sizes */
	ev->announced = 0;
}

/* The part of builder_add_expected() that is not inlined: some line is expected. */
bool builder_take_expected(struct builder *b, const struct et_line *l, const struct line_text *p);

/**
 * builder_add_expected - add a line if it is the expected one, as the module prints it
 *
 * Return: false if not; then builder_add() decides.
 */
static inline bool builder_add_expected(struct builder *b, const struct et_line *l,
					const struct line_text *p)
{
	return b->expected && builder_take_expected(b, l, p);
}

/**
 * builder_add_more - add the expected lines that directly follow in the input
 * @st: state of the input after the event's last line; advances with each line
 * @s: the text that follows, up to @end, which may be in the middle of a line
 * @until: stop before lines later than this, ns
 *
 * Return: number of bytes consumed.
 */
size_t builder_add_more(struct builder *b, struct line_state *st, const char *s, const char *end,
			uint64_t until);

/* ---- event_builder.c ---- */

/** builder_same_stamp - whether a line has the time and processor of the event's last line */
static inline bool builder_same_stamp(const struct builder *b, const struct et_line *l)
{
	return b->line_time == l->time && b->line_cpu == l->cpu;
}

/**
 * builder_is_first - whether a line certainly begins another event
 * @b: the task's event so far, or NULL
 *
 * Neither this nor builder_add_expected() needs a list.  Call builder_make_list() before the
 * functions below.
 */
static inline bool builder_is_first(const struct builder *b, const struct et_line *l,
				    const struct line_text *p)
{
	return p->what == P_HEADER && lt_tags[p->tag].role == ET_BEGIN &&
	       !(b && builder_same_stamp(b, l));
}

/** builder_make_list - make the list of the lines so far, if it is not made yet */
void builder_make_list(struct builder *b);

/** builder_is_double - whether this line repeats the event's last line */
bool builder_is_double(const struct builder *b, const struct et_line *l, const struct line_text *p);

/* Result of adding a line. */
enum builder_result {
	BUILDER_ADDED,
	BUILDER_IN_PART,		/* it belongs to the event, but is damaged */
	BUILDER_STRAY,		/* it continues or ends something that never began */
	BUILDER_NOT_ADDED,		/* not added: it begins another event */
};

/** builder_add - add a line if it belongs to the event; the first line always does */
enum builder_result builder_add(struct builder *b, const struct et_line *l,
				const struct line_text *p);

/** builder_close - end the event: no more lines will be added */
void builder_close(struct builder *b);

#endif
