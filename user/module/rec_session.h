/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of the module: /dev/etrace (kernel/etrace_ioctl.h), its ftrace
 * instance, and the reading of that instance's per-CPU buffers into events.
 * Who is traced, and what for, is the program's business.
 */
#ifndef ETRACE_REC_SESSION_H
#define ETRACE_REC_SESSION_H

#include <poll.h>
#include <sys/types.h>

#include "kernel/etrace_ioctl.h"
#include "module/rec_events.h"

#define REC_DEVICE "/dev/etrace"

struct rec_session;

struct rec_options {
	/*
	 * Bytes for each processor; 0: what suits the machine.
	 */
	uint64_t buffer;
	bool comm;		/* changes of thread names, too */
};

/**
 * rec_session_open - a session that traces nothing yet
 * @fd: an open REC_DEVICE; the session's from now on, also on failure
 * @opt: how
 * @sink: takes struct et_event; stays the caller's
 * @why: on failure, what is wrong and what to do, for a person
 *
 * Return: the session, or NULL.
 */
struct rec_session *rec_session_open(int fd, const struct rec_options *opt,
				     struct sink *sink, char *why, size_t size);

/** rec_session_close - end it: its tree is not traced any more, its buffer goes */
void rec_session_close(struct rec_session *s);

/** rec_session_add - trace a task and all below it. Return: 0 or -errno. */
int rec_session_add(struct rec_session *s, pid_t pid);

/** rec_session_fd - of the device: POLLHUP when no traced task lives */
int rec_session_fd(const struct rec_session *s);

/**
 * rec_session_tasks - the traced tasks that live
 * @list: set to an array that the caller frees, in the order in which they came
 *	to be traced
 *
 * Return: how many, or -errno.
 */
int rec_session_tasks(struct rec_session *s, struct etrace_task_info **list);

/** rec_session_pollfds - descriptors that become readable when a buffer fills
 * @fds: room for rec_session_cpus() entries
 */
void rec_session_pollfds(const struct rec_session *s, struct pollfd *fds);
unsigned int rec_session_cpus(const struct rec_session *s);

/**
 * rec_session_pump - read what is there, and pass on what is in order
 *
 * Return: true if there is more that was left for the next call, so that a
 * caller with other things to do is not held up for long.
 */
bool rec_session_pump(struct rec_session *s);

/** rec_session_level - how full the fullest buffer was when the last
 * rec_session_pump() came, in percent
 */
unsigned int rec_session_level(const struct rec_session *s);

/**
 * rec_session_stop - end tracing and read everything that is left
 *
 * Return: 0 or -errno.
 */
int rec_session_stop(struct rec_session *s);

/* What came, against what the module says. */
struct rec_account {
	struct etrace_stats module;
	const struct rec_tally *tally;
	uint64_t overrun, dropped;	/* from the buffers' own statistics */
	uint64_t missed;		/* calls that a busy BPF program did not see */
	uint64_t urings;		/* that were set up, by the recorder's count */
	uint64_t bytes;			/* read from the buffers */
	uint64_t buffer;		/* bytes of the largest buffer at last */
	uint64_t waited;		/* bytes, read but not passed on, at most */
	uint64_t not_taken;		/* events that an output was too slow for */
	int read_error;			/* 0, or the errno that ended reading */
};

/** rec_session_account - the present state. Return: 0 or -errno. */
int rec_session_account(struct rec_session *s, struct rec_account *a);

struct rec_events *rec_session_events(struct rec_session *s);
unsigned int rec_session_pid_bits(const struct rec_session *s);
const char *rec_session_instance(const struct rec_session *s);

#endif
