/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Internal state of the strace log reader, and the functions its files share.  Only st_*.c
 * include this.
 */
#ifndef ETRACE_ST_STATE_H
#define ETRACE_ST_STATE_H

#include "format/strace/st_args.h"
#include "format/strace/st_log.h"
#include "format/strace/st_tasks.h"

struct st_held;

struct st_log {
	struct st_log_options opt;
	struct sink *sink;
	struct diag *diag;
	struct st_tasks tasks;
	struct et_event ev;	/* the event being built */
	int err;		/* negative errno from the sink, 0 if none */
	uint64_t events, incomplete, joined;
	uint64_t first;		/* upid of the first task */
	bool has_run;		/* the first task's execve has succeeded */
	bool has_env;		/* the log has the environment of a program that ran */
	bool lacks_env;		/* it lacks all or part of another program's */
	int run_error;		/* errno of the first task's last execve until one succeeds */
	/* the current line: its time in ns, where it stands */
	uint64_t at;
	struct st_place place;
	struct buf path, text;	/* to put names together */
	/* lines that wait for a clone's end: see st_log_line() */
	struct st_held *held, **held_end;
	size_t nheld, held_bytes;
	struct map64 born;	/* pid of a child: pid of its parent, as held lines say */
	bool unnamed;		/* held lines show a child without its pid: see st_tasks_expect() */
	bool is_broken;		/* a message broke a line, and the rest is still to come */
	int64_t broken;		/* pid of the broken line, -1 if it has none */
	struct st_output *writer;	/* the next dump line shows its bytes; NULL if none */
	uint64_t undumped;	/* bytes of its last write that no dump has shown yet */
	bool namespaces;	/* some task sees other pids than strace */
	unsigned int cloning;	/* tasks in an unfinished clone whose child is unknown */
};

/** st_event - begin an event of the task */
struct et_event *st_event(struct st_log *log, const struct st_task *task, enum et_kind kind);

/** st_put - the event is complete: pass it to the sink */
void st_put(struct st_log *log);

/** st_makes_task - whether a call creates a task: fork, clone and the like */
bool st_makes_task(struct st_text name);

/**
 * st_child - create a child task and emit the event of its creation
 * @args: arguments of the call that created it, NULL if unknown
 */
struct st_task *st_child(struct st_log *log, struct st_task *parent, int64_t pid,
			 struct st_text name, struct st_text args);

/** st_born - @pid turned out to be a child that st_do_clone() expected: emit its event */
void st_born(struct st_log *log, struct st_task *child, int64_t pid);

/** st_made - before a task ends, emit the events of its children whose pids are still unknown */
void st_made(struct st_log *log, const struct st_task *maker);

/** st_ends - note the task's last call, exit or exit_group */
void st_ends(struct st_task *task, struct st_text name, struct st_text args);

/* Expected children without a line: counted when there are too many, and at the end. */
extern const struct diag_kind st_never_born;

/** st_damage - count something missing, and report it with the current line */
void st_damage(struct st_log *log, const struct diag_kind *kind);

/** st_uses - emit what a program did with its descriptors, before it execs or ends
 * @exec: close the descriptors that execve closes
 */
void st_uses(struct st_log *log, struct st_task *task, bool exec);

/** st_dumped - take output from a dump line, which shows what the previous call wrote */
void st_dumped(struct st_log *log, const struct st_line *line);

/** st_undumped - the dump is over: mark a gap if bytes of the write were not shown */
void st_undumped(struct st_log *log);

/** st_printed - emit what a process wrote to descriptors 1 and 2, before it ends */
void st_printed(struct st_log *log, const struct st_task *task, bool failed);

/** st_call - handle a finished call */
void st_call(struct st_log *log, struct st_task *task, const struct st_line *line);

#endif
