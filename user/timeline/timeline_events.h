/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Builds a timeline (timeline.h) from the events of a trace as they arrive. The owner
 * of a table of live tasks (proctab.h) calls it from the table's callbacks.
 *
 * Memory: some 400 bytes for each program of the whole trace, including the complete
 * timeline.
 */
#ifndef ETRACE_TIMELINE_EVENTS_H
#define ETRACE_TIMELINE_EVENTS_H

#include "base/buf.h"
#include "base/map64.h"
#include "event/proctab.h"
#include "timeline/timeline.h"

/* Data about an exec that is not in the timeline itself. */
struct timeline_work {
	uint32_t label;		/* offset in timeline_events.labels; a NUL ends it */
	uint8_t class;		/* enum work_class */
	bool failed;		/* it ended by a signal, or its status was not 0 */
};

struct timeline_events {
	struct timeline t;
	struct timeline_work *works;	/* by exec */
	uint64_t *pids;			/* by process */
	uint32_t *live;			/* by process: number of live tasks */
	struct buf labels;		/* bytes as in the trace, not always UTF-8 */
	uint64_t begin;			/* ns: time 0 of the timeline */
	bool begun;
	struct map64 by_koid;		/* live processes by koid */
	size_t processes_cap, execs_cap, works_cap, pids_cap, live_cap;
};

/** timeline_events_start - set time 0; by default, the time of the first task */
static inline void timeline_events_start(struct timeline_events *l, uint64_t time)
{
	l->begin = time;
	l->begun = true;
}

/** timeline_events_begin - for proctab_ops.begin; @tab: for finding parents of earlier tasks */
void timeline_events_begin(struct timeline_events *l, struct proctab *tab, const struct task *t,
			   const struct task *parent, const struct et_event *ev);

/** timeline_events_end - for proctab_ops.end */
void timeline_events_end(struct timeline_events *l, const struct task *t, enum task_end why,
			 uint64_t time, const struct et_event *ev);

/** timeline_events_complete - compute the rest at the end of the trace, after all tasks ended */
void timeline_events_complete(struct timeline_events *l, uint64_t time);

/**
 * timeline_events_exec - the program that a task's process runs now.
 *
 * Return: an exec, 0 if unknown
 */
uint32_t timeline_events_exec(const struct timeline_events *l, const struct task *t);

/** timeline_events_label - get what an exec works on */
static inline const char *timeline_events_label(const struct timeline_events *l, uint32_t exec)
{
	return l->labels.s + l->works[exec].label;
}

/** timeline_events_free - free the contents, not the struct */
void timeline_events_free(struct timeline_events *l);

#endif
