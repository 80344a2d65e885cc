/* SPDX-License-Identifier: LGPL-2.1 */
/* The timeline of a database (build/timeline.h), and what files tell of it. */
#ifndef ETRACE_LINE_H
#define ETRACE_LINE_H

#include "answers/answers.h"
#include "build/timeline.h"

/** timeline_load - of a database; for timeline_free() */
void timeline_load(struct timeline *t, struct db *db);

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

/** timeline_output - a file that is there in the end and that a process, or one below it, made */
uint32_t timeline_output(const struct timeline *t, uint32_t process);

/**
 * timeline_endless - what the build would take with endless processors
 *
 * What make and ninja start then waits for the makers of the files that it reads, for the one
 * that ended before it if there was a free place meanwhile (-j says how many there are), and
 * not for a place; what others start keeps its order.  What only waits for its turn, and
 * cannot be told from what waits for a place, makes this too low.
 */
int64_t timeline_endless(const struct timeline *t);

#endif
