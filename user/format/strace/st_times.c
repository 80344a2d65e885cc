// SPDX-License-Identifier: LGPL-2.1
/* The times of a file's lines.  See st_times.h. */
#include "format/strace/st_times.h"

#define DAY_NS 86400000000000ull
/* Time assumed between two lines of a log without times, ns. */
#define UNTIMED_NS 1000u
/* ns.  A smaller difference means that the clock was not set, only slowed or sped up. */
#define SET_NS 50000000

/* Convert @at to the clock of the first line, and find out whether the clock was set. */
static uint64_t unset_clock(struct st_times *t, uint64_t at)
{
	int64_t by = (int64_t)at - t->ahead, last = (int64_t)t->last, now = (int64_t)t->now;
	int64_t off = 0;

	if (now && by > now + SET_NS)
		off = by - now;
	else if (by < last - SET_NS)
		off = by - last;
	t->ahead += off;
	t->sets += off != 0;
	by -= off;
	return by > 0 ? (uint64_t)by : 0;
}

uint64_t st_time(struct st_times *t, const struct st_line *line)
{
	uint64_t at = line->time;
	bool wall = line->clock == ST_DAY || line->clock == ST_EPOCH;

	switch (line->clock) {
	case ST_UNTIMED:
		/* a dump belongs to the line before it */
		at = t->last + (line->class == ST_DUMP ? 0 : UNTIMED_NS);
		break;
	case ST_RELATIVE:
		at += t->last;
		break;
	case ST_DAY:
		/* after midnight; if it is less, the clock was set back */
		if (at + DAY_NS / 2 < t->day)
			t->days += DAY_NS;
		t->day = at;
		at += t->days;
		break;
	case ST_EPOCH:
		break;
	}
	/* the line's time is the begin of the call, but that of its event the end */
	if (line->class == ST_CALL && line->has_took && !t->apart && wall)
		at += line->took;
	if (wall)
		at = unset_clock(t, at);
	if (at < t->last)
		at = t->last;
	t->last = at;
	return at;
}
