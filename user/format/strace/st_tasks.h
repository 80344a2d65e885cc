/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tasks of a log, as far as events need them: identifiers, working directories,
 * and what each program did by which descriptor since it began.
 */
#ifndef ETRACE_ST_TASKS_H
#define ETRACE_ST_TASKS_H

#include "base/buf.h"
#include "base/map64.h"
#include "event/event.h"

struct st_fd {
	bool open;		/* as far as the log tells */
	bool cloexec;
	bool read, wrote;	/* by the program that runs, and not told yet */
	bool not_copied;	/* not all that was written was a copy that an event tells of */
	/* of the last such copies, 1 + the descriptor read, and the one written; 0: none */
	int64_t from, to;
	uint64_t nread, nwrote;	/* bytes */
	bool socket;		/* a call says so; @path may say it, too */
	unsigned int turns;	/* of a socket, how often it was told while it was open */
	const struct st_task *user;	/* of a socket, the thread that used it last; NULL: none did */
	char *path;		/* NULL if unknown */
};

/* Descriptors; several processes may share them. */
struct st_fds {
	unsigned int refs;
	struct st_fd *fd;
	size_t cap;		/* none above it is known */
};

/* Working and root directory. */
struct st_dirs {
	unsigned int refs;
	char *cwd;		/* NULL if unknown */
	char *root;		/* as the first task sees it; NULL: "/" */
	bool elsewhere;		/* it may see other files by the same names */
};

/* What a process wrote to a descriptor. */
struct st_output {
	uint64_t bytes;
	size_t len;
	/* the last of it; what is behind its last gap, and no more of that than needed */
	char text[2 * ET_OUTPUT_MAX];
};

#define ST_OUTPUTS 2	/* descriptors 1 and 2 */

struct st_process {
	unsigned int tasks;	/* live ones */
	/*
	 * Of pid namespaces: the pids that it sees are not strace's; nor are those that its
	 * children will see.
	 */
	bool inside, children_inside;
	bool ending;		/* it has called exit_group, with this status */
	int64_t status;
	struct st_fds *fds;
	struct st_dirs *dirs;
	struct st_output *output[ST_OUTPUTS];	/* NULL if nothing was written */
};

/* Instead of a pid: lines do not have it; a line with it has not come. */
#define ST_NAMELESS	(-1)
#define ST_UNBORN	(-2)

struct st_task {
	uint64_t upid;		/* 0 if it has no pid yet */
	int64_t pid;
	/* ST_UNBORN: who made it, NULL if that is told; its pid as the maker sees it */
	struct st_task *maker;
	int64_t local_pid;
	bool told;		/* whether @flags, of the call that made it, are known */
	uint64_t flags;
	struct st_task *next;	/* in st_tasks.unborn */
	struct st_process *process;
	/* A call that is not finished: its name, and its arguments so far. */
	struct buf call, args;
	bool in_call;
	bool child_told;	/* of a clone: its event has left */
	bool took_place;	/* of an execve: it is the first of its process now */
	bool ending;		/* a thread that has called exit */
};

struct st_tasks {
	struct map64 by_pid;	/* pid + 1: pointer */
	struct st_task *nameless;	/* the task of lines without a pid, or NULL */
	uint64_t given;		/* numbers of tasks */
	size_t n;		/* that live; those that are not born yet are not among them */
	/* made in another pid namespace, no line of theirs has come: oldest first */
	struct st_task *unborn, **unborn_end;
	size_t nunborn;
};

#define ST_UNBORN_MAX 1024u

/* Only a damaged log has larger descriptors. */
#define ST_FD_MAX (1 << 20)

/** st_tasks_find - the one of a pid that lives, or NULL; -1: that of lines without one */
struct st_task *st_tasks_find(struct st_tasks *t, int64_t pid);

/**
 * st_tasks_begin - one that begins now
 * @parent: the task that made it, NULL if it was there before, or unknown
 * @flags: of clone(2): what they share
 */
struct st_task *st_tasks_begin(struct st_tasks *t, int64_t pid, struct st_task *parent,
			       uint64_t flags);

/** st_tasks_expect - one was made whose pid is not known: ST_UNBORN
 * @flags: of clone(2)
 *
 * Not more than ST_UNBORN_MAX.
 */
struct st_task *st_tasks_expect(struct st_tasks *t, struct st_task *maker, uint64_t flags,
				int64_t local_pid);

/** st_tasks_name - number one that has none, in whose upid @pid stands */
void st_tasks_name(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_bear - lines of a pid are those of one that was not born yet */
void st_tasks_bear(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_forget - no line of one that was not born yet will come */
void st_tasks_forget(struct st_tasks *t, struct st_task *task);

/** st_tasks_move - a thread that called execve takes another pid */
void st_tasks_move(struct st_tasks *t, struct st_task *task, int64_t pid);

/** st_tasks_end - a task ended: free it */
void st_tasks_end(struct st_tasks *t, struct st_task *task);

void st_tasks_free(struct st_tasks *t);

/** st_fd - a descriptor's place, made if it is not there.  Return: NULL if it cannot be one. */
struct st_fd *st_fd(struct st_process *p, int64_t fd);

/** st_fd_known - a descriptor's place, NULL if nothing is known of it */
struct st_fd *st_fd_known(const struct st_process *p, int64_t fd);

/** st_fd_close - forget a descriptor */
void st_fd_close(struct st_fd *fd);

/** st_fds_unshare - descriptors of its own, as unshare(2) and execve give them */
void st_fds_unshare(struct st_process *p);

/** st_cwd_set - @len bytes */
void st_cwd_set(struct st_process *p, const char *path, size_t len);

#endif
