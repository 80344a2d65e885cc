/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tasks of a strace log: their pids and upids, their working directories, and what each
 * program has done with its descriptors.
 */
#ifndef ETRACE_ST_TASKS_H
#define ETRACE_ST_TASKS_H

#include "base/buf.h"
#include "base/map64.h"
#include "event/event.h"

struct st_fd {
	bool open;		/* if the log shows that */
	bool cloexec;
	bool read, wrote;	/* used by the running program, not yet in an event */
	bool not_copied;	/* some written data is not in a copy event */
	/* last copy events: 1 + the descriptor read from, 1 + the one written to; 0 if none */
	int64_t from, to;
	uint64_t nread, nwrote;	/* bytes */
	bool socket;		/* known from a call; also @path can show it */
	unsigned int turns;	/* socket: number of turn events since it was opened */
	const struct st_task *user;	/* socket: the thread that used it last, NULL if none */
	char *path;		/* NULL if unknown */
};

/* Descriptors; several processes may share them. */
struct st_fds {
	unsigned int refs;
	struct st_fd *fd;
	size_t cap;		/* entries in @fd; nothing is known about higher descriptors */
};

/* Working and root directory. */
struct st_dirs {
	unsigned int refs;
	char *cwd;		/* NULL if unknown */
	char *root;		/* as the first task sees it, NULL for "/" */
	bool elsewhere;		/* a path may be another file here (chroot, mount namespace) */
};

/* What a process wrote to a descriptor. */
struct st_output {
	uint64_t bytes;
	size_t len;
	/* end of the output, but not before its last gap */
	char text[2 * ET_OUTPUT_MAX];
};

#define ST_OUTPUTS 2	/* descriptors 1 and 2 */

struct st_process {
	unsigned int tasks;	/* live tasks */
	/* this process, or children that it will create, see other pids than strace */
	bool inside, children_inside;
	bool ending;		/* it has called exit_group */
	int64_t status;		/* passed to exit_group */
	struct st_fds *fds;
	struct st_dirs *dirs;
	struct st_output *output[ST_OUTPUTS];	/* NULL if nothing was written */
};

/* Instead of a pid: */
#define ST_NAMELESS	(-1)	/* the task's lines have no pid */
#define ST_UNBORN	(-2)	/* no line of the task has come yet */

struct st_task {
	uint64_t upid;		/* 0 if it has no pid yet */
	int64_t pid;
	/* for ST_UNBORN: */
	struct st_task *maker;	/* its parent, NULL after the event of its creation */
	int64_t local_pid;	/* its pid as the parent sees it */
	bool flags_known;	/* @flags, of the call that created it, are known */
	uint64_t flags;
	struct st_task *next;	/* the next one in st_tasks.unborn */
	struct st_process *process;
	/* name and arguments so far of an unfinished call */
	struct buf call, args;
	bool in_call;
	bool closed;		/* in a close: see st_close_begins() */
	bool child_emitted;	/* in a clone: the child's event has been emitted */
	bool took_place;	/* in an execve: it has already received the pid of its process */
	bool ending;		/* a thread that has called exit */
};

struct st_tasks {
	struct map64 by_pid;	/* pid + 1 to struct st_task * */
	struct st_task *nameless;	/* the task of lines without a pid, NULL if none */
	uint64_t given;		/* number of upids assigned */
	size_t n;		/* live tasks, without the unborn ones */
	/* tasks of other pid namespaces whose pid is not known yet; oldest first */
	struct st_task *unborn, **unborn_end;
	size_t nunborn;
};

#define ST_UNBORN_MAX 1024u

/* Limit for descriptors; larger ones are damage. */
#define ST_FD_MAX (1 << 20)

/** st_tasks_find - find a live task, NULL if none; @pid: -1 for the task of lines without a pid */
struct st_task *st_tasks_find(struct st_tasks *t, int64_t pid);

/**
 * st_tasks_begin - add a task
 * @parent: task that created it, NULL if unknown or if the task is older than the log
 * @flags: clone(2) flags, for what the two share
 */
struct st_task *st_tasks_begin(struct st_tasks *t, int64_t pid, struct st_task *parent,
			       uint64_t flags);

/** st_tasks_expect - add a task whose pid is not known yet: ST_UNBORN
 * @flags: clone(2) flags
 *
 * The caller keeps the number of unborn tasks at or below ST_UNBORN_MAX.
 */
struct st_task *st_tasks_expect(struct st_tasks *t, struct st_task *maker, uint64_t flags,
				int64_t local_pid);

/** st_tasks_name - assign a upid that contains @pid */
void st_tasks_name(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_bear - give an unborn task its pid */
void st_tasks_bear(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_forget - free an unborn task */
void st_tasks_forget(struct st_tasks *t, struct st_task *task);

/** st_tasks_move - give a task another pid, for a thread that called execve */
void st_tasks_move(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_end - free a task that has ended */
void st_tasks_end(struct st_tasks *t, struct st_task *task);

void st_tasks_free(struct st_tasks *t);

/** st_fd - a descriptor's entry, created if missing.  Return: NULL if the number is invalid. */
struct st_fd *st_fd(struct st_process *p, int64_t fd);

/** st_fd_known - a descriptor's entry, NULL if nothing is known about it */
struct st_fd *st_fd_known(const struct st_process *p, int64_t fd);

/** st_fd_close - forget a descriptor */
void st_fd_close(struct st_fd *fd);

/** st_fds_unshare - give a process its own copy of the descriptors, as unshare(2) and execve do */
void st_fds_unshare(struct st_process *p);

/** st_cwd_set - set the working directory to @path, of @len bytes */
void st_cwd_set(struct st_process *p, const char *path, size_t len);

#endif
