/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Turns a log of strace into events of the etrace model.  It takes the lines in time order,
 * and works out the task of each line and the paths of its files.
 *
 * Parts of an event that strace does not print are marked.  A name is the one that the
 * kernel resolved if strace prints it (-y, for opened files), else the program's own,
 * appended to the path of its directory (ET_JOINED).  A program has the name that was
 * passed to execve, unless struct st_asks resolves it.
 *
 * Memory holds the live tasks and descriptors.  If a child's lines come before its parent's
 * call shows the child's pid, the lines in between are held, up to ST_HELD_LINES.
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

/* Begin and end of a call, ns by the log's clock. */
struct st_span {
	uint64_t since, until;
};

/* A file that a call opened or ran. */
struct st_opened {
	const char *path;
	struct st_span when;
	bool creates;		/* the call may have created it */
	int64_t pid, fd;	/* the task, and its descriptor of the file; -1 if it ran the file */
};

/* Callbacks that look at files while the log is being written. */
struct st_asks {
	void *ctx;
	/*
	 * Find the file of a program.  @path: set to its path without links; @interp and
	 * @arg: for a script, set to its interpreter and the one argument for that, else
	 * to "".  @size: bytes of each buffer.
	 * Return: false if it cannot be found.
	 */
	bool (*program)(void *ctx, const char *name, char *path, char *interp, char *arg,
			size_t size);
	/* Path of a directory without links.  Return: false if it cannot be found. */
	bool (*directory)(void *ctx, const char *name, char *path, size_t size);
	/*
	 * Identity of the file that was opened.
	 * Return: false if it is uncertain which file it was at that time.
	 */
	bool (*opened)(void *ctx, const struct st_opened *file, struct st_identity *id);
	/*
	 * Identity of a file after the last write to it: when it was closed, or its program
	 * ended or called execve.
	 * Return: false if it is uncertain which file it was at that time.
	 */
	bool (*written)(void *ctx, const char *path, struct st_span when, struct st_identity *id);
};

struct st_log_options {
	const char *cwd;	/* working directory of the first task, NULL if unknown */
	const struct st_asks *asks;	/* NULL if none */
	uint32_t record;	/* events on request: bits of enum et_where, ET_ENV_LISTED */
	/* variables for et_keep_env(); with ET_ENV_LISTED only these; NULL if none */
	const char *keep_env;
	bool no_comm;		/* do not record names of threads */
};

/**
 * st_log_new - create a log, before its first line
 * @sink: gets struct et_event
 * @diag: gets what is missing or damaged
 */
struct st_log *st_log_new(const struct st_log_options *opt, struct sink *sink, struct diag *diag);

/* Place of a line in its file. */
struct st_place {
	const char *file;	/* lives as long as the log */
	uint64_t number;	/* line number, from 1 */
	int64_t pid;		/* pid for lines that show none; -1 if unknown */
};

/**
 * st_log_line - process the next line
 * @at: time of the line, ns; not before the previous line's
 *
 * Return: 0 or the sink's negative errno.
 */
int st_log_line(struct st_log *log, const struct st_line *line, uint64_t at,
		const struct st_place *place);

/** st_log_end - process the end of the log.  Return: 0 or the sink's negative errno. */
int st_log_end(struct st_log *log);

/** st_log_knows - whether the calls table has a name */
bool st_log_knows(struct st_text name);

/** st_log_events - number of events emitted so far */
uint64_t st_log_events(const struct st_log *log);

/** st_log_first_lives - whether the first task lives; false if there was none */
bool st_log_first_lives(const struct st_log *log);

/** st_log_living - get the upids of at most @max live tasks.  Return: their number. */
size_t st_log_living(const struct st_log *log, uint64_t *upids, size_t max);

/** st_log_joined - number of names that are the program's, not resolved by the kernel */
uint64_t st_log_joined(const struct st_log *log);

/* Strings that strace cut, counted in the log's diag. */
extern const struct diag_kind st_cut_strings;

/**
 * st_log_calls - get the calls that strace must print, for its option -e: "trace=?..."
 * @record: events on request: bits of enum et_where
 *
 * With "?", strace ignores calls that it does not know.  Return: text that the caller frees.
 */
char *st_log_calls(uint32_t record);

/*
 * Calls whose arguments strace prints as raw numbers, for its option -e: the data that they
 * read and write are not needed, random bytes included.  ST_RAW_OUTPUT: for a log with dumps of
 * descriptors 1 and 2.  It has no calls that write vectors, because their dumps end at the first
 * empty piece.
 */
#define ST_RAW_OUTPUT "raw=?read,?readv,?pread64,?preadv,?preadv2,?recvfrom,?write,?pwrite64,?sendto,?sendmmsg,?mmap,?mmap2,?getrandom"
#define ST_RAW ST_RAW_OUTPUT ",?writev,?pwritev,?pwritev2,?sendmsg"

/** st_log_incomplete - number of events that lack something */
uint64_t st_log_incomplete(const struct st_log *log);

/** st_log_run_error - errno of the first program's execve; 0 if it ran, or unknown */
int st_log_run_error(const struct st_log *log);

/** st_log_env - which environment variables the log has: see et_env_recorded() */
const char *st_log_env(const struct st_log *log);

/** st_log_alive - number of live tasks, as far as the log shows */
size_t st_log_alive(const struct st_log *log);

void st_log_free(struct st_log *log);

#endif
