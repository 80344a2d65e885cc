/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What to make faster first, and what that would save at most.
 *
 * The bound of a step says how much sooner the build would have ended if the step had taken
 * no time, if all else had taken as long as it did and begun in the same order, and if no
 * more programs had run at a time than did, or than build tools have job slots.  Whatever
 * happened before the step began stays as it was.  From then on the build would not have
 * ended before
 * - its longest chain of steps that need each other, without the step (endless_without());
 * - all the other work was done by so many programs at a time;
 * - the end that it had, less what the step lasted: begun in the same order, nothing moves
 *   further forward than that.
 * The latest of these is when the build would have ended at the earliest; the step saves no
 * more than is between that and the end that the build had.
 */
#ifndef ETRACE_FASTER_H
#define ETRACE_FASTER_H

#include "answers/line.h"
#include "io/json_out.h"

#define FASTER_ROWS	5u

enum faster_kind {
	FASTER_STEP,		/* a process with all below it */
	FASTER_ITSELF,		/* a process without what it started */
	FASTER_PLACES,		/* more processors and job slots */
	FASTER_KINDS
};

struct faster_row {
	enum faster_kind kind;
	uint32_t process;	/* of a step; 0: FASTER_PLACES */
	uint32_t exec;		/* of these, the one that worked longest */
	int64_t at, until;
	int64_t took;		/* a step: from begin to end; itself: how long it worked */
	int64_t saves;		/* at most */
	double average;		/* programs at work meanwhile */
};

struct faster {
	struct faster_row rows[FASTER_ROWS];	/* which saves most first */
	unsigned int n;
};

/** faster_find - @path is the critical path of @t */
void faster_find(struct faster *f, const struct timeline *t, const struct line_path *path);

/** faster_label - what is to be made faster: "cc1 pch.c"; appended */
void faster_label(const struct timeline *t, const struct faster_row *r, struct buf *to);

/** faster_is_serial - whether a step of many programs runs about one at a time */
bool faster_is_serial(const struct timeline *t, const struct faster_row *r);

/** faster_text - the same with what it takes: "cc1 pch.c takes 48.000 s, 40 % of the build" */
void faster_text(const struct timeline *t, const struct faster_row *r, struct buf *to);

/** faster_put - as text; nothing if there is nothing to be said */
void faster_put(const struct timeline *t, const struct faster *f, struct out *out);

/** faster_json - as the member "faster" */
void faster_json(const struct timeline *t, const struct faster *f, struct json *j);

#endif
