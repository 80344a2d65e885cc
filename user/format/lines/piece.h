/* SPDX-License-Identifier: LGPL-2.1 */
/* What the text of an etrace line says, apart from whose and when. */
#ifndef ETRACE_PIECE_H
#define ETRACE_PIECE_H

#include "format/lines/line_parse.h"
#include "format/lines/tree.h"

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
 * piece_value - a whole number of 64 bits, signed or not
 * @v: gets it, in two's complement
 * @big: it is unsigned and above INT64_MAX
 *
 * Return: what follows, or NULL.
 */
const char *piece_value(const char *s, const char *end, int64_t *v, bool *big);

/**
 * piece_fields - the fields of a header into the event's last item
 *
 * Return: false if something could not be read.
 */
bool piece_fields(struct lt_event *ev, const char *s, size_t len);

#endif
