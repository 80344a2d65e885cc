/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The model of etrace top: failures, running programs, and finished work of a running
 * build.  It gets events in time order, draws nothing and reads no clock.
 *
 * Time: constant for each event, except that each failure needs a search of the program's
 * ancestors for a configure script.  Memory: the live processes, and the TOP_ENDED that ended
 * last; older ones are added to sums and forgotten.  Of each process, the last TOP_FILES
 * files and TOP_CHILDREN children are kept.
 */
#ifndef ETRACE_TOP_MODEL_H
#define ETRACE_TOP_MODEL_H

#include "base/buf.h"
#include "base/map64.h"
#include "event/proctab.h"
#include "timeline/work.h"
#include "show/top_past.h"

#define TOP_ENDED	1000u
#define TOP_FILES	32u
#define TOP_CHILDREN	32u
#define TOP_OUTPUTS	64u
/* Maximum number of failures that are kept; more are only counted. */
#define TOP_FAILURES	200u
/* Maximum number of bytes that are kept of a command's arguments. */
#define TOP_ARGS_MAX	4096u
/* The last minutes are counted in TOP_SLOTS slots of TOP_SLOT_S seconds. */
#define TOP_SLOT_S	5u
#define TOP_SLOTS	60u

/* A doubly linked list; its head is a link, too. */
struct top_link {
	struct top_link *next, *prev;
};

/* A file that a process opened. */
struct top_file {
	char *name;		/* path that the kernel resolved; NULL if the entry is empty */
	uint32_t len;
	bool written;
};

/* What is known about a failure so far. */
enum top_fate {
	TOP_NO_FAILURE,
	TOP_UNDECIDED,		/* its caller still runs */
	TOP_REAL,		/* its caller failed, too */
	TOP_IGNORED,		/* a caller continued and succeeded */
};

/* A process, described by its last program. */
struct top_program {
	uint64_t upid;
	uint64_t parent;	/* upid of the process that started it, 0 if not recorded */
	uint64_t pid;
	uint64_t begun;		/* when its last program started, ns */
	uint64_t since;		/* when it last began to run without a live child, ns */
	uint64_t ended;		/* when it ended, ns; 0 while it is alive */
	uint64_t cpu;		/* CPU time in ns, 0 if unknown */
	uint64_t memory;	/* largest resident size in bytes, 0 if unknown */
	int64_t status, signal;	/* how it ended; -1 if unknown */
	enum work_class class;
	bool execed;		/* it has called execve */
	bool led;		/* its program has started processes */
	bool keeps_going;	/* make -k: continues after failures, and fails at the end */
	bool matches;		/* it matches the search */
	unsigned int live_children;
	uint64_t nchildren, nfiles;
	uint64_t child[TOP_CHILDREN];	/* upids, as a ring: [nchildren % TOP_CHILDREN] is next */
	struct top_file file[TOP_FILES];	/* as a ring: [nfiles % TOP_FILES] is next */
	char *output;		/* base name of the file it last opened for writing; NULL if none */
	struct buf label;	/* from work_of(), such as "cc1 parse.c" */
	struct buf args;	/* arguments, each ended by a NUL; at most TOP_ARGS_MAX bytes */
	struct buf cwd;

	/* only for a failure: */
	enum top_fate fate;
	bool probe;		/* it runs below a configure script that has not failed */
	bool question;		/* it runs below a configure script, or its status is an answer */
	bool went_on;		/* its caller has started another process since */
	/* arguments and directory of the driver that failed because of it; empty if none */
	struct buf driver_args, driver_cwd;
	struct top_link pending;	/* link in @failed of the process that decides, or empty */
	struct top_link failed;		/* list of failures below it that its own end will decide */

	struct top_link by_state;	/* link in the model's list running, waiting or ended */
	struct top_link by_search;	/* link in the model's list found, if @matches is set */
	struct top_link by_failure;	/* link in the model's list failures, if it has failed */
};

/* A file that a program has written. */
struct top_output {
	char *name;
	struct buf by;		/* label of the program */
	uint64_t time;
};

/* Sums over the programs that ended in a slot of TOP_SLOT_S seconds. */
struct top_slot {
	uint64_t number;	/* time / TOP_SLOT_S; a slot with another number counts as empty */
	uint32_t ended[WORK_CLASSES];
	uint64_t cpu;		/* ns */
};

