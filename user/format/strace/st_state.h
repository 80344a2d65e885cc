/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * State of the reader of strace logs, and the functions that its files share.  Only st_*.c
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
	bool lacks_env;		/* a program's environment is missing or incomplete */
	int run_error;		/* errno of the first task's last execve until one succeeds */
	uint64_t at;		/* time of the current line, ns */
	struct st_place place;	/* place of the current line */
	struct buf path, text;	/* buffers for joining names */
	/* lines held until a clone ends: see st_log_line() */
	struct st_held *held, **held_end;
	size_t nheld, held_bytes;
	struct map64 born;	/* pid of a child to pid + 1 of its parent, from held lines */
	bool unnamed;		/* held lines show a child without its pid: see st_tasks_expect() */
	bool is_broken;		/* a message broke a line, whose rest has not come yet */
	int64_t broken;		/* pid of the broken line, -1 if it has none */
	struct st_output *writer;	/* output that a dump line would show; NULL if none */
	uint64_t undumped;	/* bytes of its last write that no dump has shown yet */
	bool namespaces;	/* some tasks see other pids than strace */
	unsigned int cloning;	/* tasks in an unfinished clone whose child is unknown */
};

/** st_event - begin an event of the task */
struct et_event *st_event(struct st_log *log, const struct st_task *task, enum et_kind kind);

/** st_put - complete the event and pass it to the sink */
void st_put(struct st_log *log);

/** st_makes_task - whether a call creates a task: fork, clone and the like */
bool st_makes_task(struct st_text name);

/** st_is_making - whether a task is in such a call, and its child is unknown */
bool st_is_making(const struct st_task *task);

/**
 * st_child - create a child task and emit the event of its creation
 * @args: arguments of the call that created it, NULL if unknown
 */
struct st_task *st_child(struct st_log *log, struct st_task *parent, int64_t pid,
			 struct st_text name, struct st_text args);

/** st_born - give an expected child its @pid, and emit the event of its creation */
void st_born(struct st_log *log, struct st_task *child, int64_t pid);

/** st_made - before a task ends, emit the creation of its children without a known pid */
void st_made(struct st_log *log, const struct st_task *maker);

/** st_ends - note the task's last call, exit or exit_group */
void st_ends(struct st_task *task, struct st_text name, struct st_text args);

/** st_task_ends - emit the end of a task, and free it; @line says how it ended */
void st_task_ends(struct st_log *log, struct st_task *task, const struct st_line *line);

/** st_task_end_unreported - end a task that called exit, or whose process did; else return false */
bool st_task_end_unreported(struct st_log *log, struct st_task *task);

/**
 * st_task_lost - free a task without a line that says how it ended
 * @kind: counted, if st_task_end_unreported() cannot end it
 */
void st_task_lost(struct st_log *log, struct st_task *task, const struct diag_kind *kind);

/* Expected children of which no line came: counted if there are too many, and at the end. */
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

/**
 * st_close_begins - handle a close whose end is not in the log yet
 *
 * Before that end, another thread can get the number for a file that it opens.  Return: false
 * if the line is not such a close, or its descriptor is not known to be open.
 */
bool st_close_begins(struct st_log *log, struct st_task *task, const struct st_line *line);

/** st_call - handle a finished call */
void st_call(struct st_log *log, struct st_task *task, const struct st_line *line);

#endif
