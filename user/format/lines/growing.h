/* SPDX-License-Identifier: LGPL-2.1 */
/* An event whose lines are still coming: the tree of them, and what may follow. */
#ifndef ETRACE_GROWING_H
#define ETRACE_GROWING_H

#include "event/event.h"
#include "format/lines/piece.h"
#include "format/lines/tree.h"

#define MAX_WANT 6

/*
 * An event whose lines have all come just as the module prints them so far: it
 * is made at once, without the lines.  See quick.h.
 */
struct quick {
	bool on;		/* it is on the short way */
	bool more;		/* and lines are to come */
	uint8_t row;		/* in et_rows: what comes next */
	int64_t args_left;	/* bytes of arguments that are to come */
	uint64_t step;		/* ns from each line to the next */
	struct et_event ev;
};

/* In both ways, who and when stand in @ev. */
struct growing {
	struct lt_event ev;
	struct growing *next;	/* whoever has it can make lists */
	uint64_t order;		/* of arrival */
	const char *file;	/* where it began, for messages */
	/*
	 * OPEN: lines must come; DONE: none need to, but some may; CLOSED: none
	 * will be added.
	 */
	enum { OPEN, DONE, CLOSED } state;
	struct quick quick;
	bool queued;		/* in the queue; else it is late */
	bool ended;		/* nothing but announced strings can come */
	bool one_record;	/* has several lines, all of one record */
	bool went_back;		/* the last line's time did */
	uint32_t lines;
	/* the last line's, as it came */
	uint32_t line_cpu;
	uint64_t line_time;
	uint64_t step;		/* ns from the first line to the second */
	uint64_t need;		/* announced strings that are not whole, by tag */
	/* sizes that were announced; no event of the format has more */
	int64_t want_size[MAX_WANT];
	uint8_t want_tag[MAX_WANT];
	uint8_t nwant;
	int32_t string;		/* the string item that lines go on with; -1 none */
	uint32_t next_part;
	uint32_t piece_off;	/* where the last line's bytes begin in it */
	bool in_parts;		/* its end marker is to come */
	bool in_cont;		/* Cont_end is to come */
	bool cont_done;		/* it came: only another part may follow */
	bool no_cont_end;	/* it never came */
};

/** grow_head - who makes an event and when: all that those of the short way need */
static inline void grow_head(struct growing *g, enum et_kind kind, uint64_t upid, uint64_t time)
{
	g->ev.kind = (uint8_t)kind;
	g->ev.flags = 0;
	g->ev.upid = upid;
	g->ev.time = time;
	g->state = OPEN;
	g->one_record = g->went_back = g->no_cont_end = false;
	g->string = -1;
}

/** grow_begin - an event that has no line yet */
void grow_begin(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
		uint64_t time);

/* ---- what a line is to it ---- */

/** grow_goes_on - whether a line can go on with the current string */
bool grow_goes_on(const struct growing *g, const struct piece *p);
/** grow_is_double - whether this is the line before it once more */
bool grow_is_double(const struct growing *g, const struct et_line *l, const struct piece *p);
/** grow_string_fits - whether another string belongs to it */
bool grow_string_fits(const struct growing *g, enum lt_tag tag);
/** grow_header_fits - whether a header that goes on with an event or ends it belongs to it */
bool grow_header_fits(const struct growing *g, const struct et_line *l, const struct piece *p);

/* ---- lines that belong to it ---- */

/** grow_header - Return: false if it is damaged */
bool grow_header(struct growing *g, const struct et_line *l, const struct piece *p);
void grow_string(struct growing *g, const struct et_line *l, const struct piece *p);
/** grow_more - more bytes for the current string: grow_goes_on() */
void grow_more(struct growing *g, const struct et_line *l, const struct piece *p);
/** grow_end_conts - Cont_end */
void grow_end_conts(struct growing *g, const struct et_line *l);
/** grow_end_parts - TAG_end */
void grow_end_parts(struct growing *g, const struct et_line *l);
/** grow_other - a line outside the format */
void grow_other(struct growing *g, const struct et_line *l);

/** grow_leave_string - the current string gets no more */
void grow_leave_string(struct growing *g);
/** grow_update - what is still to come, after each line */
void grow_update(struct growing *g);

#endif
