/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session of the BPF backend: loads the programs with their own maps, traces tasks
 * with them, and turns their records into events.  It ends with the process that opened
 * it: nothing is pinned.  The caller decides which tasks are traced.
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
	bool comm;		/* record changes of thread names */
	bool cgroups;		/* ops->add_cgroup() will be called */
	uint32_t record;	/* on request: bits by enum et_where, and ET_ENV_LISTED */
	const char *keep_env;	/* list for et_keep_env(), or that of ET_ENV_LISTED; NULL if none */
	uint32_t refuse_storage;	/* for tests: refuse every n-th new entry of task
					 * storage once; 1: refuse all of them, always;
					 * 0: refuse none
					 */
};
#define BPF_BUFFER	(32u << 20)
#define BPF_BUFFER_MAX	(1u << 30)

/* Number of low bits of a upid that hold the thread id. */
#define BPF_PID_BITS	22u

/**
 * bpf_available - whether a session can be opened on this machine; loads nothing
 * @why: if not, the reason and what to do about it, for the user
 */
bool bpf_available(char *why, size_t size);

/**
 * bpf_session_open - open a session that traces nothing yet
 * @sink: gets each struct et_event; the caller frees it
 * @why: on error, the reason and what to do about it, for the user
 *
 * Return: the session, or NULL on error.
 */
struct session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				 char *why, size_t size);

/**
 * bpf_session_release - stop tracing until the next ops->add(), and pass all
 * events recorded so far to the sink
 *
 * Return: 0 or -errno.
 */
int bpf_session_release(struct session *s);

/* Counts of what was received, and of what the programs sent. */
struct bpf_account {
	struct eb_counts programs;
	uint64_t missed;	/* calls that a program missed because it was busy */
	uint64_t storage_refused;	/* times that task storage was not immediately available */
	unsigned int hooks_missing;	/* number of hooks that this kernel does not have */
	bool rings_hooked;	/* the programs for io_urings are attached */
	const struct rec_tally *tally;
	uint64_t damaged;	/* records that make no sense */
	uint64_t resolved;	/* targets of symbolic links that were looked up */
	uint64_t unresolved;	/* number of @resolved: EB_TARGET_UNKNOWN */
	uint64_t untold;	/* number of @resolved: EB_TARGET_UNTOLD */
	uint64_t bytes;		/* bytes read from the ring buffer */
	uint64_t buffer;	/* size of the ring buffer in bytes */
	bool limited;		/* an old kernel: the limits of Documentation/bpf.md apply */
};

/** bpf_session_account - get the current counts */
void bpf_session_account(struct session *s, struct bpf_account *a);

#endif
