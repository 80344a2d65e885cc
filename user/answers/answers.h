/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shared by all answers: opening the trace or database, files named by users,
 * text of commands, and the exit status.
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
 * answers_open - open a database, or a trace in any format with events of etrace
 * @files: @n names of files; standard input if none
 * @from: the format as for etrace-read --from, or NULL
 *
 * For a trace, a temporary database is made in TMPDIR, which db_close() removes.
 *
 * Return: the database, for db_close(); NULL after diag_fatal().
 */
struct db *answers_open(char **files, size_t n, const char *from, const struct opts *opts,
			struct diag *diag);

/**
 * answers_from - answers_open() for open inputs, which the caller keeps
 * @file: the name of the first input; NULL if it has none
 */
struct db *answers_from(const char *file, struct in **in, size_t n, const char *from,
			const struct opts *opts, struct diag *diag);

/** answers_are_there - whether an input is a database */
bool answers_are_there(struct in *in);

/** answers_understand - whether an input in format @from has events of etrace */
bool answers_understand(const char *from, struct in *in);

/**
 * answers_read - fill a database from db_create()
 * @in: the trace's @n inputs
 *
 * Return: false after diag_fatal().
 */
bool answers_read(struct db *db, struct in **in, size_t n, const char *from,
		  const struct opts *opts, struct diag *diag);

/**
 * answers_path - make an absolute path without ".", ".." and double slashes
 * @path: a path from the user, relative to the working directory
 */
void answers_path(struct buf *to, const char *path);

/**
 * answers_paths - split "A=B" into two paths, each as answers_path() makes it
 * @from, @to: set to them, freed by the caller; unchanged if it returns false
 *
 * Return: whether the text is of that form.
 */
bool answers_paths(const char *text, char **from, char **to);

/** answers_moved - append a path to @out; if it is within @from, if any, @to takes its place */
void answers_moved(struct buf *out, const char *path, size_t len, const char *from, const char *to);

/** answers_relative - a path relative to the directory in which the build was started */
void answers_relative(struct db *db, const struct buf *path, const char **s, size_t *len);

/**
 * answers_file - find the file that a user names
 *
 * Return: its id; 0 after diag_fatal() if the build did not touch it.  The message says which
 * program failed on it, or lists similar paths.
 */
uint32_t answers_file(struct db *db, const char *path);

/**
 * answers_failed_on - find the program whose failure kept a file from being made
 * @path: absolute path of the file
 * @without: set to whether the program only needed the file, and nobody failed on making it
 *
 * It is a failed program whose arguments name the file, or the call that made that
 * program fail. A program that read the file is none. Return: an exec; 0 if none.
 */
uint32_t answers_failed_on(struct db *db, const struct buf *path, bool *without);

/** answers_names - whether an argument of an exec is, or ends with, a path; @args: scratch space */
bool answers_names(struct db *db, uint32_t exec, const struct buf *path, struct buf *args);

/** answers_failed_last - the last exec in the chain of calls that made @exec fail */
uint32_t answers_failed_last(struct db *db, uint32_t exec);

/** answers_how_failed - append "cc1 failed on it, with exit status 1"; @without: "without it" */
void answers_how_failed(struct db *db, uint32_t exec, bool without, struct buf *to);

/** answers_not_made - call diag_fatal() if a program failed on a file. Return: whether one did */
bool answers_not_made(struct db *db, const struct buf *path);

/** answers_file_path - append the path of a file */
void answers_file_path(struct db *db, uint32_t file, struct buf *to);

/** answers_hides - whether a part of an exec's arguments is hidden because it looks secret */
bool answers_hides(struct db *db, uint32_t exec);

/** answers_args - append the arguments of an exec, each ended by a NUL. Return: their number */
size_t answers_args(struct db *db, uint32_t exec, struct buf *to);

/**
 * answers_work_args - the arguments of an exec, for work_of()
 * @words: holds their text; freed by the caller, after the result
 *
 * Return: an array of @n arguments, freed by the caller.
 */
struct work_arg *answers_work_args(struct db *db, uint32_t exec, struct buf *words, size_t *n);

/**
 * answers_label - append what an exec works on: "cc1 quotearg.c", "sh: makes version.h"
 * @output: the file that its job made; 0 if none
 */
void answers_label(struct db *db, uint32_t exec, uint32_t output, struct buf *to);

/** answers_command - append the arguments of an exec for a person, quoted for a shell */
void answers_command(struct db *db, uint32_t exec, struct buf *to);

/** answers_start - the directory (a file id) that the first program started in; 0 if unknown */
uint32_t answers_start(struct db *db);

/**
 * answers_realtime - CLOCK_REALTIME at the beginning of the trace, in ns since 1970
 *
 * Recorded in the trace. For older traces it is estimated as the median, over all written
 * files, of the mtime minus the time of the last write: programs may have set some of the
 * mtimes.
 *
 * Return: false if unknown.
 */
bool answers_realtime(struct db *db, int64_t *begin);

/**
 * answers_end - print what may be missing, and compute the exit status
 * @prog: the beginning of the message
 *
 * Prints to standard error what may be missing if the trace is incomplete. Return: 0
 * success, 1 the trace is incomplete, 2 error.
 */
int answers_end(struct db *db, struct diag *diag, const char *prog);

#endif
