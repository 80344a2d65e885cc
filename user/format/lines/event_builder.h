/* SPDX-License-Identifier: LGPL-2.1 */
/* Builds one event from its lines: keeps what has arrived and what may still follow. */
#ifndef ETRACE_EVENT_BUILDER_H
#define ETRACE_EVENT_BUILDER_H

#include "event/event.h"
#include "format/lines/line_text.h"
#include "format/lines/line_list.h"

/*
 * State of the short way, in which an event needs no list of its lines, because all of
 * them have come just as the module prints them.  See plain_parse.h.
 */
struct quick {
	bool on;		/* the event has no list of lines */
	bool more;		/* more lines are expected */
	uint8_t row;		/* index in et_rows of the expected line */
	int64_t args_left;	/* bytes of arguments that have not come yet */
};

struct growing {
	struct et_event ev;
	struct lt_list list;
	struct growing *next;	/* for lists of the owner */
	uint64_t order;		/* number of arrival */
	const char *file;	/* name of the input it began in, for messages */
	/*
	 * OPEN: lines are missing; DONE: it is complete, but may get more lines;
	 * CLOSED: no line will be added.
	 */
	enum { OPEN, DONE, CLOSED } state;
	struct quick quick;
	bool sure;		/* all lines are known to belong to it */
	bool queued;		/* in the queue; else it is late */
	bool ended;		/* only announced strings can still come */
	bool one_record;	/* has several lines, all of one record */
	bool went_back;		/* the last line's time was before that of the line before */
	uint32_t lines;
	/* of the last line, as it came; time in ns */
	uint32_t line_cpu;
	uint64_t line_time;
	uint64_t step;		/* ns from each line of its record to the next */
	/* of the last line, for the next mark; before the first line, 1 ns before the event */
	uint32_t last_cpu;
	uint64_t last_time;
	uint8_t need;		/* bit i: string i is announced, and not complete */
	int32_t string;		/* index of the string item that lines continue, -1 if none */
	uint32_t next_part;
	uint32_t piece_off;	/* offset of the last line's bytes in that string */
	bool in_parts;		/* the string's end marker has not come yet */
	bool in_cont;		/* its Cont_end has not come yet */
	bool cont_done;		/* Cont_end came: only another part may follow */
	bool no_cont_end;	/* a Cont_end never came */
};

/** grow_head - initialize what all events need, also those without a list */
static inline void grow_head(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
			     uint64_t time)
{
	et_reset(&g->ev, kind, upid, cpu, time);
	g->state = OPEN;
	g->one_record = g->went_back = g->no_cont_end = false;
	g->string = -1;
}

/** grow_begin - begin an event that has no line yet */
void grow_begin(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
		uint64_t time);

/** grow_kind - the kind of an event that may begin with this line */
enum et_kind grow_kind(const struct piece *p);

/** grow_fini - free the memory of an event, but not @g */
void grow_fini(struct growing *g);

/** grow_is_double - whether this line repeats the event's last line */
bool grow_is_double(const struct growing *g, const struct et_line *l, const struct piece *p);

/* Result of adding a line. */
enum grown {
	GROWN,
	GROWN_IN_PART,		/* it belongs to the event, but is damaged */
	GROWN_STRAY,		/* it continues or ends something that is not there */
	GROWN_NOT,		/* not added: it begins another event */
};

/** grow_line - add a line if it belongs to the event; the first line always does */
enum grown grow_line(struct growing *g, const struct et_line *l, const struct piece *p);

/** grow_close - end the event: no more lines will be added */
void grow_close(struct growing *g);

/** grow_list - leave the short way: make the list of the lines so far */
void grow_list(struct growing *g);

#endif
