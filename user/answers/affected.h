/* SPDX-License-Identifier: LGPL-2.1 */
/* Which outputs, commands and tests changed files affect (etrace-affected(1)). */
#ifndef ETRACE_AFFECTED_H
#define ETRACE_AFFECTED_H

#include "build/reach.h"
#include "io/out.h"

enum affected_format { AFFECTED_TEXT, AFFECTED_LIST, AFFECTED_JSON, AFFECTED_CTEST };

struct affected {
	struct db *db;
	const char *tests;	/* fnmatch(3) pattern of commands that are tests; NULL if none */
	char *map_from, *map_to;	/* a directory now, and its path then; NULL if equal */
	struct reach_change *changes;	/* all changed files, including unknown ones */
	size_t n, cap;
	size_t unknown;		/* number of changed files that the build never touched */
	bool comes_or_goes;	/* at least one file was created or removed */
};

/** affected_init - initialize; release with affected_free() in any case */
void affected_init(struct affected *a, struct db *db);
void affected_free(struct affected *a);

/** affected_map - set the map, "HERE=THERE".  Return: false after diag_fatal(). */
bool affected_map(struct affected *a, const char *map);

/**
 * affected_add - add a changed file by its current path
 *
 * It counts as created if it did not exist before the build, and as removed if it does not exist
 * now.
 */
void affected_add(struct affected *a, const char *path);

/**
 * affected_git - add the files that differ from a revision, in the work tree around the
 *	current directory
 *
 * Return: false after diag_fatal().
 */
bool affected_git(struct affected *a, const char *revision);

/**
 * affected_put - print what the changes affect
 *
 * Return: whether the trace has everything needed; if not, reports to standard error what it
 * lacks.
 */
bool affected_put(struct affected *a, struct out *out, enum affected_format format);

#endif
