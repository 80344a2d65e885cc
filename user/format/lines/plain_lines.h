/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Prints the lines of ordinary events fast: those that are complete, have only what the schema
 * names, and have each string on one line.  et_print_lines() prints all others.
 */
#ifndef ETRACE_PLAIN_LINES_H
#define ETRACE_PLAIN_LINES_H

#include "event/event.h"
#include "format/lines/line_prefix.h"

#define PLAIN_TEXT_COPY	32u	/* bytes copied at once; few texts are longer */

/* A piece of text, "Close|fd=", and the part of the event that follows it. */
struct plain_part {
	uint8_t what, slot;
	uint8_t n;
	bool begins, ends;	/* whether it begins or ends a line */
	char text[2 * PLAIN_TEXT_COPY];
};

/* Initialize with zeros. */
struct plain_lines {
	struct line_prefix prefix;
	/* by kind: the parts of the latest event of that kind */
	struct plain_shape {
		uint64_t key;	/* says which lines and fields there are; 0: not set */
		bool alone;	/* it could be mistaken for the end of the previous event */
		uint32_t nparts;
		size_t parts_cap;
		struct plain_part *parts;
	} shapes[ET_K_COUNT];
};

void plain_lines_free(struct plain_lines *p);

/** plain_lines_room - get how many bytes plain_lines_put() may write */
size_t plain_lines_room(const struct et_event *ev);

/**
 * plain_lines_put - print all lines of an event, each with its newline
 * @earliest: as for et_print_lines(); set to what that would return
 * @to: buffer of plain_lines_room() bytes
 *
 * Return: the end of the lines; NULL, with @earliest unchanged, if the event is not ordinary.
 */
char *plain_lines_put(struct plain_lines *p, const struct et_event *ev, uint64_t *earliest,
		      char *to);

#endif
