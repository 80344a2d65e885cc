/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The lines of events as most are: whole, with nothing but what the schema has, and each string
 * in a line of its own.  What is none of these, lt_print() has.
 */
#ifndef ETRACE_PLAIN_LINES_H
#define ETRACE_PLAIN_LINES_H

#include "build/event.h"
#include "lines/line_prefix.h"

/* Starts as all zeros. */
struct plain_lines {
	struct line_prefix prefix;
	/* of each kind, the event that was printed last */
	struct lines_there {
		uint64_t key;	/* what decides which rows are there; 0: nothing is known */
		uint32_t rows;	/* bit i: et_rows[et_kinds[kind].row + i] */
		bool alone;	/* it must not look like the end of a record before it */
	} there[ET_K_COUNT];
};

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
