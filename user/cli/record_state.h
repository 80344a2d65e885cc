/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of a recording share.  Only record*.c include this: record.c
 * begins and frees it, record_loop.c reads, record_end.c ends it and tells how,
 * record_made.c makes databases and pages of it.
 */
#ifndef ETRACE_RECORD_STATE_H
#define ETRACE_RECORD_STATE_H

#include <time.h>

#include "base/buf.h"
#include "record/notable.h"
#include "cli/aside.h"
#include "cli/record.h"
#include "cli/top.h"
#include "format/outputs.h"
#include "io/options.h"

#define RECORD_MS		1000000u	/* in ns */
/* The reader looks at the buffers at least so often, in ms. */
#define RECORD_TICK_MAX	250

/* Descriptors that are waited for beside those of the session: signals, its end, keys. */
#define RECORD_FDS	3u

/* A database or a page among the outputs: made of a recording of its own, in the end. */
struct record_made {
	const struct record_kind *kind;
	const char *path;
	char *recording;
	unsigned int output;	/* that, among the outputs */
	char fault[400];	/* "": it is there and whole */
};

struct recording {
	struct record_options opt;
	const struct user *user;	/* whose rights to files the outputs get; or NULL */
	struct record_made *made;
	size_t nmade, made_cap;
	struct outputs *outputs;
	struct sink *sink;
	struct sink events;	/* what the session fills: passes on to @sink */
	struct opts opts;
	struct diag *diag;
	struct buf command;	/* for a shell */
	struct session *session;
	struct cgroups *cgroups;	/* that are traced */
	struct notable *notable;
	struct top *top;	/* the view; NULL: none, or it has ended */
	struct aside *aside;	/* what the command printed meanwhile; or NULL */
	bool utf8;		/* the progress line can show more than ASCII */
	int signals;		/* signalfd */
	bool hurried;		/* a signal came that ends programs */
	struct pollfd *fds;
	bool poll_cpus;
	unsigned int strikes;
	int tick;		/* ms */
	uint64_t begun, synced, shown;	/* CLOCK_MONOTONIC, ns */
	int64_t realtime;	/* CLOCK_REALTIME less CLOCK_MONOTONIC when it began, ns */
};

/* ---- databases and pages: record_made.c ---- */

/** record_made_kind - what of that kind an output is to be, or NULL */
const struct record_kind *record_made_kind(const struct record_options *o, const char *path);

/** record_made_is_page - whether it is to be a page */
bool record_made_is_page(const struct record_options *o, const char *path);

/**
 * record_made_add - one more: opens the output that its recording goes to
 *
 * Return: false with @why, which may be "": all is said.
 */
bool record_made_add(struct recording *r, const struct record_kind *kind, const char *path,
		     char *why, size_t size);

/** record_made_begun - what is there goes on as NAME.old, as of outputs_appear() */
void record_made_begun(struct recording *r);

/** record_made_make - make all, once their recordings are closed.  Return: how many are not. */
unsigned int record_made_make(struct recording *r);

/** record_made_of - what is made of an output, or NULL */
const struct record_made *record_made_of(const struct recording *r, unsigned int output);

void record_made_free(struct recording *r);

/** record_end_view - what the command printed is shown, and the progress line goes on */
void record_end_view(struct recording *r);

/** record_reader - in a child, which reads what was recorded: with the rights of whom it is for */
void record_reader(struct recording *r, const char *doing);

/**
 * record_wait - wait for that child
 * @text: what is said after a second, a format with @path
 *
 * Return: of wait(), or -1: a signal came, and it was killed.
 */
int record_wait(struct recording *r, pid_t pid, const char *text, const char *path);

/* ---- what failed: record_failed.c ---- */

/**
 * record_failed - what failed first, and who tells more
 * @command: of a command that failed; else of processes that were there, if any of them did
 */
void record_failed(struct recording *r, uint64_t events, bool command);

/** record_interrupted - whether a signal that ends programs has arrived since the last call (record_loop.c) */
bool record_interrupted(struct recording *r);

/* A signal that ends programs. */
static inline bool record_ends_programs(const struct signalfd_siginfo *info)
{
	return info->ssi_signo == SIGINT || info->ssi_signo == SIGTERM ||
	       info->ssi_signo == SIGHUP || info->ssi_signo == SIGQUIT;
}

#endif
