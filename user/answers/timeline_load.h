/* SPDX-License-Identifier: LGPL-2.1 */
/* Loads the timeline (timeline/timeline.h) of a database; files show which job waits for which. */
#ifndef ETRACE_TIMELINE_LOAD_H
#define ETRACE_TIMELINE_LOAD_H

#include "answers/answers.h"
#include "answers/lists.h"
#include "timeline/timeline.h"
#include "build/build.h"

/**
 * timeline_load - load a timeline from a database; release it with timeline_free(). Calls
 * build_forget_args()
 */
void timeline_load(struct timeline *t, struct db *db);

/** timeline_declare - add dependencies between jobs that are declared in rules or depfiles */
void timeline_declare(struct timeline *t, const struct lists *l);

/**
 * timeline_path - the critical path (timeline_walk()) with files; release it with
 * timeline_path_free()
 */
void timeline_path(const struct timeline *t, struct critical_path *path);

/**
 * timeline_stretch - count segments from @i on that are shown as one, because they belong
 * to one job or process
 * @longest: set to the longest of them
 *
 * Return: their number.
 */
size_t timeline_stretch(const struct timeline *t, const struct critical_path *path, size_t i,
			const struct path_segment **longest);

/**
 * endless_new - prepare for endless_without(); endless_free() ends it
 *
 * The caller keeps the timeline. Without a database, only its edges say which job needs which.
 */
struct endless *endless_new(const struct timeline *t);

/**
 * endless_without - time in ns that the build would take with unlimited CPUs and job slots
 * @gone: by process: whether to assume that it takes no time; NULL if none does
 * @since: before this time, everything stays as it was
 *
 * A job of make or ninja then waits only for the makers of the files that it needs and, if
 * there was a free slot, for the job that ended before it.  Processes started by other
 * programs keep their order. The result is too low if a job waited for another reason than
 * a free slot, because the trace cannot distinguish the two.
 *
 * With @gone, no job waits for another one just because it came later in the real build.
 */
int64_t endless_without(struct endless *e, const bool *gone, int64_t since);

void endless_free(struct endless *e);

/* ---- shared by timeline*.c ---- */

/**
 * timeline_add_waits - add the times when processes may have waited for the other end of a pipe
 */
void timeline_add_waits(struct timeline *t);

/** timeline_set_outputs - find the file that each job made: sets timeline.outputs */
void timeline_set_outputs(struct timeline *t);

#endif
