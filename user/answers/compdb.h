/* SPDX-License-Identifier: LGPL-2.1 */
/* Compilation databases: compile_commands.json, as Clang's tools read it. */
#ifndef ETRACE_COMPDB_H
#define ETRACE_COMPDB_H

#include "answers/answers.h"

enum compdb_style {
	COMPDB_ARGUMENTS,	/* arguments as a list, absolute paths */
	COMPDB_CMAKE,		/* command as a line for a shell, output as in that command */
	COMPDB_BEAR,		/* arguments as a list; members sorted by their names */
};

struct compdb_old;
struct config;

struct compdb {
	enum compdb_style style;
	bool links;		/* link and archive commands, too */
	bool wrappers;		/* keep wrappers in front of commands */
	bool preprocess;	/* commands that only preprocess, too */
	bool exists;		/* only sources that still exist */
	bool no_configure;	/* leave out trials of configure, CMake and Meson */
	bool json;		/* explain as JSON */
	bool paths;		/* only sources and outputs are needed: for compdb_fill() */
	bool verbose;		/* report where a command and its compiler disagree */
	const struct config *config;
	const struct compdb_old *old;	/* entries to keep unless this build made them; or NULL */
};

/** compdb_write - all compilations of a build, as one JSON list */
void compdb_write(struct db *db, const struct compdb *c, struct out *out);

/**
 * compdb_explain - print the programs that read a file, and why each has, or lacks, an entry for
 * it
 * @path: a path from the user
 *
 * Calls diag_fatal() if the build did not touch the file.
 */
void compdb_explain(struct db *db, const struct compdb *c, const char *path, struct out *out);

/** compdb_fill - fill the table compilation of a new database */
void compdb_fill(struct db *db);

#endif
