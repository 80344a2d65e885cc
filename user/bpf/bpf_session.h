/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of the BPF programs: an object of its own with its own maps, for
 * one tree of tasks, read into events.  It ends with its owner: nothing is
 * pinned.  Who is traced, and what for, is the program's business.
 */
#ifndef ETRACE_BPF_SESSION_H
#define ETRACE_BPF_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/bpf_abi.h"
#include "bpf/bpf_rec.h"

struct bpf_session;

struct bpf_options {
	uint64_t buffer;	/* bytes of the ring buffer, rounded up to a power
				 * of two; 0: BPF_BUFFER
				 */
	bool comm;		/* changes of thread names, too */
};
#define BPF_BUFFER	(32u << 20)
#define BPF_BUFFER_MAX	(1u << 30)

/* Of a upid: its low bits are the thread id. */
#define BPF_PID_BITS	22u

/**
 * bpf_available - whether a session could be had here
 * @why: what stands in the way and what to do about it, for a person
 *
 * Nothing is loaded.
 */
bool bpf_available(char *why, size_t size);

/**
 * bpf_session_open - a session that traces nothing yet
 * @sink: takes struct et_event; stays the caller's
 * @why: on failure, what is wrong and what to do, for a person
 *
 * Return: the session, or NULL.
 */
struct bpf_session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				     char *why, size_t size);

/**
 * bpf_session_close - end it: its tree is not traced any more
 *
 * The last of the programs are taken off behind this call's back, by a process
 * named etrace-detach, which takes a second.
 */
void bpf_session_close(struct bpf_session *s);

/** bpf_session_add - trace a process and all below it. Return: 0 or -errno. */
int bpf_session_add(struct bpf_session *s, pid_t pid);

/**
 * bpf_session_release - trace nothing any more, until the next bpf_session_add();
 * let out all that has come
 *
 * Return: 0 or -errno.
 */
int bpf_session_release(struct bpf_session *s);

/** bpf_session_fd - readable when the buffer fills */
int bpf_session_fd(const struct bpf_session *s);

/** bpf_session_idle - whether no traced task lives */
bool bpf_session_idle(const struct bpf_session *s);

/**
 * bpf_session_tasks - the traced tasks that live
 * @list: set to an array that the caller frees
 *
 * Return: how many, or -errno.
 */
int bpf_session_tasks(struct bpf_session *s, struct eb_task **list);

/** bpf_session_pump - read what is there. Return: 0 or -errno. */
int bpf_session_pump(struct bpf_session *s);

/** bpf_session_stop - end tracing, read what is left. Return: 0 or -errno. */
int bpf_session_stop(struct bpf_session *s);

/* What came, against what the programs say. */
struct bpf_account {
	struct eb_counts programs;
	uint64_t missed;	/* calls that a program did not see, being busy */
	unsigned int hooks_missing;	/* that this kernel does not offer */
	const struct rec_tally *tally;
	uint64_t damaged;	/* records that make no sense */
	uint64_t resolved;	/* targets of links looked up afterwards */
	uint64_t unresolved;	/* of them, those of which nobody can tell any more */
	uint64_t untold;	/* of them, those of which nobody can without asking */
	uint64_t bytes;		/* read from the ring buffer */
	uint64_t buffer;	/* bytes of it */
	bool limited;		/* an old kernel: the limits of Documentation/bpf.md */
};

/** bpf_session_account - the present state */
void bpf_session_account(struct bpf_session *s, struct bpf_account *a);

/** bpf_session_tally - what has come so far */
const struct rec_tally *bpf_session_tally(const struct bpf_session *s);

/** bpf_session_present - a task that was there before tracing began */
void bpf_session_present(struct bpf_session *s, uint64_t upid, const char *program,
			 bool process);

/** bpf_session_level - how full the buffer was at the last pump, in percent */
unsigned int bpf_session_level(const struct bpf_session *s);

/** bpf_session_about - which programs these are, in words */
const char *bpf_session_about(const struct bpf_session *s);

#endif
