/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The short way from lines to an event.
 *
 * Most events come as the module prints them: a line with all sizes and values,
 * the strings in their order with just these sizes, each line behind the one
 * before, all of one record.  Such an event needs no list of its lines.  The first
 * line that is not so ends the short way: grow_list().
 */
#ifndef ETRACE_PLAIN_PARSE_H
#define ETRACE_PLAIN_PARSE_H

#include "format/lines/event_builder.h"

/**
 * quick_row - the row of the schema of a line that may begin such an event
 *
 * Return: NULL if it does not.
 */
static inline const struct et_row *quick_row(const struct et_line *l)
{
	const struct et_row *row;

	/* at its end there is a newline */
	if (l->tag >= LT_FIRST_STRING || l->text[l->tag_len] != '|')
		return NULL;
	row = lt_rows[l->tag];
	/* all that it has is there, or announced */
	return row && row->role == ET_BEGIN && row->when == ET_EACH ? row : NULL;
}

/**
 * quick_start - an event that begins with a line of quick_row()
 *
 * Return: false if it is not as the module prints it.
 */
bool quick_start(struct growing *g, const struct et_row *row, const struct et_line *l);

/**
 * quick_go_on - take a line that goes on with an event
 *
 * Return: false if it does not so plainly.
 */
bool quick_go_on(struct growing *g, const struct et_line *l);

/**
 * quick_more - take lines that go on with an event straight from the text
 * @st: of the input, as the event's last line left it; goes on with each
 * @s: what follows up to @end, which need not be whole lines
 * @until: no lines later than that
 *
 * Return: how many bytes were taken.
 */
size_t quick_more(struct growing *g, struct line_state *st, const char *s, const char *end,
		  uint64_t until);

#endif
