/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Working programs, packed into as few lanes as possible: as many as worked at once at most.
 *
 * What one job (see line_process.job) does stays in one lane where that is possible.
 */
#ifndef ETRACE_LANES_H
#define ETRACE_LANES_H

#include "timeline/timeline.h"
#include "timeline/work.h"

struct lanes {
	struct line_slice *rows;	/* the timeline's, in the order of @from */
	size_t n;
	uint32_t count;			/* of lanes */
};

/** lanes_find - all of them: sets line_slice.lane of a timeline, to which they belong */
void lanes_find(const struct timeline *t, struct lanes *l);

/**
 * lanes_steps - how many worked, by class, each time when that changed
 * @classes: enum work_class, by exec
 * @fn: called in the order of time; @working has WORK_CLASSES numbers
 */
void lanes_steps(const struct lanes *l, const uint8_t *classes,
		 void (*fn)(void *ctx, int64_t at, const uint32_t *working), void *ctx);

#endif
