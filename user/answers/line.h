/* SPDX-License-Identifier: LGPL-2.1 */
/* The timeline of a database (timeline/timeline.h), and what files tell of it. */
#ifndef ETRACE_LINE_H
#define ETRACE_LINE_H

#include "answers/answers.h"
#include "answers/lists.h"
#include "timeline/timeline.h"
#include "build/build.h"

/** timeline_load - of a database; for timeline_free().  Arguments of programs are forgotten. */
void timeline_load(struct timeline *t, struct db *db);

/** timeline_declare - what a build tool was told besides: which job needs what another one makes */
void timeline_declare(struct timeline *t, const struct lists *l);

/** timeline_path - the critical path (timeline_walk()), with files; for timeline_path_free() */
void timeline_path(const struct timeline *t, struct line_path *path);

/**
 * timeline_stretch - the segments from @i on that are one for a person: a job's, or a process's
 * @longest: set to the longest of them
 *
 * Return: how many.
 */
size_t timeline_stretch(const struct timeline *t, const struct line_path *path, size_t i,
			const struct line_segment **longest);

/**
 * timeline_endless - what the build would take with endless processors
 *
 * What make and ninja start then waits for the makers of the files that it needs, for the one
 * that ended before it if there was a free slot meanwhile, and not for a slot; what others
 * start keeps its order.  What only waits for its turn, and cannot be told from what waits for
 * a slot, makes this too low.
 */
int64_t timeline_endless(const struct timeline *t);

/**
 * endless_new - the same, to be asked again and again; the timeline stays the caller's
 *
 * Of a timeline without a database only edges say who needs what.
 */
struct endless *endless_new(const struct timeline *t);

/**
 * endless_without - the same if some processes did nothing
 * @gone: by process; NULL: none
 * @since: up to then all was as it was
 *
 * With @gone, nothing waits for another one only because it came after that.
 */
int64_t endless_without(struct endless *e, const bool *gone, int64_t since);

void endless_free(struct endless *e);

/* ---- between the files of a timeline ---- */

/** line_waits - when processes may have waited for others at the other end of a pipe */
void line_waits(struct timeline *t);

/** line_outputs - set timeline.outputs */
void line_outputs(struct timeline *t);

#endif
