/* SPDX-License-Identifier: LGPL-2.1 */
/* A timeline drawn with characters: how many programs worked when, and the critical path. */
#ifndef ETRACE_DRAW_H
#define ETRACE_DRAW_H

#include "answers/line.h"

/* What is drawn on. */
struct draw {
	struct out *out;
	unsigned int width;	/* columns of a drawing, DRAW_MIN or more */
	unsigned int line;	/* columns after which lines are cut; 0: they are not */
	bool utf8;		/* block characters; else ASCII */
	const char *bad, *off;	/* what makes text red, and ends that; NULL: nothing does */
};

#define DRAW_MIN	40u
#define DRAW_MAX	100u
/* Where there is no terminal. */
#define DRAW_PLAIN	80u

/**
 * draw_parallel - how many programs worked, over time
 *
 * A column is the average of its time, so that the filled part says how much was done;
 * where anything worked at all, it is not empty.
 */
void draw_parallel(const struct timeline *t, const struct draw *d);

/** draw_path - the @top longest segments of the critical path: when, how long, who, and why */
void draw_path(const struct timeline *t, const struct line_path *path, uint64_t top,
	       const struct draw *d);

#endif
