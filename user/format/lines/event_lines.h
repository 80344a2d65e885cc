/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Prints events as lines of the format of Documentation/line-format.md.
 * An incomplete event is printed with the parts that it has, so that a reader of the lines
 * finds the same parts missing.
 */
#ifndef ETRACE_EVENT_LINES_H
#define ETRACE_EVENT_LINES_H

#include "base/buf.h"
#include "event/event.h"

/**
 * et_print_lines - append all lines of an event, each with its newline
 * @earliest: no line gets an earlier time (ns); 0 for the task's first event,
 *	else the return value for its previous event
 *
 * Each line gets its own time, 1 ns after the line before, or the time of its record
 * if that is later.
 *
 * Return: the earliest time for the task's next event, 1 ns after the last line.
 */
uint64_t et_print_lines(const struct et_event *ev, uint64_t earliest, struct buf *b);

/**
 * et_read_lines - read an event from text that is known to be the lines of one event
 * @ev: initialized by et_init(); filled
 * @text: complete lines as et_print_lines() prints them
 *
 * Return: false if the text is something else.
 */
bool et_read_lines(struct et_event *ev, const char *text, size_t len);

/**
 * et_absorb_extras - read lines outside the format into the event's fields
 *
 * These are lines such as "Failed|error=2" at the beginning of ev->extras, which FXT files
 * of the older mapping have.
 */
void et_absorb_extras(struct et_event *ev);

/* Strings of at least this many bytes are split into parts. */
#define ET_PART_MAX 900u

#endif
