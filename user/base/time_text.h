/* SPDX-License-Identifier: LGPL-2.1 */
/* Finds a time in the content of a file. */
#ifndef ETRACE_TIME_TEXT_H
#define ETRACE_TIME_TEXT_H

#include "base/buf.h"

/* When a program may have read the clock. */
struct time_span {
	int64_t from, to;	/* s since 1970; @to: 0 if unknown */
	/* a match of minutes and seconds counts even if this is long */
	bool both;
};

/** time_in_text - a time in a text.  Return: NULL if none; @len: its length */
const char *time_in_text(const struct time_span *w, const struct buf *b, size_t *len);

/**
 * time_in_numbers - whether binary data has a time: as 4 bytes (gzip), as digits (cpio), or as zip
 * stores it
 */
bool time_in_numbers(const struct time_span *w, const struct buf *b);

/** time_would_show - whether a search for times is reliable; not if @w is too long */
bool time_would_show(const struct time_span *w, const struct buf *b, bool text);

#endif
