/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Loads the BPF programs of a session into the kernel: chooses those that the kernel
 * accepts, sets their options, attaches and detaches them.
 */
#ifndef ETRACE_PROGRAMS_H
#define ETRACE_PROGRAMS_H

#include "record/bpf/bpf_session.h"
#include "record/bpf/uring.h"

struct programs {
	struct etrace_bpf *skel;
	unsigned int hooks_missing;	/* number of hooks that this kernel does not have */
	bool old;		/* use the programs for kernels before 5.17 */
	bool by_perf;		/* use the programs that perf calls at tracepoints */
	bool hooks_by_perf;	/* use the programs that perf calls as hooks */
	struct uring uring;	/* loaded once a traced task has a ring */
};

/**
 * programs_load - load the programs that this kernel accepts, not attached yet
 * @p: zeroed; the caller must call programs_unload(), also on error
 * @why: on error, the reason and what to do about it, for the user
 */
bool programs_load(struct programs *p, const struct bpf_options *opt, char *why, size_t size);

/** programs_attach - attach the programs; @why as in programs_load() */
bool programs_attach(struct programs *p, char *why, size_t size);

/** programs_see_rings - once a traced task has an io_uring, load the programs for rings;
 * called each time that the ring buffer is read
 */
void programs_see_rings(struct programs *p);

/** programs_fault - write to @why that @doing failed, and what libbpf said about it */
void programs_fault(const char *doing, int err, char *why, size_t size);

/**
 * programs_detach_tracepoints - detach all programs except the hooks and those for rings
 *
 * Detaching those is slow; they do nothing once bss->tracing is off.
 */
void programs_detach_tracepoints(struct programs *p);

/**
 * programs_unload - unload all programs
 *
 * A process named etrace-detach detaches the last of them in the background, which
 * takes about a second.
 */
void programs_unload(struct programs *p);

#endif
