/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State shared by the parts of a recording.  Only record*.c include this: record.c
 * begins and frees it, record_loop.c reads, record_end.c ends it and prints the summary,
 * record_made.c makes databases and pages from it.
 */
#ifndef ETRACE_RECORD_STATE_H
#define ETRACE_RECORD_STATE_H

#include <time.h>

#include "base/buf.h"
#include "record/notable.h"
#include "cli/aside.h"
#include "cli/record.h"
#include "cli/top.h"
#include "content/contents.h"
#include "format/outputs.h"
#include "io/options.h"

#define RECORD_MS		1000000u	/* in ns */
/* The reader looks at the buffers at least this often, in ms. */
#define RECORD_TICK_MAX	250

/* Descriptors to wait for, besides those of the session: signals, the session's end, keys. */
#define RECORD_FDS	3u

/* A database or a page among the outputs: made at the end, from a separate recording. */
struct record_made {
	const struct record_kind *kind;
	const char *path;
	char *recording;
	unsigned int output;	/* number of @recording among the outputs */
	char fault[400];	/* "" if it was made and is complete */
};

struct recording {
	struct record_options opt;
	char listed[ET_KEEP_ENV_MAX];	/* variables of ET_ENV_LISTED */
	const struct user *user;	/* whose rights to files are used for outputs; or NULL */
	struct record_made *made;
	size_t nmade, made_cap;
	struct outputs *outputs;
	struct sink *sink;
	struct contents *contents;	/* hashes files for --hash, else NULL */
	struct content_cache *hashes;	/* NULL without --hash, or if it cannot be opened */
	struct sink events;	/* gets the session's events, and passes them on to @sink */
	struct opts opts;
	struct diag *diag;
	struct buf command;	/* quoted for a shell */
	struct session *session;
	struct cgroups *cgroups;	/* traced cgroups */
	struct notable *notable;
	struct top *top;	/* the view, NULL if none, or if it has ended */
	struct aside *aside;	/* output of the command during the view; or NULL */
	bool utf8;		/* the progress line can show more than ASCII */
	int signals;		/* signalfd */
	bool hurried;		/* a signal that ends programs has arrived */
	struct pollfd *fds;
	bool poll_cpus;
	unsigned int strikes;
	int tick;		/* interval between checks of the buffers, ms */
	uint64_t begun, synced, shown;	/* CLOCK_MONOTONIC, ns */
	int64_t realtime;	/* CLOCK_REALTIME minus CLOCK_MONOTONIC at the beginning, ns */
};

/* ---- databases and pages: record_made.c ---- */

/**
 * record_made_kind - the kind of an output that is made at the end, NULL if it is another output
 */
const struct record_kind *record_made_kind(const struct record_options *o, const char *path);

/** record_made_is_page - whether an output is to be a page */
bool record_made_is_page(const struct record_options *o, const char *path);

/**
 * record_made_add - add an output: opens the file for its recording
 *
 * Return: false with @why, which may be "" if a message was printed.
 */
bool record_made_add(struct recording *r, const struct record_kind *kind, const char *path,
		     char *why, size_t size);

/** record_made_begun - rename existing files to NAME.old, as outputs_appear() does */
void record_made_begun(struct recording *r);

/**
 * record_made_make - make all outputs, once their recordings are closed.
 *
 * Return: number of failures.
 */
unsigned int record_made_make(struct recording *r);

/** record_made_of - the database or page that is made from an output, NULL if none */
const struct record_made *record_made_of(const struct recording *r, unsigned int output);

void record_made_free(struct recording *r);

/**
 * record_end_view - end the view: show the command's output, and continue with the progress line
 */
void record_end_view(struct recording *r);

/** record_reader - in a child that reads the recording: take on the rights of its user */
void record_reader(struct recording *r, const char *doing);

/**
 * record_wait - wait for the child of record_reader()
 * @text: message after one second, a format with @path
 *
 * Return: status from wait(), or -1 if a signal arrived and the child was killed.
 */
int record_wait(struct recording *r, pid_t pid, const char *text, const char *path);

/* ---- what failed: record_failed.c ---- */

/**
 * record_failed - print what failed first, and which command shows more
 * @command: a command has failed; otherwise print only if a recorded process has failed
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
