/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: what run and attach have in common.  Options, outputs, the
 * session, the loop that reads, the progress line, and at the end the verdict.
 */
#ifndef ETRACE_RECORD_H
#define ETRACE_RECORD_H

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

#include "cli/caller.h"
#include "event/schema.h"
#include "record/session.h"
#include "cli/term.h"
#include "io/options.h"

struct recording;

/* ---- options: record_options.c ---- */

struct record_options {
	const char **files;	/* -o */
	size_t nfiles, files_cap;
	const char **cgroups;	/* --cgroup */
	size_t ncgroups, cgroups_cap;
	const char *to;
	const char *backend;	/* NULL: auto */
	uint64_t buffer;
	uint32_t record;	/* --record: bit by bit, enum et_where */
	char keep_env[ET_KEEP_ENV_MAX];	/* --keep-env */
	bool runs;		/* by cmd_run.c: a command is to be started */
	bool no_env;		/* --no-env */
	bool strict, quiet, verbose, keep_module, open;
	bool top;		/* --top */
	const char *before;	/* --before; NULL: none */
	bool no_output;		/* there is nothing but the view, and what it shows ends with it */
	const char *page;	/* of --open: one of @files */
	char *own_page;		/* it, if it was not among them */
	enum term_when progress;
};

/* For a subcommand's command line. */
extern const struct opt_row record_rows[];

/**
 * record_options_take - set what options of the command line say
 *
 * Return: false after a message.
 */
bool record_options_take(struct record_options *o, const struct opts *opts);
void record_options_free(struct record_options *o);

/* ---- a recording ---- */

/**
 * record_new - create the outputs and the session; nothing is traced yet, but cgroups
 * @u: whose rights to files are used for the outputs; NULL: one's own; stays the
 *	caller's, and there
 *
 * Return: NULL after a message.
 */
struct recording *record_new(const struct record_options *o, const struct user *u);

/** record_begun - what is to be recorded is there: outputs appear, and old ones make room */
void record_begun(struct recording *r);

/** record_command - what is recorded, for the trace: words, as argv */
void record_command(struct recording *r, char **argv);

struct session *record_session(struct recording *r);

/** record_program - what a traced process runs: see notable_program() */
bool record_program(struct recording *r, uint64_t upid, char *buf, size_t size);

/** record_child - in the command's process: the terminal is the view's, if there is one */
void record_child(const struct recording *r);

/** record_present - tell the trace of the tasks that are there already */
void record_present(struct recording *r);

/**
 * record_signals - block the signals that the loop takes; before any child
 * @before: set to the mask before that
 */
void record_signals(struct recording *r, sigset_t *before);

/*
 * Told of a signal that came.  @info: which, and from whom.  Return: false to
 * end the loop.
 */
typedef bool record_signal_fn(void *ctx, const struct signalfd_siginfo *info);

/**
 * record_loop - record until @fn returns false
 * @till_idle: also until no traced task lives, and no cgroup is there in which one
 *	could come to be
 */
void record_loop(struct recording *r, record_signal_fn *fn, void *ctx, bool till_idle);

/**
 * record_attach - record a process that runs, or cgroups: all of it
 * @argv: the command's words, for the trace
 * @pid: 0: cgroups only
 *
 * Return: the exit status.
 */
int record_attach(const struct record_options *o, const struct user *sudo, char **argv, pid_t pid);

/** is_pid - whether a word of the command line is a PID; *@pid is set then */
bool is_pid(const char *s, pid_t *pid);

/** record_keep_view - what was recorded is over: the view stays until it is ended */
void record_keep_view(struct recording *r);

/** record_pause - before the program is stopped: everything to disk, line away */
void record_pause(struct recording *r);

/**
 * record_end - stop, drain, compare, write the verdict, close, and tell
 * @status: of the command, for the trace; -1: there is none
 *
 * Return: whether the trace is complete.
 */
bool record_end(struct recording *r, int status);

void record_free(struct recording *r);

#endif
