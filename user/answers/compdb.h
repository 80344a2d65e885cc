/* SPDX-License-Identifier: LGPL-2.1 */
/* Compilation databases: compile_commands.json, as Clang's tools read it. */
#ifndef ETRACE_COMPDB_H
#define ETRACE_COMPDB_H

#include "answers/answers.h"

enum compdb_style {
	COMPDB_ARGUMENTS,	/* arguments as a list, absolute paths */
	COMPDB_CMAKE,		/* command as a line for a shell, output as the command has it */
	COMPDB_BEAR,		/* arguments, members in the order of their names */
};

struct compdb_old;
struct config;

struct compdb {
	enum compdb_style style;
	bool links;		/* link and archive commands, too */
	bool wrappers;		/* commands with the wrappers before them */
	bool preprocess;	/* what only preprocesses, too */
	bool exists;		/* only of sources that are still there */
	bool no_configure;	/* not what configure, CMake and Meson try out */
	bool json;		/* explain as JSON */
	bool paths;		/* sources and outputs are all that is wanted: for compdb_fill() */
	bool verbose;		/* tell where a command and its compiler disagree */
	const struct config *config;
	const struct compdb_old *old;	/* entries that stay unless they are made anew, or NULL */
};

/** compdb_write - all compilations of a build, as one JSON list */
void compdb_write(struct db *db, const struct compdb *c, struct out *out);

/**
 * compdb_explain - which programs read a file, and why each has an entry for it or has none
 * @path: as a user gave it
 *
 * diag_fatal() if the build has not touched it.
 */
void compdb_explain(struct db *db, const struct compdb *c, const char *path, struct out *out);

/** compdb_fill - the table compilation of a database that is being made */
void compdb_fill(struct db *db);

#endif
