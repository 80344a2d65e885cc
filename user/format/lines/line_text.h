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

/* Parts of line_text_split(): for "TAG[n]text"; for lines other than that and "TAG|text". */
struct line_text line_text_part(const struct et_line *l);
struct line_text line_text_other(const struct et_line *l);

/** line_text_split - split a line into its tag, its index and what follows */
static inline struct line_text line_text_split(const struct et_line *l)
{
	const char *s = l->text + l->tag_len;

	/* if the tag is the whole line, this reads its newline */
	if (*s == '[')
		return line_text_part(l);
	if (l->tag == LT_NONE || *s != '|' || lt_is_args(l->tag))
		return line_text_other(l);
	return (struct line_text){
		.what = l->tag >= LT_FIRST_STRING ? P_STRING : P_HEADER, .tag = l->tag,
		.text = s + 1, .len = l->len - l->tag_len - 1,
	};
}

/**
 * line_text_fields - read the fields of a header, in any order
 * @ev, @it: get the fields; unknown ones are kept as text; @it has its tag
 * @s: the text after the tag; the 8 bytes before @s, and the newline after it, must be readable
 *
 * Return: false if a part of the text could not be read.
 */
bool line_text_fields(struct et_event *ev, struct lt_item *it, const char *s, size_t len);

#endif
