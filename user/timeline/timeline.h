/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where the time of a build went: its processes and programs in memory, when each of them
 * worked, and the path that decided how long it took.
 *
 * A process works while it lives, except that it may wait (timeline_work.c)
 * - while one of its children lives, unless that waits for what the process itself writes;
 * - while it reads a pipe that another process still has open for writing;
 * - while another process reads a pipe into which this one writes more than a pipe holds,
 *   unless the reader itself waits for data: of the two at a pipe, one works.
 * When it may have waited, it worked while it used the processor.  Only its total processor
 * time is known, when it ends.  What does not fit into its other time is taken to be at the end
 * of the time in which it may have waited.  If the total is unknown, the process waited for all
 * of that time, but never for a reader.  Nor did it wait for a reader if it used the processor
 * for at least half of its life: such a process had little time to wait.
 * Whatever else it waits for counts as work: sleep, disks, the network, files, locks.
 *
 * All times are nanoseconds since the first event.
 */
#ifndef ETRACE_TIMELINE_H
#define ETRACE_TIMELINE_H

#include "base/partition.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db;

struct timeline_process {
	uint32_t parent;	/* process, 0 if none in the trace */
	uint32_t exec, last;	/* its first exec, and its last */
	uint32_t kids, nkids;	/* its children, in the order of their ends: timeline.kids */
	uint32_t runs, nruns;	/* its execs, in the order of time: timeline.runs */
	uint32_t waits, nwaits;	/* timeline.waits */
	uint32_t job;		/* itself, or the one above it that a build tool started; or 0 */
	uint32_t tool;		/* the outermost build tool of itself and those above it, or 0 */
	uint32_t slots;		/* of a build tool: jobs that may run at once, 0 if unknown */
	int64_t at, until;
	bool schedules;		/* make, ninja: what it starts waits for a free job slot */
};

struct timeline_exec {
	uint32_t process, next;	/* the next exec of its process */
	uint32_t program;	/* file */
	bool forked;		/* what a child is before it runs a program of its own */
	int64_t at, until;
	int64_t worked;		/* how long it worked in that time, ns: the sum of its slices */
	int64_t cpu;		/* CPU time of the process, ns: only in its last exec; else -1 */
};

/* A program worked from @from to @to; never empty. */
struct timeline_slice {
	uint32_t exec;
	uint32_t lane;		/* lanes.h */
	int64_t from, to;
};

/* A process needs a file that another one makes, by the rules of a build tool. */
struct timeline_edge {
	uint32_t user, maker, file;
};

/* A process waited for another one at a pipe: for it to write, or if @full, to read. */
struct timeline_wait {
	uint32_t process;
	uint32_t other : 31;
	bool full : 1;
	int64_t from, to;
};

/* A process begins, or ends. */
struct timeline_moment {
	uint32_t process : 31;
	bool ends : 1;
};

struct timeline {
	struct db *db;			/* the database it was read from, NULL if none */
	struct timeline_process *processes;	/* by id, from 1 on */
	struct timeline_exec *execs;
	uint32_t *kids, *runs;
	size_t nprocesses, nexecs;	/* highest ids */
	/* the owner adds when processes may have waited; timeline_link() finds out when they did */
	struct timeline_wait *waits;
	size_t nwaits, waits_cap;
	struct timeline_slice *slices;	/* all work, in the order of @from */
	size_t nslices, slices_cap;
	int64_t worked;			/* the sum of all slices */
	int64_t unsure;			/* waits of processes that may have worked: see above */
	uint32_t *outputs;		/* by process: file that its job made, or 0; may be NULL */
	struct timeline_edge *edges;	/* sorted by user and maker */
	size_t nedges, edges_cap;
	/*
	 * Beginnings and ends of all processes, in the order of time.  At one time: beginnings
	 * first, those of parents before those of their children; ends of parents last.
	 */
	struct timeline_moment *moments;
	size_t nmoments;
	/*
	 * By process: whether all job slots were taken when it ended.  If the number of slots is
	 * unknown, the most that were ever taken at once counts.
	 */
	bool *full;
	int64_t wall;			/* from the first event to the last */
	int64_t cpu;			/* of all processes whose end is in the trace */
	bool costs;			/* the trace has the costs of at least one process */
	/* width[n]: ns during which exactly n processes worked */
	int64_t *width;
	size_t nwidths;
	/* when the number of working processes changed, and to what; the first is at 0 */
	struct timeline_step {
		int64_t at;
		uint32_t working;
	} *steps;
	size_t nsteps, steps_cap;
};

