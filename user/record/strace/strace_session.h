/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session recorded with strace: strace runs the command, and the recorder reads its log
 * while it is written. For machines where neither the module nor BPF can be used: it needs
 * no privileges, only permission to trace its own children (ptrace).
 *
 * Tracing begins with wrap(), since strace traces only what it starts.  When the command
 * has ended, strace is made to detach from the tasks that outlive it; and if the recorder
 * is killed, another process continues to read: see guard.h.
 */
#ifndef ETRACE_STRACE_SESSION_H
#define ETRACE_STRACE_SESSION_H

#include "record/session.h"
#include "io/formats.h"

struct strace_options {
	uint32_t record;	/* what to record on request: 1 << enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* list for et_keep_env(), or that of ET_ENV_LISTED; NULL if none */
	bool comm;		/* record names of threads, too */
};

/**
 * strace_session_open - open a session that traces nothing yet
 * @sink: gets each struct et_event; the caller frees it
 * @why: on failure, what is wrong and what to do, for a message
 *
 * Return: the session, or NULL.
 */
struct session *strace_session_open(const struct strace_options *opt, struct sink *sink,
				    char *why, size_t size);

/* Text for a message: the disadvantages of recording with strace. */
extern const char strace_session_costs[];

#endif
