/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What goes on at the moment in a recording: how many programs really run, which of
 * them is the slowest, what was finished last; and the status line that shows it.
 *
 * The owner of a table of tasks (proctab.h) passes on its callbacks.  They cost
 * time only when tasks begin and end: live_look() finds out which tasks run.
 */
#ifndef ETRACE_LIVE_H
#define ETRACE_LIVE_H

#include "base/buf.h"
#include "event/proctab.h"

struct live;

/** live_new - of the tasks of @tab, whose "owners" are its own; none lives any more when it
 * is freed
 */
struct live *live_new(struct proctab *tab);
void live_free(struct live *l);

/** live_begin, live_end - as of struct proctab_ops */
void live_begin(struct live *l, struct task *t, const struct task *parent,
		const struct et_event *ev);
void live_end(struct live *l, struct task *t, enum task_end why, uint64_t time);

/* A program and what it works at, "cc1 quotearg.c": bytes as they came. */
struct live_program {
	const char *label;	/* NULL if none */
	size_t len;
	uint64_t ns;		/* how long it has worked, or ran */
};

struct live_now {
	/*
	 * Processes without live children: others wait for these, as far as can be
	 * told.  Of them, the one that has worked longest without starting another.
	 */
	uint64_t running;
	struct live_program slowest;
	/* the last program that ended and had started no process itself */
	struct live_program last;
};

/** live_look - what goes on at a time; valid until the next event */
void live_look(const struct live *l, uint64_t time, struct live_now *now);

/* What else the status line shows of a recording. */
struct live_counts {
	uint64_t ns;		/* since it began */
	uint64_t processes_now, processes, events, bytes, lost;
};

/**
 * live_line - append the line, of at most @cols columns
 *
 * If there is no room for all of it, the least important parts are left out.  @utf8: as of
 * screen_add().
 */
void live_line(struct buf *to, const struct live_now *now, const struct live_counts *counts,
	       unsigned int cols, bool utf8);

#endif
