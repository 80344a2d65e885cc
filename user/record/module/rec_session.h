/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A session of the module: opens one on /dev/etrace (kernel/etrace_ioctl.h), and turns the
 * per-CPU pages of its ring buffer into events.  The program that uses it decides which
 * tasks are traced.
 */
#ifndef ETRACE_REC_SESSION_H
#define ETRACE_REC_SESSION_H

#include <stddef.h>

#include "record/session.h"
#include "io/formats.h"

#define REC_DEVICE "/dev/etrace"

struct rec_options {
	/*
	 * Size of the buffer of each CPU in bytes; 0 to choose one that suits the machine.
	 */
	uint64_t buffer;
	bool comm;		/* record changes of thread names, too */
	uint32_t record;	/* what to record on request: 1 << enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* list for et_keep_env(), or that of ET_ENV_LISTED; NULL if none */
};

/**
 * rec_session_open - open a session that traces nothing yet
 * @fd: an open REC_DEVICE; the session closes it, also on failure
 * @sink: gets each struct et_event; the caller frees it
 * @why: on failure, what is wrong and what to do, for a message
 *
 * Return: the session, or NULL.
 */
struct session *rec_session_open(int fd, const struct rec_options *opt, struct sink *sink,
				 char *why, size_t size);

#endif
