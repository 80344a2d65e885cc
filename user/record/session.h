/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session: a tree of traced tasks, and the backend that turns their records into
 * events.  Each backend embeds this struct in its own (record/module/rec_session.c,
 * record/bpf/bpf_session.c); users of a session know only its backend's name.
 */
#ifndef ETRACE_SESSION_H
#define ETRACE_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/rec_tally.h"

struct diag;

/* The kernel side's counts of a session: see struct etrace_stats. */
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
	uint64_t strings_untold;	/* targets that cannot be known; no loss */
};

/* What arrived, to compare with what the kernel side counted. */
struct rec_account {
	struct session_counts module;	/* or the BPF programs */
	const struct rec_tally *tally;
	uint64_t missed;		/* calls that a busy BPF program did not see */
	uint64_t urings;		/* io_urings set up, by the recorder's count */
	uint64_t bytes;			/* read from the buffers */
	uint64_t buffer;		/* size of the largest buffer at the end, in bytes */
	uint64_t waited;		/* peak of bytes read but not yet passed on */
	uint64_t not_taken;		/* events that an output was too slow for */
	int read_error;			/* errno that ended reading, 0 if none */
	const struct diag *found;	/* what else is missing, by kind; NULL if nothing */
};

/* A live traced task. */
struct session_task {
	uint64_t upid;
	int32_t pid, tgid;	/* in the reader's pid namespace; 0: not visible there */
};

struct session {
	const struct session_ops *ops;
	/* Set when it is opened: */
	unsigned int pid_bits;	/* number of low bits of a upid that are the thread id */
	unsigned int nfds;	/* that ops->poll() fills */
	int idle_fd;		/* POLLHUP once no traced task lives; -1 if none: call idle() */
	const struct rec_tally *tally;	/* what has come so far */
	const char *env;	/* et_env_recorded(); final only once the session has stopped */
	char about[128];	/* description for messages */
	/* Set by ops->pump(): fill of the fullest buffer at that time, in percent. */
	unsigned int level;
};

struct session_ops {
	const char *name;	/* of the backend */
	/* Its descriptors become ready only when there is something worth reading. */
	bool wakes_for_a_reason;
	/* End it: its tree is not traced any more. */
	void (*close)(struct session *s);
	/*
	 * NULL if tasks that already run can be traced; else only a command that wrap()
	 * has changed is traced.  @argv: a command, which user @uid is to run.  Return: the
	 * argv to run in its place, which stays the session's; NULL with errno.
	 */
	char **(*wrap)(struct session *s, char **argv, uid_t uid);
	/* Trace a task and all its descendants; does nothing after wrap().  Return: 0 or -errno. */
	int (*add)(struct session *s, pid_t pid);
	/*
	 * Trace the tasks that are or will be in a cgroup, and all that they start.  @dir:
	 * descriptor of its directory; stays the caller's.  Return: 0 or -errno.  NULL if the
	 * backend cannot do it.
	 */
	int (*add_cgroup)(struct session *s, int dir);
	/* Call in a child process: it must not keep the session. */
	void (*forget)(struct session *s);
	/* Whether no traced task lives. */
	bool (*idle)(struct session *s);
	/*
	 * The live traced tasks: @list is set to an array that the caller
	 * frees.  Return: how many, or -errno.
	 */
	int (*tasks)(struct session *s, struct session_task **list);
	/*
	 * For a session with wrap() whose command ended with status 1: errno of why it could
	 * not be run, 0 if it ran.
	 */
	int (*run_error)(struct session *s);
	/* Set the nfds entries of @fds: descriptors that become readable when a buffer fills. */
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
