/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The lines of events as most are: whole, with nothing but what the schema has, and each string
 * in a line of its own.  What is none of these, lt_print() has.
 */
#ifndef ETRACE_PLAIN_LINES_H
#define ETRACE_PLAIN_LINES_H

#include "build/event.h"
#include "lines/line_prefix.h"

#define PLAIN_TEXT_COPY	32u	/* copied at once: most are not longer */

/* Text of a line, "Close|fd=", and what of the event stands behind it. */
struct plain_part {
	uint8_t what, slot;
	uint8_t n;
	bool begins, ends;	/* a line */
	char text[2 * PLAIN_TEXT_COPY];
};

/* Starts as all zeros. */
struct plain_lines {
	struct line_prefix prefix;
	/* of each kind, what the event had that was printed last */
	struct plain_shape {
		uint64_t key;	/* what decides which lines and fields are there; 0: none yet */
		bool alone;	/* it must not look like the end of a record before it */
		uint32_t nparts;
		size_t parts_cap;
		struct plain_part *parts;
	} shapes[ET_K_COUNT];
};

void plain_lines_free(struct plain_lines *p);

/** plain_lines_room - the bytes that plain_lines_put() may write to */
size_t plain_lines_room(const struct et_event *ev);

/**
 * plain_lines_put - all lines of an event, each with its newline
 * @earliest: as of et_print_lines(), and what that returns
 * @to: plain_lines_room() bytes of room
 *
 * Return: behind them, or NULL if the event is not plain: @earliest is as it was then.
 */
char *plain_lines_put(struct plain_lines *p, const struct et_event *ev, uint64_t *earliest,
		      char *to);

#endif
