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

#include "base/bytes.h"
#include "format/lines/line_list.h"

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

#define LINE_TAG_BITS	4

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
	 * next one's too.  Behind it stand the nanoseconds but for the last of 9
	 * digits: the lines of a record differ only there.
	 */
	struct et_line line;
	char stamp[80 + 8];
	size_t prefix_len;
	size_t stamp_len;	/* with those digits, from 16 to 32 bytes, or 0 */
	uint64_t seconds;	/* that the prefix ends with, in ns */
	uint64_t tens;		/* the time that the stamp says, but for the last digit */
	/*
	 * Of lines that have all of ftrace's columns where they belong: the bytes
	 * from the '-' on, and where the colon behind the time stands, or 0.
	 */
	uint64_t columns[2];
	size_t colon;
	/* tags by the first 8 bytes of a text, in the slots that its hash says */
	struct line_tag {
		uint64_t word;
		uint8_t tag, len;
	} tags[1 << LINE_TAG_BITS];
	struct et_line lost;	/* the last LOST line */
};

/* "<upid>,<cpu>,<time>,<timen>!<data>", from its first byte. */
bool line_plain(struct line_state *st, const char *s, const char *end);
/* The same behind ftrace's columns, where these are as they mostly are. */
bool line_columns(struct line_state *st, const char *s, const char *end);
/* line_parse() of a line that is neither. */
enum line_class line_other(struct line_state *st, const char *s, const char *end,
			   unsigned int *foreign);

/* Whether it is a plain etrace line, or one like the last; if not, line_other() says. */
static inline bool line_quick(struct line_state *st, const char *s, const char *end)
{
	if (st->pending)
		return false;
	/* most lines of an event that are not its first; a name can begin so, too */
	if (*s >= '0' && *s <= '9')
		return line_plain(st, s, end);
	return line_columns(st, s, end);
}

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
	return line_quick(st, s, end) ? LINE_ETRACE : line_other(st, s, end, foreign);
}

/* line_again() where not all but the last digit is the same. */
const char *line_again_slow(struct line_state *st, const char *s, const char *end,
			    uint64_t *time);

/**
 * line_again - whether a line is of the task, processor and second of the last etrace line
 * @s: the line up to @end, where its newline stands; LINE_PENDING none before it
 * @time: gets its time
 *
 * The state's line stays what it is.
 *
 * Return: its text, or NULL.
 */
static inline const char *line_again(struct line_state *st, const char *s, const char *end,
				     uint64_t *time)
{
	const char *stamp = st->stamp;
	size_t n = st->stamp_len;
	unsigned int d;

	/* first and last 16 bytes; they may be the same */
	if (!n || (size_t)(end - s) < n + 2 ||
	    bytes_8(s) != bytes_8(stamp) || bytes_8(s + 8) != bytes_8(stamp + 8) ||
	    bytes_8(s + n - 16) != bytes_8(stamp + n - 16) ||
	    bytes_8(s + n - 8) != bytes_8(stamp + n - 8))
		return line_again_slow(st, s, end, time);
	d = (unsigned int)s[n] - '0';
	if (d > 9 || s[n + 1] != '!')
		return line_again_slow(st, s, end, time);
	*time = st->tens + d;
	return s + n + 2;
}

/**
 * line_flush - at the end of an input: LINE_PENDING lines that were nothing
 */
unsigned int line_flush(struct line_state *st);

#endif
