/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of a recording share.  Only record*.c include this: record.c
 * begins and frees it, record_loop.c reads, record_end.c ends it and tells how.
 */
#ifndef ETRACE_RECORD_STATE_H
#define ETRACE_RECORD_STATE_H

#include <time.h>

#include "base/buf.h"
#include "build/notable.h"
#include "cli/record.h"
#include "convert/outputs.h"
#include "io/options.h"

#define RECORD_MS		1000000u	/* in ns */
/* The reader looks at the buffers at least so often, in ms. */
#define RECORD_TICK_MAX	250

struct recording {
	struct record_options opt;
	struct outputs *outputs;
	struct sink *sink;
	struct sink events;	/* what the session fills: passes on to @sink */
	struct opts opts;
	struct diag *diag;
	struct buf command;	/* for a shell */
	struct session *session;
	struct notable *notable;
	int signals;		/* signalfd */
	bool hurried;		/* a signal came that ends programs */
	struct pollfd *fds;
	bool poll_cpus;
	unsigned int strikes;
	int tick;		/* ms */
	uint64_t begun, synced, shown;	/* CLOCK_MONOTONIC, ns */
};

static inline uint64_t record_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* A signal that ends programs. */
static inline bool record_ends_programs(const struct signalfd_siginfo *info)
{
	return info->ssi_signo == SIGINT || info->ssi_signo == SIGTERM ||
	       info->ssi_signo == SIGHUP || info->ssi_signo == SIGQUIT;
}

#endif
