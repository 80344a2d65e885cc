/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One line of trace_pipe text: finds the etrace line in it, decides by its
 * structure and never by the first thing that looks right.  Of the text of an
 * etrace line, nothing but its tag is known here: see assemble.h.
 *
 * Documentation/line-format.md, "What the reader accepts".
 */
#ifndef ETRACE_LINE_PARSE_H
#define ETRACE_LINE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines/tree.h"

enum line_class {
	LINE_ETRACE,		/* "<upid>,<cpu>,<time>,<timen>!<data>" */
	LINE_LOST,		/* "CPU:1 [LOST 12 EVENTS]" */
	LINE_FOREIGN,		/* of another tracer, a comment, empty */
	LINE_DAMAGED,		/* was an etrace line, or is rubbish */
	LINE_PENDING,		/* perhaps a piece of a task's name: see below */
};

struct et_line {
	uint64_t upid;
	uint64_t time;		/* ns */
	uint32_t cpu;
	const char *text;	/* behind the '!' */
	size_t len;
	size_t tag_len;		/* of the word that the text begins with */
	enum lt_tag tag;	/* of that name, or LT_NONE */
	/* LINE_LOST: the processor is in cpu */
	bool counted;		/* whether the line says how many */
	uint64_t lost;
	/* where it stands, for messages: the caller's */
	const char *file;
	uint64_t number;
};

/*
 * What is kept between the lines of one input; start with all zeros.
 *
 * ftrace prints a task's name as it is, also with a newline in it, and then its
 * line comes in pieces, the second of which may look like anything.  So a short
 * line that might be the first piece is LINE_PENDING, and decided with the
 * next: the '-' behind a name always stands in column 16.
 */
struct line_state {
	unsigned int pending;	/* bytes of such pieces, newlines included */
	unsigned int pieces;	/* lines that they were */
	/*
	 * The last etrace line, and its prefix up to the nanoseconds: often the
	 * next one's too.
	 */
	struct et_line line;
	char prefix[80];
	size_t prefix_len;
	uint64_t seconds;	/* that it ends with, in ns */
	/* the last line's nanoseconds but for the last of 9 digits, as text and number */
	uint64_t digits, tens;
	struct et_line lost;	/* the last LOST line */
};

/* "<upid>,<cpu>,<time>,<timen>!<data>", from its first byte, which is a digit. */
bool line_plain(struct line_state *st, const char *s, const char *end);
/* line_parse() of a line that does not begin so. */
enum line_class line_other(struct line_state *st, const char *s, const char *end,
			   unsigned int *foreign);

/**
 * line_parse - what a line is
 * @st: state of its input; LINE_ETRACE fills its line, LINE_LOST its lost
 * @s: the line up to @end, where its newline stands
 * @foreign: set to the number of earlier LINE_PENDING lines that turned out to
 *	be nothing but foreign lines
 */
static inline enum line_class line_parse(struct line_state *st, const char *s, const char *end,
					 unsigned int *foreign)
{
	*foreign = 0;
	/* most lines of an event that are not its first */
	if (!st->pending && *s >= '0' && *s <= '9' && line_plain(st, s, end))
		return LINE_ETRACE;
	return line_other(st, s, end, foreign);
}

/**
 * line_again - whether a line is of the task, processor and second of the last etrace line
 * @s: the line up to @end, where its newline stands; LINE_PENDING none before it
 * @time: gets its time
 *
 * The state's line stays what it is.
 *
 * Return: its text, or NULL.
 */
const char *line_again(struct line_state *st, const char *s, const char *end, uint64_t *time);

/**
 * line_flush - at the end of an input: LINE_PENDING lines that were nothing
 */
unsigned int line_flush(struct line_state *st);

#endif
