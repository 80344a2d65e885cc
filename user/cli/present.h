/* SPDX-License-Identifier: GPL-2.0 */
/* Records the traced tasks that already ran when the recording began. */
#ifndef ETRACE_PRESENT_H
#define ETRACE_PRESENT_H

#include "record/session.h"
#include "io/formats.h"

/* How much is unknown about these tasks, and why. */
struct present_gaps {
	unsigned int tasks;	/* number of tasks that already ran */
	unsigned int unknown;	/* number of these known only by their upid */
	bool other_proc;	/* the reason: /proc belongs to another pid namespace */
};

/**
 * present_emit - emit an ET_K_PRESENT event for each traced task, processes first
 * @time: of the events, ns
 * @sink: gets the events; the caller frees it
 *
 * Data from /proc is used only if the kernel confirms that the task had that pid all
 * the time. The event lacks data that cannot be read.
 *
 * Return: 0, or -errno if the tasks cannot be listed.
 */
int present_emit(struct session *s, uint64_t time, struct sink *sink,
		 struct present_gaps *gaps);

#endif
