/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording, as shared by run and attach: options, outputs, the session, the loop
 * that reads, the progress line, and the verdict at the end.
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
	const char *backend;	/* NULL for auto */
	uint64_t buffer;
	uint32_t record;	/* --record: bits of enum et_where */
	char keep_env[ET_KEEP_ENV_MAX];	/* --keep-env */
	bool runs;		/* set by cmd_run.c: a command will be started */
	bool no_env;		/* --no-env */
	bool hash;		/* --hash */
	const char *hash_cache;	/* --hash-cache, NULL for the default, "" for none */
	uint64_t hash_max;	/* --hash-max: largest file that is hashed, bytes */
	bool strict, quiet, verbose, keep_module, open;
	bool top;		/* --top */
	const char *before;	/* --before, NULL if none */
	bool no_output;		/* only the view: the recording ends with it */
	const char *page;	/* the page to --open: one of @files, NULL if none */
	char *own_page;		/* @page, if it was added to @files for --open */
	enum term_when progress;
};

/* For a subcommand's command line. */
extern const struct opt_row record_rows[];

/**
 * record_options_take - fill them in from the command line
 *
 * Return: false after a message.
 */
bool record_options_take(struct record_options *o, const struct opts *opts);
void record_options_free(struct record_options *o);

/* ---- a recording ---- */

/**
 * record_new - create the outputs and the session; nothing but cgroups is traced yet
 * @u: the user whose rights to files are used for the outputs, NULL for our own; owned
 *	by the caller; must stay valid
 *
 * Return: NULL after a message.
 */
struct recording *record_new(const struct record_options *o, const struct user *u);

/** record_begun - the command or process is traced now: show the outputs, and rename old ones */
void record_begun(struct recording *r);

/** record_command - set the command line that the trace will contain; @argv: its words */
void record_command(struct recording *r, char **argv);

struct session *record_session(struct recording *r);

/** record_program - get the program that a traced process runs: see notable_program() */
bool record_program(struct recording *r, uint64_t upid, char *buf, size_t size);

/** record_child - in the command's process: keep its output off a view's terminal */
void record_child(const struct recording *r);

/** record_present - record the traced tasks that are already running */
void record_present(struct recording *r);

/**
 * record_signals - block the signals that the loop handles; call it before starting any child
 * @before: set to the previous mask
 */
void record_signals(struct recording *r, sigset_t *before);

/*
 * Called for each signal. @info: the signal and its sender.  Return: false
 * to end the loop.
 */
typedef bool record_signal_fn(void *ctx, const struct signalfd_siginfo *info);

/**
 * record_loop - record until @fn returns false
 * @till_idle: also end when no traced task is alive, and none can start in a cgroup
 */
void record_loop(struct recording *r, record_signal_fn *fn, void *ctx, bool till_idle);

/**
 * record_attach - record a running process, or cgroups, from beginning to end
 * @argv: the command's words, for the trace
 * @pid: 0 for cgroups only
 *
 * Return: the exit status.
 */
int record_attach(const struct record_options *o, const struct user *sudo, char **argv, pid_t pid);

/** is_pid - whether a word of the command line is a PID; *@pid is set then */
bool is_pid(const char *s, pid_t *pid);

/** record_keep_view - the recording has ended: keep the view until the user closes it */
void record_keep_view(struct recording *r);

/**
 * record_pause - before this program is stopped: write everything to disk, hide the progress line
 */
void record_pause(struct recording *r);

/**
 * record_end - stop, drain, compare counts, write the verdict, close, and print the summary
 * @status: exit status of the command, for the trace; -1 if none
 *
 * Return: whether the trace is complete.
 */
bool record_end(struct recording *r, int status);

void record_free(struct recording *r);

#endif
