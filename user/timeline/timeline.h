/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where the time of a build went: its processes and programs, when each of them worked, and the
 * path that determined its duration.
 *
 * A process works while it lives, except that it may wait (timeline_work.c)
 * - while one of its children lives, unless the child waits for data from the process itself;
 * - while it reads a pipe that another process still has open for writing;
 * - while another process reads a pipe into which this one writes more than a pipe can hold,
 * unless the reader itself waits for data: one of the two processes at a pipe always works. In
 * such a period, the process worked while it used the CPU. But only its total CPU time is known,
 * from its end: the part that does not fit into the rest of its life is assumed to be at the end
 * of these periods. If the total is unknown, the process is assumed to have waited throughout
 * these periods, but never for a reader. A process that used the CPU for at least half of its life
 * did not wait for a reader, either: it had little time to wait. Waiting for anything else counts
 * as work: sleep, disks, the network, files, locks.
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
	uint32_t runs, nruns;	/* its execs, in time order: timeline.runs */
	uint32_t waits, nwaits;	/* timeline.waits */
	uint32_t job;		/* itself, or its ancestor that a build tool started; or 0 */
	uint32_t tool;		/* the outermost build tool among itself and its ancestors, or 0 */
	uint32_t slots;		/* for a build tool: number of job slots, 0 if unknown */
	int64_t at, until;
	bool schedules;		/* make, ninja: its children wait for a free job slot */
};

struct timeline_exec {
	uint32_t process, next;	/* the next exec of its process */
	uint32_t program;	/* id of its file */
	bool forked;		/* a child before its first execve */
	int64_t at, until;
	int64_t worked;		/* how long it worked, ns: the sum of its slices */
	int64_t cpu;		/* CPU time of the process, ns: only in its last exec; else -1 */
};

/* A program worked from @from to @to; never empty. */
struct timeline_slice {
	uint32_t exec;
	uint32_t lane;		/* lanes.h */
	int64_t from, to;
};

/* By the rules of a build tool, a process needs a file that another one makes. */
struct timeline_edge {
	uint32_t user, maker, file;
};

/* A process waited at a pipe for another one to write or, if @full, to read. */
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
	struct db *db;			/* the database from which it was read, NULL if none */
	struct timeline_process *processes;	/* by id, from 1 on */
	struct timeline_exec *execs;
	uint32_t *kids, *runs;
	size_t nprocesses, nexecs;	/* highest ids */
	/* the owner adds possible waits; timeline_link() reduces them to actual ones */
	struct timeline_wait *waits;
	size_t nwaits, waits_cap;
	struct timeline_slice *slices;	/* all work, ordered by @from */
	size_t nslices, slices_cap;
	int64_t worked;			/* the sum of all slices */
	int64_t unsure;			/* waits of processes that may have worked: see above */
	uint32_t *outputs;		/* by process: file that its job made, or 0; may be NULL */
	struct timeline_edge *edges;	/* sorted by user and maker */
	size_t nedges, edges_cap;
	/*
	 * Beginnings and ends of all processes, in time order. At the same time, beginnings come
	 * first, parents before their children; ends of parents come last.
	 */
	struct timeline_moment *moments;
	size_t nmoments;
	/*
	 * By process: whether all job slots were taken when it ended.  If the number of slots is
	 * unknown, the maximum ever taken at the same time counts.
	 */
	bool *full;
	int64_t wall;			/* time from the first event to the last */
	int64_t cpu;			/* CPU time of all processes whose end is in the trace */
	bool costs;			/* the trace has the costs of at least one process */
	/* width[n]: ns during which exactly n processes worked */
	int64_t *width;
	size_t nwidths;
	/* when the number of working processes changed, and its new value; the first is at 0 */
	struct timeline_step {
		int64_t at;
		uint32_t working;
	} *steps;
	size_t nsteps, steps_cap;
};

/**
 * timeline_complete - compute the rest, after processes, execs, waits and the wall time are set
 *
 * Parents have lower numbers than their children; processes, and the execs of each,
 * are in time order.
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
 * timeline_below - visit a process and all its descendants, parents before children
 * @fn: called for each, until it returns false
 */
void timeline_below(const struct timeline *t, uint32_t process,
		    bool (*fn)(void *ctx, uint32_t process), void *ctx);

/** timeline_exec_at - the program that a process ran at a time. Return: an exec, 0 if none */
static inline uint32_t timeline_exec_at(const struct timeline *t, uint32_t process, int64_t at)
{
	const struct timeline_process *p = &t->processes[process];
	size_t next;

	if (!p->nruns)
		return 0;
	/* the first one also counts for the time before it */
	next = partition_point(i, 1, p->nruns, t->execs[t->runs[p->runs + i]].at <= at);
	return t->runs[p->runs + next - 1];
}

/** timeline_moment_at - the time of a moment */
static inline int64_t timeline_moment_at(const struct timeline *t, struct timeline_moment m)
{
	return m.ends ? t->processes[m.process].until : t->processes[m.process].at;
}

/** timeline_average - average number of working processes, while at least one worked */
double timeline_average(const struct timeline *t);

/* ---- the critical path ---- */

/* Why a segment could not begin earlier. */
enum path_why {
	PATH_BEGIN,		/* the build began */
	PATH_STARTED,		/* its parent started it then */
	PATH_ENDED,		/* it waited for the previous segment's process to end */
	PATH_NEEDED,		/* it was started when a file that it needs was ready: @file */
	PATH_PLACE,		/* all job slots were taken until the previous one ended */
	PATH_ORDER,		/* it was started when the one before it had ended, of which it
				 * needs no file, though a slot was free: it is the order in a
				 * script, or a dependency that no file shows
				 */
	PATH_PIPE,		/* it waited for the previous one at a pipe */
	PATH_WHYS
};

struct path_segment {
	uint32_t exec;		/* the exec that worked, 0 if none in the trace */
	uint32_t output;	/* the file that it or its job made; 0 if none */
	uint32_t file;		/* PATH_NEEDED: the file */
	uint8_t why;		/* enum path_why */
	int64_t from, to;
};

struct critical_path {
	struct path_segment *rows;	/* each begins where the previous one ends */
	size_t n, cap;
};

/**
 * timeline_walk - the critical path: from 0 to @t->wall, without holes
 * @needed: returns a file that @user or a descendant needs, and @maker or a descendant made, 0 if
 *	none. NULL if unknown: then PATH_PLACE also stands for PATH_NEEDED and PATH_ORDER.
 *
 * Does not set path_segment.output.  Free @path with timeline_path_free().
 */
void timeline_walk(const struct timeline *t, struct critical_path *path,
		   uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker), void *ctx);
void timeline_path_free(struct critical_path *path);

/* "begin", "started", ... */
extern const char *const path_whys[PATH_WHYS];

#endif
