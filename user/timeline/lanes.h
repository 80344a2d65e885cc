/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Packs the slices of a timeline into as few lanes as possible: the largest number of programs
 * that worked in parallel.  Slices of one job (see timeline_process.job) stay in one lane if
 * possible.
 */
#ifndef ETRACE_LANES_H
#define ETRACE_LANES_H

#include "timeline/timeline.h"
#include "timeline/work.h"

struct lanes {
	struct timeline_slice *rows;	/* the timeline's slices, ordered by @from */
	size_t n;
	uint32_t count;			/* number of lanes */
};

/** lanes_find - set timeline_slice.lane of all slices; @l points into the timeline */
void lanes_find(const struct timeline *t, struct lanes *l);

/**
 * lanes_steps - report how many programs of each class worked, each time that this changed
 * @classes: enum work_class, by exec
 * @fn: called in order of time; @working has WORK_CLASSES numbers
 */
void lanes_steps(const struct lanes *l, const uint8_t *classes,
		 void (*fn)(void *ctx, int64_t at, const uint32_t *working), void *ctx);

#endif
