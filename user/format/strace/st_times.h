/* SPDX-License-Identifier: LGPL-2.1 */
/* The times of a file's lines, on a clock that is never set. */
#ifndef ETRACE_ST_TIMES_H
#define ETRACE_ST_TIMES_H

#include "format/strace/st_line.h"

/* State of st_time() for one file. */
struct st_times {
	bool apart;		/* one file per task: a line's time is its call's begin */
	uint64_t now;		/* ns, current time; 0 if the log is not being written */
	uint64_t last;		/* ns, of the line before */
	uint64_t days;		/* ns of whole days since the first line */
	uint64_t day;		/* ns since midnight, of the line before */
	int64_t ahead;		/* ns that the clock was set forward since the first line */
	uint64_t sets;		/* how often the clock was set */
};

/**
 * st_time - work out a line's time
 *
 * A line earlier than the one before it, or later than now, shows that the log's clock was
 * set.  Return: ns by a clock that is never set; not before the previous line's.
 */
uint64_t st_time(struct st_times *t, const struct st_line *line);

#endif
