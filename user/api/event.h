/* SPDX-License-Identifier: LGPL-2.1 */
/* An event as other programs are given it. */
#ifndef ETRACE_API_EVENT_H
#define ETRACE_API_EVENT_H

#include "event/event.h"
#include "include/etrace.h"

struct etrace_event {
	/*
	 * A copy, for the source's own lives only while it is handed on: with
	 * a NUL behind each string, and without what only lines need.
	 */
	struct et_event ev;
	uint64_t pid;
};

/** api_event_copy - a copy; what @to holds is used again */
__attribute__((visibility("hidden")))
void api_event_copy(struct etrace_event *to, const struct et_event *from);

#endif
