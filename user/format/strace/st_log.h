/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Turns a log of strace into events of the etrace model.  It takes the lines in the order
 * of time, and works out which task each belongs to and where its files lie.
 *
 * Parts of an event that strace does not report are marked.  A name is the one that the
 * kernel resolved if strace shows it (-y, for opened files), else the program's own,
 * appended to the path of its directory (ET_JOINED).  Programs have the name that execve
 * was given, unless struct st_asks resolves it.
 *
 * Memory: the live tasks and descriptors; and, if a child's lines come before its parent's
 * call shows its pid, the lines in between, up to ST_HELD_LINES.
 */
#ifndef ETRACE_ST_LOG_H
#define ETRACE_ST_LOG_H

#include "format/strace/st_line.h"
#include "io/diag.h"
#include "io/formats.h"

#define ST_HELD_LINES	65536u
#define ST_HELD_BYTES	(64u << 20)

struct st_log;

/* Identity of a file, as stat(2) reports it. */
struct st_identity {
	uint32_t dev, type;
	uint64_t ino, size;
	int64_t mtime;
};

/* When something was done, by the log's times: begin and end in ns. */
struct st_span {
	uint64_t since, until;
};

/* Callbacks that look at files while the log is being written. */
struct st_asks {
	void *ctx;
	/*
	 * The file that a program is run from: puts its path where no link is left
	 * into @path, and if it is a script, the program that runs it and its one
	 * argument into @interp and @arg.  Each has a NUL behind, or is "".
	 * Return: false if it cannot be found.
	 */
	bool (*program)(void *ctx, const char *name, char *path, char *interp, char *arg,
			size_t size);
	/* The path of a directory where no link is left.  Return: false if it cannot be found. */
	bool (*directory)(void *ctx, const char *name, char *path, size_t size);
	/*
	 * The file that was opened by a path.  @creates: it may have been made by that.
	 * Return: false if it is not certain what it was then.
	 */
	bool (*opened)(void *ctx, const char *path, struct st_span when, bool creates,
		       struct st_identity *id);
	/*
	 * A file after the last write to it: it was closed, or its program ended or
	 * called execve.
	 * Return: false if it is not certain what it was then.
	 */
	bool (*written)(void *ctx, const char *path, struct st_span when, struct st_identity *id);
};

struct st_log_options {
	const char *cwd;	/* of the first task, NULL if unknown */
	const struct st_asks *asks;	/* NULL if none */
	uint32_t record;	/* events on request, bit by bit, enum et_where, ET_ENV_LISTED */
	const char *keep_env;	/* of et_keep_env(); with ET_ENV_LISTED those listed; NULL: none */
	bool no_comm;		/* do not record names of threads */
};

/**
 * st_log_new - a log of which nothing has been read
 * @sink: takes struct et_event
 * @diag: counts what is missing or damaged
 */
struct st_log *st_log_new(const struct st_log_options *opt, struct sink *sink, struct diag *diag);

/* Where a line stands. */
struct st_place {
	const char *file;	/* lives as long as the log */
	uint64_t number;	/* from 1 */
	int64_t pid;		/* for a line without a pid; -1 if unknown */
};

/**
 * st_log_line - the next line
 * @at: its time, ns; later lines are not earlier
 *
 * Return: 0 or the sink's negative errno.
 */
int st_log_line(struct st_log *log, const struct st_line *line, uint64_t at,
		const struct st_place *place);

/** st_log_end - there are no more lines.  Return: 0 or the sink's negative errno. */
int st_log_end(struct st_log *log);

/** st_log_knows - whether calls of that name are recorded */
bool st_log_knows(struct st_text name);

/** st_log_events - number of events emitted so far */
uint64_t st_log_events(const struct st_log *log);

/** st_log_first_lives - whether the first task lives; false if there was none */
bool st_log_first_lives(const struct st_log *log);

/** st_log_living - the upids of live tasks, at most @max.  Return: how many. */
size_t st_log_living(const struct st_log *log, uint64_t *upids, size_t max);

/** st_log_joined - number of names that are the program's, not resolved by the kernel */
uint64_t st_log_joined(const struct st_log *log);

/* Counted in the log's diag: strings that strace cut. */
extern const struct diag_kind st_cut_strings;

/**
 * st_log_calls - the calls strace is to print, for its option -e: "trace=..."
 * @record: events on request, bit by bit, enum et_where
 *
 * strace ignores calls that it does not know.  Return: text that the caller frees.
 */
char *st_log_calls(uint32_t record);

/*
 * Calls of which strace need not print what they read and write, for its option -e:
 * their numbers say enough.  ST_RAW_OUTPUT: where that of descriptors 1 and 2 is dumped;
 * of a vector, a dump ends at its first empty piece.
 */
#define ST_RAW_OUTPUT "raw=?read,?readv,?pread64,?preadv,?preadv2,?recvfrom,?write,?pwrite64,?sendto,?sendmmsg,?mmap,?mmap2"
#define ST_RAW ST_RAW_OUTPUT ",?writev,?pwritev,?pwritev2,?sendmsg"

/** st_log_incomplete - number of events that lack something */
uint64_t st_log_incomplete(const struct st_log *log);

/** st_log_run_error - errno of why the first program could not run; 0 if it ran, or unknown */
int st_log_run_error(const struct st_log *log);

/** st_log_env - which environment variables the log has: see et_env_recorded() */
const char *st_log_env(const struct st_log *log);

/** st_log_alive - number of live tasks, as far as the log shows */
size_t st_log_alive(const struct st_log *log);

void st_log_free(struct st_log *log);

/* ---- times of a file's lines ---- */

/* What is known of a file's times. */
struct st_times {
	bool apart;		/* one file for each task: a line's time is its call's begin */
	uint64_t now;		/* ns, no line is later; 0 if the log is not being written */
	uint64_t last;		/* ns, of the line before */
	uint64_t days;		/* ns of whole days since the first line */
	uint64_t day;		/* the clock of the line before */
	int64_t ahead;		/* ns that the clock was set forward since the first line */
	uint64_t sets;		/* how often it was set */
};

/**
 * st_time - when a line was written, ns: never before the one before it
 *
 * The result is on a clock that is never set.  A line earlier than the one before it, or
 * later than now, shows that the log's clock was set.
 */
uint64_t st_time(struct st_times *t, const struct st_line *line);

#endif
