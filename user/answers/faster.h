/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds what to make faster first, and an upper bound of the time that it would save.
 *
 * The bound of a step says how much sooner the build would have ended if the step had taken no
 * time. Everything else takes as long as it did and begins in the same order.  No more programs
 * run at a time than in the real build, or than build tools have job slots.  Everything before the
 * step stays as it was.  The build cannot end before the latest of these times:
 * - the end of the longest chain of steps that need each other, without the step
 *   (endless_without());
 * - the time when that many programs, running in parallel, have done all other work;
 * - the real end minus the duration of the step: as the order stays the same, nothing can begin
 * earlier by more than that. The step saves at most the difference between the latest of these and
 * the real end.
 */
#ifndef ETRACE_FASTER_H
#define ETRACE_FASTER_H

#include "answers/timeline_load.h"
#include "io/json_out.h"

#define FASTER_ROWS	5u

enum faster_kind {
	FASTER_STEP,		/* a process and all its descendants */
	FASTER_ITSELF,		/* a process without its descendants */
	FASTER_PLACES,		/* more processors and job slots */
	FASTER_KINDS
};

struct faster_row {
	enum faster_kind kind;
	uint32_t process;	/* process of the step; 0 for FASTER_PLACES */
	uint32_t exec;		/* the exec in it that worked longest */
	int64_t at, until;	/* ns */
	int64_t took;		/* ns: FASTER_STEP from begin to end, FASTER_ITSELF time worked */
	int64_t saves;		/* ns at most */
	double average;		/* average number of programs that ran during it */
};

struct faster {
	struct faster_row rows[FASTER_ROWS];	/* by @saves, largest first */
	unsigned int n;
	int64_t endless;	/* endless_without() with nothing removed, ns */
};

/** faster_find - find what to make faster; @path is the critical path of @t */
void faster_find(struct faster *f, const struct timeline *t, const struct critical_path *path);

/** faster_label - append what to make faster: "cc1 pch.c" */
void faster_label(const struct timeline *t, const struct faster_row *r, struct buf *to);

/** faster_is_serial - whether a step of many programs runs them about one at a time */
bool faster_is_serial(const struct timeline *t, const struct faster_row *r);

/** faster_text - append a sentence: "cc1 pch.c takes 48.000 s, 40 % of the build" */
void faster_text(const struct timeline *t, const struct faster_row *r, struct buf *to);

/** faster_put - print as text; nothing if there are no rows */
void faster_put(const struct timeline *t, const struct faster *f, struct out *out);

/** faster_json - write the member "faster" */
void faster_json(const struct timeline *t, const struct faster *f, struct json *j);

#endif
