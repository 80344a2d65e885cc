/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What all answers share: the trace or database that is asked, paths as people
 * give them, and how an answer ends.
 */
#ifndef ETRACE_ANSWERS_H
#define ETRACE_ANSWERS_H

#include "base/buf.h"
#include "timeline/work.h"
#include "db/db.h"
#include "io/in.h"
#include "io/options.h"
#include "io/out.h"

/**
 * answers_open - a trace of any format that has events of etrace, or a database
 * @files: its @n names; none: standard input
 * @from: the format as of etrace-read --from, or NULL
 *
 * A trace becomes a database of its own, in temporary storage (TMPDIR), that is
 * gone with it.
 *
 * Return: it, for db_close(); NULL after diag_fatal().
 */
struct db *answers_open(char **files, size_t n, const char *from, const struct opts *opts,
			struct diag *diag);

/**
 * answers_from - the same of inputs that are open, and stay the caller's
 * @file: the name of the first; NULL: it has none
 */
struct db *answers_from(const char *file, struct in **in, size_t n, const char *from,
			const struct opts *opts, struct diag *diag);

/** answers_are_there - whether an input is a database */
bool answers_are_there(struct in *in);

/** answers_understand - whether an input of that format has events of etrace */
bool answers_understand(const char *from, struct in *in);

/**
 * answers_read - fill a database that db_create() made
 * @in: the trace's @n inputs
 *
 * Return: false after diag_fatal().
 */
bool answers_read(struct db *db, struct in **in, size_t n, const char *from,
		  const struct opts *opts, struct diag *diag);

/**
 * answers_path - an absolute path without ".", ".." and double slashes
 * @path: as the user gave it, relative to the working directory
 */
void answers_path(struct buf *to, const char *path);

/**
 * answers_file - the file that a user means
 *
 * Return: its id; 0 after diag_fatal(), which says who failed on it, or names the nearest
 * paths, if the build did not touch it.
 */
uint32_t answers_file(struct db *db, const char *path);

/**
 * answers_failed_on - the program that failed, so that a file was not made
 * @path: the file's, absolute
 *
 * One whose arguments name it and that failed, or what it failed of.  Return: an exec; 0: none did.
 */
uint32_t answers_failed_on(struct db *db, const struct buf *path);

/** answers_names - whether an argument of an exec is a path, or ends with it; @args: for its use */
bool answers_names(struct db *db, uint32_t exec, const struct buf *path, struct buf *args);

/** answers_failed_last - the call that an exec failed of, and so on down; or itself */
uint32_t answers_failed_last(struct db *db, uint32_t exec);

/** answers_how_failed - "cc1 failed on it, with exit status 1"; appended */
void answers_how_failed(struct db *db, uint32_t exec, struct buf *to);

/** answers_not_made - say that a program failed on a file.  Return: false: none did; else after diag_fatal() */
bool answers_not_made(struct db *db, const struct buf *path);

/** answers_file_path - the path of a file; appended */
void answers_file_path(struct db *db, uint32_t file, struct buf *to);

/** answers_hides - whether something of the arguments of an exec is not shown: it looks secret */
bool answers_hides(struct db *db, uint32_t exec);

/** answers_args - the arguments of an exec: each with a NUL behind it; appended.  Return: how many */
size_t answers_args(struct db *db, uint32_t exec, struct buf *to);

/**
 * answers_work_args - the same for work_of()
 * @words: where the arguments stand; the caller frees it
 *
 * Return: @n of them, to be freed.
 */
struct work_arg *answers_work_args(struct db *db, uint32_t exec, struct buf *words, size_t *n);

/**
 * answers_label - what an exec works at: "cc1 quotearg.c", "sh: makes version.h"; appended
 * @output: the file that its job made; 0: none
 */
void answers_label(struct db *db, uint32_t exec, uint32_t output, struct buf *to);

/** answers_command - the arguments of an exec for a person, quoted for a shell; appended */
void answers_command(struct db *db, uint32_t exec, struct buf *to);

/** answers_start - the directory (a file) in which the first program was started; 0: not known */
uint32_t answers_start(struct db *db);

/**
 * answers_realtime - what CLOCK_REALTIME was when the trace began, ns since 1970
 *
 * As the recording says; of older ones, files say when they were written, and the trace
 * does.  The middle of all, because some have times that were set.
 *
 * Return: false: neither tells.
 */
bool answers_realtime(struct db *db, int64_t *begin);

/**
 * answers_end - say whether the trace was complete
 * @prog: what the message begins with
 *
 * Writes "may be missing" to standard error if not.  Return: the exit status, 0, 1, 2.
 */
int answers_end(struct db *db, struct diag *diag, const char *prog);

#endif
