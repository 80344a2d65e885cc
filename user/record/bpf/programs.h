/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The BPF programs of a session, in the kernel: which of them it takes, how they
 * are told what they have to know, and how they go again.
 */
#ifndef ETRACE_PROGRAMS_H
#define ETRACE_PROGRAMS_H

#include "record/bpf/bpf_session.h"
#include "record/bpf/uring.h"

struct programs {
	struct etrace_bpf *skel;
	unsigned int hooks_missing;	/* that this kernel does not offer */
	bool old;		/* the programs for kernels before 5.17 */
	bool by_perf;		/* those that perf calls */
	bool hooks_by_perf;	/* of the hooks */
	struct uring uring;	/* once a traced task has a ring */
};

/**
 * programs_load - those that this kernel takes; nothing calls them yet
 * @p: zeroed; programs_unload() is for the caller to call, also on failure
 * @why: on failure, what is wrong and what to do, for a person
 */
bool programs_load(struct programs *p, const struct bpf_options *opt, char *why, size_t size);

/** programs_attach - they are called from now on; @why as above */
bool programs_attach(struct programs *p, char *why, size_t size);

/** programs_see_rings - if a traced task has its first io_uring; for each reading */
void programs_see_rings(struct programs *p);

/** programs_fault - into @why: @doing failed, and what libbpf said of it */
void programs_fault(const char *doing, int err, char *why, size_t size);

/**
 * programs_detach_tracepoints - all but the hooks and those for rings, for which the
 * kernel takes its time; they do nothing once bss->tracing is off
 */
void programs_detach_tracepoints(struct programs *p);

/**
 * programs_unload - the last of them are taken off behind this call's back, by a
 * process named etrace-detach, which takes a second
 */
void programs_unload(struct programs *p);

#endif
