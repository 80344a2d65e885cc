/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chooses between the backends: the kernel module, BPF programs, or strace.
 * The table of them is in session.c.
 */
#ifndef ETRACE_CLI_SESSION_H
#define ETRACE_CLI_SESSION_H

#include "record/session.h"
#include "io/formats.h"

struct session_options {
	/* bytes of each buffer that the backend has; 0 for what suits the machine */
	uint64_t buffer;
	bool runs;		/* what is recorded will be started */
	bool cgroups;		/* processes in cgroups are recorded, too */
	bool quiet;
	bool comm;		/* record changes of thread names, too */
	uint32_t record;	/* what is recorded on request, bit by bit, enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* of et_keep_env(), or those of ET_ENV_LISTED; NULL if none */
};

/**
 * session_open - open a session of a backend, which traces nothing yet
 * @name: of the backend; "auto" or NULL for the first that works
 * @verbose: print which one, and why not those before it
 * @sink: takes struct et_event; stays the caller's
 * @why: on failure, what is wrong with each and what to do, for the user
 *
 * Return: the session, or NULL.
 */
struct session *session_open(const char *name, const struct session_options *opt,
			     bool verbose, struct sink *sink, char *why, size_t size);

#endif
