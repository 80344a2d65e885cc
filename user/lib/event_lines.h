/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as the lines of the format document: Documentation/line-format.md.
 * The lines of an event that is not whole show what is there, so that reading
 * them again finds the same missing.
 */
#ifndef ETRACE_EVENT_LINES_H
#define ETRACE_EVENT_LINES_H

#include "buf.h"
#include "event.h"

/** et_print_lines - append all lines of an event, each with its newline */
void et_print_lines(const struct et_event *ev, struct buf *b);

/* Strings of so many bytes and above are divided into parts. */
#define ET_PART_MAX 900u

#endif
