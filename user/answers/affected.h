/* SPDX-License-Identifier: LGPL-2.1 */
/* What would be made, and tested, otherwise, now that files have changed (etrace-affected(1)). */
#ifndef ETRACE_AFFECTED_H
#define ETRACE_AFFECTED_H

#include "build/reach.h"
#include "io/out.h"

enum affected_format { AFFECTED_TEXT, AFFECTED_LIST, AFFECTED_JSON, AFFECTED_CTEST };

struct affected {
	struct db *db;
	const char *tests;	/* a pattern, as of fnmatch(3), of commands that are tests; NULL: none */
	char *map_from, *map_to;	/* a directory of now, and which it was; NULL: the same */
	struct reach_change *changes;	/* files that the build knows */
	size_t n, cap;
	size_t unknown;		/* files that it never touched */
	bool comes_or_goes;	/* one of all of them does */
};

/** affected_init - begin; affected_free() in any case */
void affected_init(struct affected *a, struct db *db);
void affected_free(struct affected *a);

/** affected_map - "HERE=THERE".  Return: false after diag_fatal(). */
bool affected_map(struct affected *a, const char *map);

/**
 * affected_add - a file that has changed, by its path of now
 *
 * Whether it has come, or gone, follows from what is there, and from what was.
 */
void affected_add(struct affected *a, const char *path);

/**
 * affected_git - those that differ from a revision, in the work tree of the current directory
 *
 * Return: false after diag_fatal().
 */
bool affected_git(struct affected *a, const char *revision);

/**
 * affected_put - say what they affect
 *
 * Return: whether all that matters is in the trace; if not, standard error says what is not.
 */
bool affected_put(struct affected *a, struct out *out, enum affected_format format);

#endif
