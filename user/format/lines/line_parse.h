/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses one line of trace_pipe text: finds the etrace line in it by the structure of
 * the whole line, because a task's name can look like anything.  Of the text of an etrace
 * line, only the tag is parsed here; line_text.h does the rest.
 *
 * See Documentation/line-format.md, "What the reader accepts".
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
	LINE_FOREIGN,		/* a line of another tracer, a comment, or empty */
	LINE_DAMAGED,		/* a damaged etrace line, or rubbish */
	LINE_PENDING,		/* maybe a piece of a task's name: see struct line_state */
};

struct et_line {
	uint64_t upid;
	uint64_t time;		/* ns */
	uint32_t cpu;
	const char *text;	/* what follows the '!' */
	size_t len;
	size_t tag_len;		/* length of the word that the text begins with */
	enum lt_tag tag;	/* the tag with that name, LT_NONE if none */
	/* for LINE_LOST, besides cpu: */
	bool counted;		/* whether the line has the number of lost events */
	uint64_t lost;
	/* file and line number for messages, set by the caller */
	const char *file;
	uint64_t number;
};

#define LINE_TAG_BITS	4

/*
 * State kept between the lines of one input.  Initialize with zeros.
 *
 * ftrace prints a task's name unescaped.  If that has a newline in it, the line comes
 * in pieces, the second of which may look like anything.  So a short line that might
 * be the first piece is LINE_PENDING until the next line decides: the '-' after a name
 * is always in column 16.
 */
struct line_state {
	unsigned int pending;	/* bytes of LINE_PENDING lines so far, including newlines */
	unsigned int pieces;	/* number of LINE_PENDING lines so far */
	/*
	 * The last etrace line, and its prefix up to the nanoseconds, which the next
	 * line often shares.  In stamp, the digits of the nanoseconds follow, except
	 * the last one, in which the lines of a record differ.
	 */
	struct et_line line;
	char stamp[80 + 8];
	size_t prefix_len;
	size_t stamp_len;	/* length of the stamp: 16 to 32, or 0 if unknown */
	uint64_t seconds;	/* the seconds at the end of the prefix, in ns */
	uint64_t tens;		/* time of the stamp in ns, with 0 as the last digit */
	/*
	 * For lines that have all of ftrace's columns in the usual place: 16 bytes from
	 * the '-' on, and the column of the colon after the time, 0 if unknown.
	 */
	uint64_t columns[2];
	size_t colon;
	/* cache of tags: the first 8 bytes of a text and its tag, indexed by a hash of the bytes */
	struct line_tag {
		uint64_t word;
		uint8_t tag, len;
	} tags[1 << LINE_TAG_BITS];
	struct et_line lost;	/* the last LOST line */
};

/* Parses "<upid>,<cpu>,<time>,<timen>!<data>" at the beginning of a line. */
bool line_plain(struct line_state *st, const char *s, const char *end);
/* Parses an etrace line after ftrace's columns, if these have the usual widths. */
bool line_columns(struct line_state *st, const char *s, const char *end);
/* The slow path of line_parse(), for lines that line_quick() cannot parse. */
enum line_class line_other(struct line_state *st, const char *s, const char *end,
			   unsigned int *foreign);

/* Parses an etrace line of a common shape.  Return: false if line_other() must decide. */
static inline bool line_quick(struct line_state *st, const char *s, const char *end)
{
	if (st->pending)
		return false;
	/* most lines of an event except the first begin with digits, but so can a task's name */
	if (*s >= '0' && *s <= '9')
		return line_plain(st, s, end);
	return line_columns(st, s, end);
}

/**
 * line_parse - classify and parse a line
 * @st: state of its input; LINE_ETRACE fills st->line, LINE_LOST fills st->lost
 * @s: the line up to @end, which points to its newline
 * @foreign: set to the number of earlier LINE_PENDING lines that turned out to
 *	be foreign lines
 */
static inline enum line_class line_parse(struct line_state *st, const char *s, const char *end,
					 unsigned int *foreign)
{
	*foreign = 0;
	return line_quick(st, s, end) ? LINE_ETRACE : line_other(st, s, end, foreign);
}

/*
 * Whether a line differs from the last etrace line only in the last digit of its prefix.
 * Return: its text, or NULL if not.
 */
