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
	/* size of each buffer of the backend, in bytes; 0 to choose one that suits the machine */
	uint64_t buffer;
	bool runs;		/* a command will be started, and recorded */
	bool cgroups;		/* processes in cgroups are recorded, too */
	bool quiet;
	bool comm;		/* record changes of thread names, too */
	uint32_t record;	/* what --record asks for: bits of enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* list for et_keep_env(), or that of ET_ENV_LISTED; NULL if none */
};

/**
 * session_open - open a session of a backend, which traces nothing yet
 * @name: name of the backend; "auto" or NULL for the first one that works
 * @verbose: print which one is used, and why earlier ones cannot be
 * @sink: gets each struct et_event; the caller frees it
 * @why: on failure, what is wrong with each and what to do, for the user
 *
 * Return: the session, or NULL.
 */
struct session *session_open(const char *name, const struct session_options *opt,
			     bool verbose, struct sink *sink, char *why, size_t size);

#endif
