/* SPDX-License-Identifier: GPL-2.0 */
/* The traced tasks that are there already: what can be told of them. */
#ifndef ETRACE_PRESENT_H
#define ETRACE_PRESENT_H

#include "record/session.h"
#include "io/formats.h"

/* What could not be told of whom. */
struct present_gaps {
	unsigned int tasks;	/* all that are there */
	unsigned int unknown;	/* of them, those of which only the upid is known */
	bool other_proc;	/* because /proc tells of another pid namespace */
};

/**
 * present_tell - an event ET_K_PRESENT for each traced task, processes first
 * @time: of the events, ns
 * @sink: takes them; stays the caller's
 *
 * What /proc tells is taken for a task's only if the kernel says that the task
 * had that pid all the time; what cannot be had is missing in its event.
 *
 * Return: 0 or -errno: the tasks cannot be listed.
 */
int present_tell(struct session *s, uint64_t time, struct sink *sink,
		 struct present_gaps *gaps);

#endif
