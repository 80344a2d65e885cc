/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Events as the lines of the format document: Documentation/line-format.md.
 * The lines of an event that is not whole show what is there, so that reading
 * them again finds the same missing.
 */
#ifndef ETRACE_EVENT_LINES_H
#define ETRACE_EVENT_LINES_H

#include "base/buf.h"
#include "event/event.h"

/**
 * et_print_lines - append all lines of an event, each with its newline
 * @earliest: no line gets an earlier time (ns); 0 for the task's first event,
 *	else what this returned for the one before
 *
 * Each line gets a time of its own, 1 ns behind the one before, but where a
 * later record's is later than that.
 *
 * Return: the earliest time for the task's next event, 1 ns behind the last
 * line.
 */
uint64_t et_print_lines(const struct et_event *ev, uint64_t earliest, struct buf *b);

/**
 * et_read_lines - the event that lines tell of which are known to be of one
 * @ev: an event that et_init() made; filled
 * @text: whole lines as et_print_lines() makes them
 *
 * Return: false if the text is not that.
 */
bool et_read_lines(struct et_event *ev, const char *text, size_t len);

/**
 * et_absorb_extras - take lines outside the format for what they tell
 *
 * "Failed|error=2" and the like, at the beginning of ev->extras: FXT files of
 * the older mapping have them.
 */
void et_absorb_extras(struct et_event *ev);

/* Strings of so many bytes and above are divided into parts. */
#define ET_PART_MAX 900u

#endif
