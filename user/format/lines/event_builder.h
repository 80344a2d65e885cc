/* SPDX-License-Identifier: LGPL-2.1 */
/* An event whose lines are still coming: what came, and what may follow. */
#ifndef ETRACE_EVENT_BUILDER_H
#define ETRACE_EVENT_BUILDER_H

#include "event/event.h"
#include "format/lines/line_text.h"
#include "format/lines/line_list.h"

/*
 * While all lines come just as the module prints them, an event needs no list of them.
 * See plain_parse.h.
 */
struct quick {
	bool on;		/* there is no list */
	bool more;		/* and lines are to come */
	uint8_t row;		/* in et_rows: what comes next */
	int64_t args_left;	/* bytes of arguments that are to come */
};

struct growing {
	struct et_event ev;
	struct lt_list list;
	struct growing *next;	/* whoever has it can make lists */
	uint64_t order;		/* of arrival */
	const char *file;	/* where it began, for messages */
	/*
	 * OPEN: lines must come; DONE: none need to, but some may; CLOSED: none
	 * will be added.
	 */
	enum { OPEN, DONE, CLOSED } state;
	struct quick quick;
	bool sure;		/* all lines are known to be its */
	bool queued;		/* in the queue; else it is late */
	bool ended;		/* nothing but announced strings can come */
	bool one_record;	/* has several lines, all of one record */
	bool went_back;		/* the last line's time did */
	uint32_t lines;
	/* the last line's, as it came */
	uint32_t line_cpu;
	uint64_t line_time;
	uint64_t step;		/* ns from each line of its record to the next */
	/* the last line's, for the next mark; before the first, 1 ns earlier */
	uint32_t last_cpu;
	uint64_t last_time;
	uint8_t need;		/* bit i: string i is announced, and not whole */
	int32_t string;		/* the string item that lines go on with; -1 none */
	uint32_t next_part;
	uint32_t piece_off;	/* where the last line's bytes begin in it */
	bool in_parts;		/* its end marker is to come */
	bool in_cont;		/* Cont_end is to come */
	bool cont_done;		/* it came: only another part may follow */
	bool no_cont_end;	/* it never came */
};

/** grow_head - what all events begin with, also those without a list */
static inline void grow_head(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
			     uint64_t time)
{
	et_reset(&g->ev, kind, upid, cpu, time);
	g->state = OPEN;
	g->one_record = g->went_back = g->no_cont_end = false;
	g->string = -1;
}

/** grow_begin - an event that has no line yet */
void grow_begin(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
		uint64_t time);

/** grow_kind - the kind of an event that may begin with this line */
enum et_kind grow_kind(const struct piece *p);

/** grow_fini - free what it holds */
void grow_fini(struct growing *g);

/** grow_is_double - whether this is the line before it once more */
bool grow_is_double(const struct growing *g, const struct et_line *l, const struct piece *p);

/* What becomes of a line. */
enum grown {
	GROWN,
	GROWN_IN_PART,		/* it belongs to the event, but is damaged */
	GROWN_STRAY,		/* it goes on with something that is not there */
	GROWN_NOT,		/* another event begins */
};

/** grow_line - take a line if it belongs to the event; the first does */
enum grown grow_line(struct growing *g, const struct et_line *l, const struct piece *p);

/** grow_close - no line comes any more */
void grow_close(struct growing *g);

/** grow_list - make the list of lines that came without one */
void grow_list(struct growing *g);

#endif
