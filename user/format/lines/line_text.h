/* SPDX-License-Identifier: LGPL-2.1 */
/* What the text of an etrace line says, apart from whose and when. */
#ifndef ETRACE_LINE_TEXT_H
#define ETRACE_LINE_TEXT_H

#include "format/lines/line_parse.h"
#include "format/lines/line_list.h"

struct piece {
	enum {
		P_HEADER,
		P_STRING,	/* TAG|text, TAG[n]text */
		P_STRING_END,	/* TAG_end */
		P_CONT,		/* Cont|text */
		P_CONT_END,
		P_OTHER,
	} what;
	enum lt_tag tag;
	bool part;		/* has a number */
	uint32_t index;
	const char *text;
	size_t len;
};

/** piece_read - the tag that a line begins with, and what follows */
struct piece piece_read(const struct et_line *l);

/**
 * piece_in_order - fields as the format has them: in their order, nothing else
 * @ev, @it: get them; @it has its tag
 * @s: behind the tag, up to @end; 8 bytes before that can be read
 *
 * Return: what follows the last that is so, without the comma if that is all: @end if nothing
 * does.
 */
const char *piece_in_order(struct et_event *ev, struct lt_item *it, const char *s,
			   const char *end);

/**
 * piece_fields - the fields of a header: those that are not known, as text
 * @ev, @it: get them
 *
 * Return: false if something could not be read.
 */
bool piece_fields(struct et_event *ev, struct lt_item *it, const char *s, size_t len);

#endif
