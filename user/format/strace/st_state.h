/* SPDX-License-Identifier: LGPL-2.1 */
/* What the parts of a log share: its state, and the event at hand.  Only st_*.c include this. */
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
	struct et_event ev;	/* that is made */
	int err;		/* the sink's */
	uint64_t events, incomplete, joined;
	uint64_t first;		/* upid of the first task */
	bool has_run;		/* an execve of its has succeeded */
	bool has_env;		/* the environment of a program that ran is there */
	bool lacks_env;		/* that of another is not, or not all of it */
	int run_error;		/* of its last execve until then */
	/* of the line at hand */
	uint64_t at;
	struct st_place place;
	struct buf path, text;	/* to put names together */
	/* lines that wait for a clone's end: see st_log_line() */
	struct st_held *held, **held_end;
	size_t nheld, held_bytes;
	struct map64 born;	/* pid of a child: pid of its parent, as held lines say */
	bool unnamed;		/* held lines say of a child only that it is made: see st_tasks_expect() */
	bool is_broken;		/* a message has broken a line, and the rest has not come */
	int64_t broken;		/* the pid of that line, -1 if it has none */
	struct st_output *writer;	/* whose bytes a dump shows that comes next; NULL: nobody's */
	uint64_t undumped;	/* bytes of the last write to it that have not been seen */
	bool namespaces;	/* somebody sees pids that are not strace's */
	unsigned int cloning;	/* tasks in a clone that is not finished, its child not known */
};

/** st_event - begin an event of the task */
struct et_event *st_event(struct st_log *log, const struct st_task *task, enum et_kind kind);

/** st_put - the event is complete: pass it to the sink */
void st_put(struct st_log *log);

/** st_makes_task - whether a call is one of fork's kin */
bool st_makes_task(struct st_text name);

/**
 * st_child - a child begins: its event, and the task
 * @args: of the call that made it, or NULL
 */
struct st_task *st_child(struct st_log *log, struct st_task *parent, int64_t pid,
			 struct st_text name, struct st_text args);

/** st_born - lines of @pid are those of a child that st_do_clone() expected: its event */
void st_born(struct st_log *log, struct st_task *child, int64_t pid);

/** st_made - before a task ends: the events of children of its whose pids are not known yet */
void st_made(struct st_log *log, const struct st_task *maker);

/** st_ends - the task's last call: exit or exit_group */
void st_ends(struct st_task *task, struct st_text name, struct st_text args);

/* Counted where there are too many of them, and at the end. */
extern const struct diag_kind st_never_born;

/** st_damage - count something missing, told with the line at hand */
void st_damage(struct st_log *log, const struct diag_kind *kind);

/** st_uses - tell what a program did by its descriptors; before it is another one's, or ends
 * @exec: those that execve closes are closed
 */
void st_uses(struct st_log *log, struct st_task *task, bool exec);

/** st_dumped - a line shows what the call before it wrote */
void st_dumped(struct st_log *log, const struct st_line *line);

/** st_undumped - a line follows that shows nothing of it */
void st_undumped(struct st_log *log);

/** st_printed - tell what a process wrote to descriptors 1 and 2; before it ends */
void st_printed(struct st_log *log, const struct st_task *task, bool failed);

/** st_call - what a finished call was */
void st_call(struct st_log *log, struct st_task *task, const struct st_line *line);

#endif