static inline const char *line_of_record(const struct line_state *st, const char *s,
					 const char *end, uint64_t *time)
{
	const char *stamp = st->stamp;
	size_t n = st->stamp_len;
	unsigned int d;

	/* the first and the last 16 bytes, which may overlap */
	if (!n || (size_t)(end - s) < n + 2 ||
	    bytes_8(s) != bytes_8(stamp) || bytes_8(s + 8) != bytes_8(stamp + 8) ||
	    bytes_8(s + n - 16) != bytes_8(stamp + n - 16) ||
	    bytes_8(s + n - 8) != bytes_8(stamp + n - 8))
		return NULL;
	d = (unsigned int)s[n] - '0';
	if (d > 9 || s[n + 1] != '!')
		return NULL;
	*time = st->tens + d;
	return s + n + 2;
}

/* The slow path of line_again(): the lines differ in more than the last digit of the time. */
const char *line_again_slow(struct line_state *st, const char *s, const char *end,
			    uint64_t *time);

/**
 * line_again - whether a line has the task, processor and second of the last etrace line
 * @s: the line up to @end, which points to its newline; no line before it is LINE_PENDING
 * @time: gets its time in ns
 *
 * st->line stays unchanged.
 *
 * Return: its text, or NULL if not.
 */
static inline const char *line_again(struct line_state *st, const char *s, const char *end,
				     uint64_t *time)
{
	const char *text = line_of_record(st, s, end, time);

	return text ? text : line_again_slow(st, s, end, time);
}

#define LINE_COPY	16u	/* bytes copied at once */

/* Copies @n bytes, and up to LINE_COPY more.  Return: whether the @n bytes have a newline. */
static inline bool line_copy(char *to, const char *s, size_t n)
{
	const bytes_16 newline = { '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n',
				   '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n' };
	bytes_16 piece = bytes_load_16(s + n - LINE_COPY), found = piece == newline;
	size_t i = 0;

	for (; i + LINE_COPY < n; i += LINE_COPY) {
		piece = bytes_load_16(s + i);
		found |= piece == newline;
		memcpy(to + i, &piece, LINE_COPY);
	}
	memcpy(to + i, s + i, LINE_COPY);
	return bytes_any(found);
}

/* Whether a tag's name begins at @s.  Most names of strings have two letters. */
static inline bool line_has_name(const char *s, const struct lt_tag_row *row)
{
	return row->name_len == 2 ? bytes_equal(s, row->name, 2) :
				    bytes_equal(s, row->name, row->name_len);
}

/**
 * line_string - read a line if it fits line_again() and is a string of known length
 * @s: the input from the line on, up to @end, which may be in the middle of the line
 * @n: length of the text after "TAG|", which saves the search for the newline
 * @time: gets the line's time in ns
 * @to: buffer of @n + LINE_COPY bytes for the text
 *
 * Return: what follows the line; NULL if it is another line, or line_parse() must read it.
 */
static inline const char *line_string(struct line_state *st, const char *s, const char *end,
				      enum lt_tag tag, size_t n, uint64_t *time, char *to)
{
	const struct lt_tag_row *row = &lt_tags[tag];
	size_t before = st->stamp_len + 3 + row->name_len;
	const char *text = s + before, *name = text - 1 - row->name_len;

	if ((size_t)(end - s) < before + n + LINE_COPY || text[n] != '\n' || text[-1] != '|' ||
	    line_again(st, s, text + n, time) != name ||
	    !line_has_name(name, row) || line_copy(to, text, n))
		return NULL;
	return text + n + 1;
}

/**
 * line_follows - parse a line if it fits line_again() and has this tag: faster than line_parse()
 * @s: the input from the line on, up to @end, which may be in the middle of the line
 * @l: set to the line, except what it shares with the line before
 *
 * Return: what follows the line; NULL if it is another line, or line_parse() must read it.
 */
static inline const char *line_follows(struct line_state *st, const char *s, const char *end,
				       enum lt_tag tag, struct et_line *l)
{
	const struct lt_tag_row *row = &lt_tags[tag];
	const char *nl = memchr(s, '\n', (size_t)(end - s));

	if (!nl)
		return NULL;
	l->text = line_again(st, s, nl, &l->time);
	if (!l->text || (size_t)(nl - l->text) < row->name_len ||
	    !line_has_name(l->text, row))
		return NULL;
	l->len = (size_t)(nl - l->text);
	l->tag = tag;
	l->tag_len = row->name_len;
	return nl + 1;
}

/** line_flush - end an input.  Return: how many LINE_PENDING lines turned out to be foreign. */
unsigned int line_flush(struct line_state *st);

#endif