/**
 * timeline_complete - compute the rest, once processes, execs, waits and the wall time are set
 *
 * Parents have lower numbers than their children; processes, and the execs of each,
 * are in the order of time.
 */
void timeline_complete(struct timeline *t);

/** timeline_link - timeline_complete() without widths and steps */
void timeline_link(struct timeline *t);

/**
 * timeline_work - part of timeline_link(): waits, slices, and how long each exec worked
 * timeline_find_full - part of timeline_link(): timeline.full
 */
void timeline_work(struct timeline *t);
void timeline_find_full(struct timeline *t);

void timeline_free(struct timeline *t);

/** timeline_schedules - whether a program starts others when a job slot is free: make, ninja */
bool timeline_schedules(const char *path, size_t len);

/** timeline_add_exec - make row @id of the execs the next one of its process */
void timeline_add_exec(struct timeline *t, uint32_t id);

/**
 * timeline_below - a process and all below it, parents before children
 * @fn: called for each, until it returns false
 */
void timeline_below(const struct timeline *t, uint32_t process,
		    bool (*fn)(void *ctx, uint32_t process), void *ctx);

/** timeline_exec_at - what a process ran at a time.  Return: an exec, 0 if none */
static inline uint32_t timeline_exec_at(const struct timeline *t, uint32_t process, int64_t at)
{
	const struct timeline_process *p = &t->processes[process];
	size_t next;

	if (!p->nruns)
		return 0;
	/* the first one counts for the time before it, too */
	next = partition_point(i, 1, p->nruns, t->execs[t->runs[p->runs + i]].at <= at);
	return t->runs[p->runs + next - 1];
}

/** timeline_moment_at - the time of a moment */
static inline int64_t timeline_moment_at(const struct timeline *t, struct timeline_moment m)
{
	return m.ends ? t->processes[m.process].until : t->processes[m.process].at;
}

/** timeline_average - how many processes worked on average, while any did */
double timeline_average(const struct timeline *t);

/* ---- the critical path ---- */

/* Why a segment could not begin earlier. */
enum path_why {
	PATH_BEGIN,		/* the build began */
	PATH_STARTED,		/* its parent started it then */
	PATH_ENDED,		/* it waited for the one before it to end */
	PATH_NEEDED,		/* it was started when a file that it needs was there: @file */
	PATH_PLACE,		/* all job slots were taken, until the one before it ended */
	PATH_ORDER,		/* it was started when the one before it had ended, of which it
				 * needs no file, though a slot was free: it is the order in a
				 * script, or a dependency that no file shows
				 */
	PATH_PIPE,		/* it waited for the one before it at a pipe */
	PATH_WHYS
};

struct path_segment {
	uint32_t exec;		/* the exec that worked, 0 if none in the trace */
	uint32_t output;	/* the file that it, or its job, made; 0 if none */
	uint32_t file;		/* of PATH_NEEDED */
	uint8_t why;		/* enum path_why */
	int64_t from, to;
};

struct critical_path {
	struct path_segment *rows;	/* one begins where the one before it ends */
	size_t n, cap;
};

/**
 * timeline_walk - the critical path: from 0 to @t->wall, without holes
 * @needed: returns a file that @user or one below it needs, and @maker or one below it made,
 *	0 if none.  NULL if unknown: PATH_PLACE stands for PATH_NEEDED and PATH_ORDER, too.
 *
 * Sets no path_segment.output.  Free @path with timeline_path_free().
 */
void timeline_walk(const struct timeline *t, struct critical_path *path,
		   uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker), void *ctx);
void timeline_path_free(struct critical_path *path);

/* "begin", "started", ... */
extern const char *const path_whys[PATH_WHYS];

#endif
