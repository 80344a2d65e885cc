/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A table of the live tasks of a trace: the parent of each, the program it runs, and
 * which tasks are threads of one process. It gets the events in order, and calls its
 * owner when a task or program begins or ends. It does not know what the owner does
 * then (slices, statistics).
 *
 * Memory: the live tasks.  One whose end was lost is removed when its pid is
 * reused.
 */
#ifndef ETRACE_PROCTAB_H
#define ETRACE_PROCTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct task {
	uint64_t upid;
	/* the task's koid: never 0, unique among live tasks; derived from its upid if possible */
	uint32_t koid;
	/* koid of its process: its own, or that of the task that created it with CLONE_THREAD */
	uint32_t process;
	uint64_t process_upid;	/* upid of the task that has, or had, that koid */
	uint64_t parent;	/* upid of the task that created it, 0 if unknown */
	uint64_t pid;		/* the part of its upid that is the pid */
	unsigned int depth;	/* 1 if its parent is not in the trace; a thread has its process's */
	bool thread;
	bool left_pid;		/* a thread that became the process: its pid may be reused */
	bool forked;		/* its beginning is in the trace */
	bool execed;		/* has executed a program */
	uint64_t since;		/* when its present program began, ns */
	/* base name of what it runs: bytes as recorded, and a NUL */
	char *program;
	size_t program_len;
	uint64_t owners;	/* for the owner to use; 0 at first */
	/* links of lists in proctab.c */
	struct task *by_pid, *next, **prev;
};

enum task_end {
	TASK_EXIT,		/* it ended: there is an Exit event */
	TASK_EXEC,		/* it runs another program */
	TASK_LOST,		/* its end is not in the trace */
	TASK_OPEN,		/* the trace ends before it */
};

/*
 * The owner's callbacks. @ev: the event that caused the call, NULL at the end of the
 * trace.
 */
struct proctab_ops {
	/*
	 * A task begins, or runs a program from now on.  @parent: the task that
	 * made it, NULL after an exec or if unknown.
	 */
	void (*begin)(void *ctx, struct task *t, const struct task *parent,
		      const struct et_event *ev);
	/* Its program ends at @time. */
	void (*end)(void *ctx, struct task *t, enum task_end why, uint64_t time,
		    const struct et_event *ev);
};

struct proctab;

/* The first member of struct proctab, for the inline functions below, which run for each event. */
struct proctab_head {
	struct task *last;	/* the last actor, while it lives */
};

/** proctab_new - make an empty table; @pid_bits as the module's bits_of_real_pid */
struct proctab *proctab_new(unsigned int pid_bits, const struct proctab_ops *ops,
			    void *ctx);
void proctab_free(struct proctab *t);

/* The slow paths of the two functions below. */
struct task *proctab_find_actor(struct proctab *t, const struct et_event *ev);
void proctab_apply_change(struct proctab *t, struct task *actor, const struct et_event *ev);

/**
 * proctab_actor - find the task that caused an event; a new one begins now
 *
 * Return: NULL if no task caused the event.
 */
static inline struct task *proctab_actor(struct proctab *t, const struct et_event *ev)
{
	struct task *last = ((const struct proctab_head *)t)->last;

	if (last && last->upid == ev->upid && !et_is_of_no_task(ev))
		return last;
	return proctab_find_actor(t, ev);
}

/**
 * proctab_apply - apply what an event changes: fork, exec, exit
 * @actor: from proctab_actor(); gone afterwards if it ended
 */
static inline void proctab_apply(struct proctab *t, struct task *actor, const struct et_event *ev)
{
	if (ev->kind == ET_K_CLONE || ev->kind == ET_K_EXEC || ev->kind == ET_K_EXIT)
		proctab_apply_change(t, actor, ev);
}

/** proctab_find - look up a live task. Return: NULL if no live task has that upid. */
const struct task *proctab_find(struct proctab *t, uint64_t upid);

/** proctab_first - the first live task; ->next is the next one. Return: NULL if none. */
const struct task *proctab_first(const struct proctab *t);

/** proctab_end - end all live tasks, as TASK_OPEN: the trace is over */
void proctab_end(struct proctab *t, uint64_t time);

/** proctab_processes - number of live processes, without threads */
uint64_t proctab_processes(const struct proctab *t);

/* No task has a koid from here to PROCTAB_OWN_KOID. */
#define PROCTAB_FIRST_OWN_KOID	0x7fff0000u
/* For things that belong to the whole trace, not to a task. */
#define PROCTAB_OWN_KOID	0x7fffffffu

#endif
