/* SPDX-License-Identifier: GPL-2.0 */
/* Records the traced tasks that already ran when the recording began. */
#ifndef ETRACE_PRESENT_H
#define ETRACE_PRESENT_H

#include "record/session.h"
#include "io/formats.h"

/* How many of these tasks are known only in part, and why. */
struct present_gaps {
	unsigned int tasks;	/* all that already ran */
	unsigned int unknown;	/* of these, how many are known only by their upid */
	bool other_proc;	/* the reason: /proc is that of another pid namespace */
};

/**
 * present_emit - make an event ET_K_PRESENT for each traced task, processes first
 * @time: of the events, ns
 * @sink: takes the events; stays the caller's
 *
 * Facts from /proc are only used if the kernel says that the task had that pid all
 * the time; facts that cannot be read are missing in the event.
 *
 * Return: 0, or -errno if the tasks cannot be listed.
 */
int present_emit(struct session *s, uint64_t time, struct sink *sink,
		 struct present_gaps *gaps);

#endif
