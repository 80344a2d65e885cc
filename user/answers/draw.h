/* SPDX-License-Identifier: LGPL-2.1 */
/* Draws a timeline with characters: how many programs ran when, and the critical path. */
#ifndef ETRACE_DRAW_H
#define ETRACE_DRAW_H

#include "answers/timeline_load.h"

/* Where to draw, and how. */
struct draw {
	struct out *out;
	unsigned int width;	/* columns of a drawing, DRAW_MIN or more */
	unsigned int line;	/* columns after which lines are cut; 0 for no limit */
	bool utf8;		/* block characters; else ASCII */
	const char *bad, *off;	/* escape sequences that begin and end red text; NULL if none */
};

#define DRAW_MIN	40u
#define DRAW_MAX	100u
/* Columns without a terminal. */
#define DRAW_PLAIN	80u

/**
 * draw_parallel - draw how many programs ran, over time
 *
 * Each column shows the average of its time, so the filled area is proportional to the work.
 * A column in which anything ran is never empty.
 */
void draw_parallel(const struct timeline *t, const struct draw *d);

/**
 * draw_path - print the @top longest segments of the critical path: when, how long, what, and why
 */
void draw_path(const struct timeline *t, const struct critical_path *path, uint64_t top,
	       const struct draw *d);

#endif
