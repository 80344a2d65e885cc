/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tasks of a trace that live at the moment: who is whose child, what
 * program each runs, which tasks are threads of one process.  Fed with the
 * events in order; tells its owner what begins and ends.  What the owner makes
 * of it (slices, statistics) is not known here.
 *
 * Memory: the live tasks.  One whose end was lost goes when its pid comes
 * again.
 */
#ifndef ETRACE_PROCTAB_H
#define ETRACE_PROCTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct task {
	uint64_t upid;
	uint32_t koid;		/* of the task: 32 bits, never 0, unique among
				 * the live; the upid's sequence number if that
				 * can be
				 */
	uint32_t process;	/* koid of its process: its own, or that of the
				 * task that made it with CLONE_THREAD
				 */
	uint64_t process_upid;	/* upid of the task that has, or had, that koid */
	uint64_t parent;	/* upid of the task that made it, 0 if unknown */
	uint64_t pid;		/* as its upid has it */
	unsigned int depth;	/* 1: its parent is not in the trace */
	bool thread;
	bool left_pid;		/* a thread that became the process: its pid may come again */
	bool forked;		/* its beginning is in the trace */
	bool execed;		/* has run a program of its own */
	uint64_t since;		/* its present program runs since, ns */
	/* base name of what it runs: bytes as they came, and a NUL */
	char *program;
	size_t program_len;
	uint64_t owners;	/* for the owner to use; 0 at first */
	/* lists, of proctab.c */
	struct task *by_pid, *next, **prev;
};

enum task_end {
	TASK_EXIT,		/* it ended: there is an Exit event */
	TASK_EXEC,		/* it goes on with another program */
	TASK_LOST,		/* its end is not in the trace */
	TASK_OPEN,		/* the trace ends before it */
};

/*
 * What the owner is told.  @ev is the event that says so; NULL at the end of
 * the trace.
 */
struct proctab_ops {
	/*
	 * A task begins, or runs a program from now on.  @parent: who made it,
	 * NULL after an exec or if that is not known.
	 */
	void (*begin)(void *ctx, struct task *t, const struct task *parent,
		      const struct et_event *ev);
	/* Its program ends at @time. */
	void (*end)(void *ctx, struct task *t, enum task_end why, uint64_t time,
		    const struct et_event *ev);
};

struct proctab;

/* What a table begins with, for what is done here for each event. */
struct proctab_head {
	struct task *last;	/* the last actor, while it lives */
};

/** proctab_new - an empty table; @pid_bits as the module's bits_of_real_pid */
struct proctab *proctab_new(unsigned int pid_bits, const struct proctab_ops *ops,
			    void *ctx);
void proctab_free(struct proctab *t);

/* What the two below do where they are not done at once. */
struct task *proctab_find_actor(struct proctab *t, const struct et_event *ev);
void proctab_apply_change(struct proctab *t, struct task *actor, const struct et_event *ev);

/**
 * proctab_actor - the task that made an event, begun now if it is new
 *
 * Return: NULL for ET_K_LOST and ET_K_SESSION.
 */
static inline struct task *proctab_actor(struct proctab *t, const struct et_event *ev)
{
	struct task *last = ((const struct proctab_head *)t)->last;

	if (last && last->upid == ev->upid && ev->kind != ET_K_LOST && ev->kind != ET_K_SESSION)
		return last;
	return proctab_find_actor(t, ev);
}

/**
 * proctab_apply - what an event changes: fork, exec, exit
 * @actor: from proctab_actor(); gone afterwards if it ended
 */
static inline void proctab_apply(struct proctab *t, struct task *actor, const struct et_event *ev)
{
	if (ev->kind == ET_K_CLONE || ev->kind == ET_K_EXEC || ev->kind == ET_K_EXIT)
		proctab_apply_change(t, actor, ev);
}

/** proctab_find - a task that lives. Return: NULL if there is none of that upid. */
const struct task *proctab_find(struct proctab *t, uint64_t upid);

/** proctab_first - a task that lives, the others at its ->next. Return: NULL if none. */
const struct task *proctab_first(const struct proctab *t);

/** proctab_end - the trace is over: all live tasks end, TASK_OPEN */
void proctab_end(struct proctab *t, uint64_t time);

/** proctab_processes - how many processes (not threads) live */
uint64_t proctab_processes(const struct proctab *t);

/* Koids from that to PROCTAB_OWN_KOID are no task's. */
#define PROCTAB_FIRST_OWN_KOID	0x7fff0000u
/* For what belongs to the trace as a whole. */
#define PROCTAB_OWN_KOID	0x7fffffffu

#endif