struct top_model {
	struct proctab *tab;
	struct map64 programs;	/* by upid: struct top_program, live and ended ones */
	struct top_link running;	/* live programs without live children, longest first */
	struct top_link waiting;	/* live programs with live children */
	struct top_link ended;		/* failures, and programs that ended last, oldest first */
	struct top_link failures;	/* all failures, in time order */
	struct top_link failed;		/* failures whose callers have all failed, too */
	struct top_link found;		/* programs that match the search */
	struct buf search;
	uint64_t nrunning, nwaiting, nkept, nended, nfound, nforgotten;
	uint64_t nfailures;	/* number of failures that are kept */
	uint64_t nshown;	/* number of failures that are worth showing, see top_is_shown() */
	uint64_t nover;		/* number of failures that were not kept */
	uint64_t running_of[WORK_CLASSES], ended_of[WORK_CLASSES];
	struct top_slot slot[TOP_SLOTS];
	struct top_output output[TOP_OUTPUTS];	/* as a ring: [noutputs % TOP_OUTPUTS] is next */
	uint64_t noutputs;
	uint64_t begun, now;	/* times of the first and the last event, ns */
	uint64_t cpu;		/* CPU time of all processes that ended, ns */
	uint64_t largest;	/* largest resident size of any program that ended, in bytes */
	struct buf largest_by;	/* label of that program */
	uint64_t lost;		/* number of lost records */
	uint64_t events;
	struct buf command;	/* label of the first program */
	bool over;		/* the recording has ended */
	bool cut;		/* the recording was cut off: the caller sets this, and @over */
	int64_t status;		/* exit status of the recorded command, -1 if unknown */
	bool complete;		/* nothing is missing in the recording */
	struct top_past *past;	/* an earlier recording, owned by the caller; NULL if none */
	struct top_progress progress;
	struct top_past *collect;	/* gets the programs of this recording; NULL if none */
};

/** top_model_new - create an empty model; @pid_bits is the module's bits_of_real_pid */
struct top_model *top_model_new(unsigned int pid_bits);
void top_model_free(struct top_model *m);

/** top_model_event - add one event, in time order */
void top_model_event(struct top_model *m, const struct et_event *ev);

/** top_search - search for programs whose label contains these bytes; "" ends the search */
void top_search(struct top_model *m, const char *text, size_t len);

/** top_find - the program with a upid, NULL if it is not kept */
static inline struct top_program *top_find(const struct top_model *m, uint64_t upid)
{
	uint64_t *at = upid ? map64_get(&m->programs, upid) : NULL;

	return at ? (struct top_program *)(uintptr_t)*at : NULL;
}

/* Sums over the last @seconds before @now. */
struct top_rate {
	uint64_t ended[WORK_CLASSES];
	uint64_t cpu;		/* ns */
	uint64_t ns;		/* time that the sums cover */
};
void top_rate(const struct top_model *m, uint64_t now, unsigned int seconds, struct top_rate *to);

/* ---- lists ---- */

static inline void top_list_init(struct top_link *l)
{
	l->next = l->prev = l;
}

static inline bool top_list_empty(const struct top_link *l)
{
	return l->next == l;
}

static inline void top_list_del(struct top_link *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	top_list_init(l);
}

static inline void top_list_add(struct top_link *l, struct top_link *head)
{
	l->prev = head->prev;
	l->next = head;
	head->prev->next = l;
	head->prev = l;
}

/* Move all of @from to the end of @to. */
static inline void top_list_move(struct top_link *from, struct top_link *to)
{
	if (top_list_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	top_list_init(from);
}

/* ---- failures: top_failures.c ---- */

/** top_failed - note that a program has failed: by itself, or because of failures below it */
void top_failed(struct top_model *m, struct top_program *p, struct top_program *parent);
/** top_succeeded - note that a program has succeeded: it ignored the failures below it */
void top_succeeded(struct top_model *m, struct top_program *p);
/** top_goes_on - note that a program has started another process after a failure below it */
void top_goes_on(struct top_model *m, struct top_program *p);
/** top_is_shown - whether to show a failure: it is not only an answer to its caller */
bool top_is_shown(const struct top_program *p);
/** top_failure_text - "cc1 parse.c: exit status 1 (gcc -c parse.c in /src)", not shortened */
void top_failure_text(const struct top_program *p, struct buf *to);
/** top_command - append a command's arguments, quoted for a shell */
void top_command(const struct buf *args, struct buf *to);
/** top_how_ended - "exit status 1", "SIGSEGV" */
void top_how_ended(const struct top_program *p, char *buf, size_t size);

#endif
