/* SPDX-License-Identifier: LGPL-2.1 */
/* An event as libetrace returns it to other programs. */
#ifndef ETRACE_API_EVENT_H
#define ETRACE_API_EVENT_H

#include "event/event.h"
#include "include/etrace.h"

struct etrace_event {
	/*
	 * A copy, because the source's event is valid only while it is pushed.
	 * Each string ends with a NUL; data that only lines need is left out.
	 */
	struct et_event ev;
	uint64_t pid;
};

/** api_event_copy - copy an event; reuses the memory of @to */
__attribute__((visibility("hidden")))
void api_event_copy(struct etrace_event *to, const struct et_event *from);

#endif
