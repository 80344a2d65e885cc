/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The lines of events as most are: whole, with nothing but what the schema has, and each string
 * in a line of its own.  What is none of these, lt_print() has.
 */
#ifndef ETRACE_PLAIN_LINES_H
#define ETRACE_PLAIN_LINES_H

#include "build/event.h"
#include "lines/line_prefix.h"

/** lines_room - the bytes that plain_lines() may write to */
size_t lines_room(const struct et_event *ev);

/**
 * plain_lines - all lines of an event, each with its newline
 * @p: where the printing stands, from event to event
 * @earliest: as of et_print_lines(), and what that returns
 * @to: lines_room() bytes of room
 *
 * Return: behind them, or NULL if the event is not plain; nothing has changed then but @p.
 */
char *plain_lines(struct line_prefix *p, const struct et_event *ev, uint64_t *earliest, char *to);

#endif
