/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The current state of a recording: how many programs are working, which is the
 * slowest, which ended last; and the status line that shows it.
 *
 * The owner of a table of tasks (proctab.h) passes on its callbacks.  They cost
 * time only when tasks begin and end: live_look() finds out which tasks run.
 */
#ifndef ETRACE_LIVE_H
#define ETRACE_LIVE_H

#include "base/buf.h"
#include "event/proctab.h"

struct live;

/** live_new - watch the tasks of @tab; uses their "owners" fields.  No task may be alive
 * when it is freed.
 */
struct live *live_new(struct proctab *tab);
void live_free(struct live *l);

/** live_begin, live_end - callbacks as in struct proctab_ops */
void live_begin(struct live *l, struct task *t, const struct task *parent,
		const struct et_event *ev);
void live_end(struct live *l, struct task *t, enum task_end why, uint64_t time);

/* A program and its input, "cc1 quotearg.c", as unchecked bytes. */
struct live_program {
	const char *label;	/* NULL if none */
	size_t len;
	uint64_t ns;		/* working time so far; total run time if it has ended */
};

struct live_now {
	/*
	 * Number of processes without live children (the others presumably wait for their
	 * children).  @slowest is the one of them whose program began, or whose last child
	 * ended, longest ago.
	 */
	uint64_t running;
	struct live_program slowest;
	/* the last program that ended, of those that had started no process */
	struct live_program last;
};

/** live_look - get the state at @time; valid until the next event */
void live_look(const struct live *l, uint64_t time, struct live_now *now);

/* The other numbers in a recording's status line. */
struct live_counts {
	uint64_t ns;		/* time since the recording began */
	uint64_t processes_now, processes, events, bytes, lost;
};

/**
 * live_line - append the line, of at most @cols columns
 *
 * If there is no room for all of it, the least important parts are left out.  @utf8: as for
 * screen_add().
 */
void live_line(struct buf *to, const struct live_now *now, const struct live_counts *counts,
	       unsigned int cols, bool utf8);

#endif
