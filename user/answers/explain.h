/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What failed first in a build, with what somebody needs to know to mend it; for people, for
 * programs, and as CI systems want it.
 */
#ifndef ETRACE_EXPLAIN_H
#define ETRACE_EXPLAIN_H

#include "answers/failures.h"
#include "io/json_out.h"

/* Rows of each list at most, and words of all. */
#define EXPLAIN_ROWS	12u
#define EXPLAIN_WORDS	2000u

struct explain_list {
	uint32_t row[EXPLAIN_ROWS];	/* files, or execs */
	size_t n;			/* how many there are: more than rows, perhaps */
};

/* Something of the command that is other than in an earlier recording. */
struct explain_change {
	const char *what;	/* "argument", "input", "environment", "program" */
	char *then, *now;	/* NULL: it was not there */
	const char *how;	/* of an input that was read in both: "different size"; or NULL */
};

/* Where what it printed says that the fault is. */
struct explain_place {
	struct buf file;	/* absolute; empty: not known */
	uint32_t line, column;	/* 0: not known */
	struct buf message;	/* of that line, or what is known without */
};

struct explain {
	struct db *db;
	const struct failures *f;
	uint32_t exec, command;	/* what failed first; 0: nothing. What people called */
	struct failure_on on;
	struct buf making;	/* path of what was to be made; empty: not known */
	struct explain_list inputs, missed, callers, others;
	struct buf printed;	/* the end of what it wrote to 1 and 2 */
	bool has_printed;	/* the recording has that of this command */
	bool tells_printed;	/* of some command */
	struct explain_place place;
	/* --before */
	bool before, matched;	/* given; the command was found there */
	int before_status;	/* there; -1: not known */
	struct explain_change changes[EXPLAIN_ROWS];
	size_t nchanges;
};

/** explain_take - all that is known of the first failure; explain_free() */
void explain_take(struct explain *x, struct db *db);
void explain_free(struct explain *x);

/**
 * explain_before - compare with an earlier recording
 * @map: as of match_builds()
 *
 * Return: false after diag_fatal().
 */
bool explain_before(struct explain *x, struct db *old, const char *map);

/** explain_text - for people; explain_json() */
void explain_text(struct explain *x, struct out *out, const char *bad, const char *bold,
		  const char *off);
void explain_json(struct explain *x, struct out *out);

/** explain_json_short - explain_json() without lists, as a member "explain" of an object */
void explain_json_short(struct db *db, struct json *j);

/** explain_github - workflow commands, which become annotations */
void explain_github(struct explain *x, struct out *out);
/** explain_markdown - a summary of a job */
void explain_markdown(struct explain *x, struct out *out);
/** explain_gitlab - a code quality report */
void explain_gitlab(struct explain *x, struct out *out);
/** explain_junit - an XML file of test results: a case for each command that failed of its own */
void explain_junit(struct explain *x, struct out *out);

/* ---- between explain*.c ---- */

/** explain_first - of explain_take() only what failed first, and on what; for explain_free() */
void explain_first(struct explain *x, struct db *db);

/** explain_place_of - the place and message of any failure; of the first one without @printed */
void explain_place_of(struct explain *x, uint32_t exec, const struct buf *printed,
		      struct explain_place *place);
void explain_place_free(struct explain_place *place);

/** explain_printed - what a command, or what it called, printed last.  Return: whether that is known */
bool explain_printed(struct explain *x, uint32_t exec, struct buf *to);

/** explain_relative - a path as seen from where the build began */
void explain_relative(struct db *db, const struct buf *path, const char **s, size_t *len);

#endif
