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
	uint64_t records;		/* records that were written */
	uint64_t lost_records;		/* not written because a buffer was full */
	uint64_t lost_disabled;		/* not written because the kernel switched the buffer off */
	uint64_t lost_tasks;		/* tasks not traced because memory ran out */
	uint64_t lost_fds;		/* calls with descriptors that could not be recorded */
	uint64_t rings_unseen;		/* requests of io_urings that are not recorded */
	uint64_t strings_joined;
	uint64_t strings_unread;
	uint64_t strings_cut;
	uint64_t overwritten;		/* records overwritten before they were read */
	uint64_t hooks_missing;		/* hooks that this kernel does not offer */
	uint64_t strings_untold;	/* link targets that may not exist; not a loss */
};

/* Counts of what arrived, to compare with the kernel side's counts. */
struct rec_account {
	struct session_counts module;	/* counted by the module or the BPF programs */
	const struct rec_tally *tally;
	uint64_t missed;		/* calls missed because the BPF program was busy */
	uint64_t urings;		/* io_urings that were set up, counted by the recorder */
	uint64_t bytes;			/* number of bytes read from the buffers */
	uint64_t buffer;		/* size of the largest buffer at the end, in bytes */
	uint64_t waited;		/* peak number of bytes read but not yet passed on */
	uint64_t not_taken;		/* events not written because an output was too slow */
	int read_error;			/* errno that ended reading, 0 if none */
	const struct diag *found;	/* other missing things, counted by kind; NULL if none */
};

/* A live traced task. */
struct session_task {
	uint64_t upid;
	int32_t pid, tgid;	/* in the reader's pid namespace; 0 if not visible there */
};

struct session {
	const struct session_ops *ops;
	/* Set when the session is opened: */
	unsigned int pid_bits;	/* number of low bits of a upid that hold the thread id */
	unsigned int nfds;	/* number of descriptors that ops->poll() sets */
	int idle_fd;		/* POLLHUP once no traced task is alive; -1 if none: call idle() */
	const struct rec_tally *tally;	/* counts of what has arrived so far */
	const char *env;	/* et_env_recorded(); final only once the session has stopped */
	char about[128];	/* description for messages */
	/* Set by ops->pump(): fill level of the fullest buffer at that time, in percent. */
	unsigned int level;
};

struct session_ops {
	const char *name;	/* name of the backend */
	/* Its descriptors become ready only when enough data is worth reading. */
	bool wakes_for_a_reason;
	/* End the session: its tasks are not traced any more. */
	void (*close)(struct session *s);
	/*
	 * NULL if tasks that already run can be traced; otherwise only a command that wrap()
	 * has changed is traced.  @argv: a command that user @uid will run.  Return: the
	 * argv to run instead, which the session frees; NULL with errno on error.
	 */
	char **(*wrap)(struct session *s, char **argv, uid_t uid);
	/* Trace a task and all its descendants; does nothing after wrap().  Return: 0 or -errno. */
	int (*add)(struct session *s, pid_t pid);
	/*
	 * Trace the tasks that are in a cgroup or enter it, and everything that they start.
	 * @dir: descriptor of its directory, which the caller closes.  Return: 0 or -errno.
	 * NULL if the backend cannot do it.
	 */
	int (*add_cgroup)(struct session *s, int dir);
	/* Called in a child process, so that it does not keep the session open. */
	void (*forget)(struct session *s);
	/* Whether no traced task is alive. */
	bool (*idle)(struct session *s);
	/*
	 * Set @list to an array of the live traced tasks, which the caller
	 * frees.  Return: their number, or -errno.
	 */
	int (*tasks)(struct session *s, struct session_task **list);
	/*
	 * For a session with wrap(), after the command ended with status 1.  Return: the
	 * errno of the failed execve, 0 if the command ran.
	 */
	int (*run_error)(struct session *s);
	/* Set the nfds entries of @fds: descriptors that become readable when a buffer fills. */
	void (*poll)(struct session *s, struct pollfd *fds);
	/*
	 * Read the buffers, and pass on the events that are in order. Takes only a
	 * limited time.  Return: 1 if there is more for the next call, otherwise 0 or
	 * -errno.
	 */
	int (*pump)(struct session *s);
	/* End tracing and read everything that is left.  Return: 0 or -errno. */
	int (*stop)(struct session *s);
	/* Get the current counts.  Return: 0 or -errno. */
	int (*account)(struct session *s, struct rec_account *a);
};

/** session_close - end a session; @s may be NULL */
static inline void session_close(struct session *s)
{
	if (s)
		s->ops->close(s);
}

#endif
