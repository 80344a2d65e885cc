/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Prints the lines of ordinary events: complete, with only what the schema names, and each
 * string on one line.  et_print_lines() prints all others.
 */
#ifndef ETRACE_PLAIN_LINES_H
#define ETRACE_PLAIN_LINES_H

#include "event/event.h"
#include "format/lines/line_prefix.h"

#define PLAIN_TEXT_COPY	32u	/* copied at once: most are not longer */

/* A piece of text, "Close|fd=", and the part of the event that follows it. */
struct plain_part {
	uint8_t what, slot;
	uint8_t n;
	bool begins, ends;	/* a line */
	char text[2 * PLAIN_TEXT_COPY];
};

/* Starts as all zeros. */
struct plain_lines {
	struct line_prefix prefix;
	/* by kind: what the latest event of that kind had */
	struct plain_shape {
		uint64_t key;	/* determines which lines and fields there are; 0 if not set */
		bool alone;	/* it could be mistaken for the end of the event before it */
		uint32_t nparts;
		size_t parts_cap;
		struct plain_part *parts;
	} shapes[ET_K_COUNT];
};

void plain_lines_free(struct plain_lines *p);

/** plain_lines_room - how many bytes plain_lines_put() may write */
size_t plain_lines_room(const struct et_event *ev);

/**
 * plain_lines_put - all lines of an event, each with its newline
 * @earliest: in: as for et_print_lines(); out: what that returns
 * @to: plain_lines_room() bytes of room
 *
 * Return: the end of the lines; NULL if the event is not ordinary: @earliest is unchanged.
 */
char *plain_lines_put(struct plain_lines *p, const struct et_event *ev, uint64_t *earliest,
		      char *to);

#endif
