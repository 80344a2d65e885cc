/* SPDX-License-Identifier: LGPL-2.1 */
/* Parses the text of an etrace line, after the prefix with task, processor and time. */
#ifndef ETRACE_LINE_TEXT_H
#define ETRACE_LINE_TEXT_H

#include "format/lines/line_parse.h"
#include "format/lines/line_list.h"

struct line_text {
	enum {
		P_HEADER,
		P_STRING,	/* TAG|text, TAG[n]text */
		P_STRING_END,	/* TAG_end */
		P_CONT,		/* Cont|text */
		P_CONT_END,
		P_OTHER,
	} what;
	enum lt_tag tag;
	bool part;		/* it has an index */
	uint32_t index;
	const char *text;
	size_t len;
};

/** line_text_split - split a line into its tag, its index and what follows */
struct line_text line_text_split(const struct et_line *l);

/**
 * line_text_in_order - read the fields of a header as long as they have the order of the format
 * @ev, @it: get the fields; @it has its tag
 * @s: the text after the tag, up to @end; the 8 bytes before @s must be readable
 *
 * Return: what follows the last field read, @end if nothing does; the comma after that
 * field is passed over, but not if it ends the text.
 */
const char *line_text_in_order(struct et_event *ev, struct lt_item *it, const char *s,
			       const char *end);

/**
 * line_text_fields - read the fields of a header, in any order
 * @ev, @it: get the fields; unknown ones are kept as text
 *
 * Return: false if a part could not be read.
 */
bool line_text_fields(struct et_event *ev, struct lt_item *it, const char *s, size_t len);

#endif
