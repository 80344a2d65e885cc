/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session of the BPF programs: an object of its own with its own maps, for
 * one tree of tasks, read into events.  It ends with its owner: nothing is
 * pinned.  Who is traced, and what for, is the program's business.
 */
#ifndef ETRACE_BPF_SESSION_H
#define ETRACE_BPF_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_rec.h"
#include "record/session.h"

struct bpf_options {
	uint64_t buffer;	/* bytes of the ring buffer, rounded up to a power
				 * of two; 0: BPF_BUFFER
				 */
	bool comm;		/* changes of thread names, too */
	bool cgroups;		/* ops->add_cgroup() will be called */
	uint32_t record;	/* what is recorded on request, bit by bit, enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* of et_keep_env(); with ET_ENV_LISTED those listed; NULL: none */
	uint32_t refuse_storage;	/* for tests: of so many new ones in task storage
					 * one is refused, at first; 1: all, again and
					 * again; 0: none but what the kernel refuses
					 */
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
struct session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				 char *why, size_t size);

/**
 * bpf_session_release - trace nothing any more, until the next ops->add();
 * let out all that has come
 *
 * Return: 0 or -errno.
 */
int bpf_session_release(struct session *s);

/* What came, against what the programs say. */
struct bpf_account {
	struct eb_counts programs;
	uint64_t missed;	/* calls that a program did not see, being busy */
	uint64_t storage_refused;	/* how often there was no task storage, for a moment */
	unsigned int hooks_missing;	/* that this kernel does not offer */
	bool rings_hooked;	/* what rings do is seen from now on */
	const struct rec_tally *tally;
	uint64_t damaged;	/* records that make no sense */
	uint64_t resolved;	/* targets of links looked up afterwards */
	uint64_t unresolved;	/* of them, those of which nobody can tell any more */
	uint64_t untold;	/* of them, those of which nobody can without asking */
	uint64_t bytes;		/* read from the ring buffer */
	uint64_t buffer;	/* bytes of it */
	bool limited;		/* an old kernel: the limits of Documentation/bpf.md */
};

/** bpf_session_account - the present state, with what only BPF has */
void bpf_session_account(struct session *s, struct bpf_account *a);

#endif
