/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session: a tree of tasks that is traced, and the backend that turns its
 * records into events.  Each backend has this struct in its own
 * (record/module/rec_session.c, record/bpf/bpf_session.c); users of a session know only the
 * name of its backend.
 */
#ifndef ETRACE_SESSION_H
#define ETRACE_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/rec_tally.h"

struct diag;

/* What the kernel's side says of a session: see struct etrace_stats. */
struct session_counts {
	uint64_t records;		/* that were written */
	uint64_t lost_records;		/* not written: a buffer was full */
	uint64_t lost_disabled;		/* not written: the kernel switched the buffer off */
	uint64_t lost_tasks;		/* not traced: out of memory */
	uint64_t lost_fds;		/* calls, not all descriptors known */
	uint64_t rings_unseen;		/* requests of io_urings that are not recorded */
	uint64_t strings_joined;
	uint64_t strings_unread;
	uint64_t strings_cut;
	uint64_t overwritten;		/* records thrown away unread */
	uint64_t hooks_missing;		/* hooks that this kernel does not offer */
	uint64_t strings_untold;	/* targets of which nobody can tell; no loss */
};

/* What came, against what the kernel's side says. */
struct rec_account {
	struct session_counts module;	/* or the BPF programs */
	const struct rec_tally *tally;
	uint64_t missed;		/* calls that a busy BPF program did not see */
	uint64_t urings;		/* that were set up, by the recorder's count */
	uint64_t bytes;			/* read from the buffers */
	uint64_t buffer;		/* bytes of the largest buffer at last */
	uint64_t waited;		/* bytes, read but not passed on, at most */
	uint64_t not_taken;		/* events that an output was too slow for */
	int read_error;			/* errno that ended reading, 0 if none */
	const struct diag *found;	/* what else is missing, by kind; NULL if nothing */
};

/* A traced task that lives. */
struct session_task {
	uint64_t upid;
	int32_t pid, tgid;	/* in the reader's pid namespace; 0: not visible there */
};

struct session {
	const struct session_ops *ops;
	/* Set when it is opened: */
	unsigned int pid_bits;	/* of a upid: its low bits are the thread id */
	unsigned int nfds;	/* that ops->poll() fills */
	int idle_fd;		/* POLLHUP if no traced task lives; -1: call idle() instead */
	const struct rec_tally *tally;	/* what has come so far */
	const char *env;	/* et_env_recorded(); known for sure once it has stopped */
	char about[128];	/* description for messages */
	/* Set by ops->pump(): how full the fullest buffer was then, in percent. */
	unsigned int level;
};

struct session_ops {
	const char *name;	/* of the backend */
	/* What it polls is not ready before somebody should look. */
	bool wakes_for_a_reason;
	/* End it: its tree is not traced any more. */
	void (*close)(struct session *s);
	/*
	 * NULL: what runs already can be traced.  Else: only what is run so.  @argv: a
	 * command, which user @uid is to run.  Return: the words to run in its place, which
	 * stay the session's; NULL with errno.
	 */
	char **(*wrap)(struct session *s, char **argv, uid_t uid);
	/* Trace a task and all below it; after wrap(): 0.  Return: 0 or -errno. */
	int (*add)(struct session *s, pid_t pid);
	/*
	 * Trace the tasks in a cgroup, now or later, and all that they start.  @dir: its
	 * directory, open; stays the caller's.  Return: 0 or -errno.  The member is NULL if the
	 * backend cannot do it.
	 */
	int (*add_cgroup)(struct session *s, int dir);
	/* Call in a child that waits for its start: it must not keep the session. */
	void (*forget)(struct session *s);
	/* Whether no traced task lives. */
	bool (*idle)(struct session *s);
	/*
	 * The traced tasks that live: @list is set to an array that the caller
	 * frees.  Return: how many, or -errno.
	 */
	int (*tasks)(struct session *s, struct session_task **list);
	/*
	 * Of a session with wrap(), when the command has ended with status 1: why it could
	 * not be run, errno; 0: it was.
	 */
	int (*run_error)(struct session *s);
	/* What becomes readable when a buffer fills; @fds has room for nfds. */
	void (*poll)(struct session *s, struct pollfd *fds);
	/*
	 * Read what is there, and pass on what is in order.  Return: 1 if there
	 * is more that was left for the next call, so that a caller with other
	 * things to do is not held up for long; else 0 or -errno.
	 */
	int (*pump)(struct session *s);
	/* End tracing and read everything that is left.  Return: 0 or -errno. */
	int (*stop)(struct session *s);
	/* Get the present counts.  Return: 0 or -errno. */
	int (*account)(struct session *s, struct rec_account *a);
};

/** session_close - end it, if there is one */
static inline void session_close(struct session *s)
{
	if (s)
		s->ops->close(s);
}

#endif
