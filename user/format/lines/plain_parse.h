/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The fast path from lines to an event.
 *
 * Most events come exactly as the module prints them: a line with all sizes and values,
 * then the strings in order and with these sizes, each line right after the one before,
 * all of one record.  Such an event needs no list of its lines.  The first line that
 * differs ends the fast path: builder_make_list().
 */
#ifndef ETRACE_PLAIN_PARSE_H
#define ETRACE_PLAIN_PARSE_H

#include "format/lines/event_builder.h"

/**
 * plain_row - the row of the schema for a line that may begin such an event
 *
 * Return: NULL if no such event begins with this line.
 */
static inline const struct et_row *plain_row(const struct et_line *l)
{
	const struct et_row *row;

	/* may read the newline at the end of the line */
	if (l->tag >= LT_FIRST_STRING || l->text[l->tag_len] != '|')
		return NULL;
	row = lt_rows[l->tag];
	/* the line has or announces all parts of the event */
	return row && row->role == ET_BEGIN && row->when == ET_EACH ? row : NULL;
}

/**
 * plain_begin - begin an event with a line of plain_row()
 *
 * Return: false if the line is not as the module prints it.
 */
bool plain_begin(struct builder *b, const struct et_row *row, const struct et_line *l);

/**
 * plain_add - add a line to an event
 *
 * Return: false if it is not the expected line, as the module prints it.
 */
bool plain_add(struct builder *b, const struct et_line *l);

/**
 * plain_add_more - add the lines of an event that directly follow in the input
 * @st: state of the input after the event's last line; advances with each line
 * @s: the text that follows, up to @end, which may be in the middle of a line
 * @until: stop before lines later than this, ns
 *
 * Return: number of bytes consumed.
 */
size_t plain_add_more(struct builder *b, struct line_state *st, const char *s, const char *end,
		      uint64_t until);

#endif
