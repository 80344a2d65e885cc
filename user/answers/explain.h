/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * etrace explain: what failed first in a build, with everything that helps to fix it; for people,
 * as JSON, and in formats of CI systems.
 */
#ifndef ETRACE_EXPLAIN_H
#define ETRACE_EXPLAIN_H

#include "answers/failures.h"
#include "io/json_out.h"

/* Maximum number of rows in each list. */
#define EXPLAIN_ROWS	12u
#define EXPLAIN_WORDS	2000u

struct explain_list {
	uint32_t row[EXPLAIN_ROWS];	/* the first files, or execs */
	size_t n;			/* total number, which may exceed EXPLAIN_ROWS */
};

/* A difference between the command and its run in an earlier recording. */
struct explain_change {
	const char *what;	/* "argument", "input", "environment", "program" */
	char *then, *now;	/* NULL if only the other recording has it */
	const char *how;	/* for an input that was read in both: "different size"; or NULL */
};

/* The place of the error, from the messages of the program. */
struct explain_place {
	struct buf file;	/* absolute; empty if unknown */
	uint32_t line, column;	/* 0 if unknown */
	struct buf message;	/* as printed, or else made from the trace */
};

struct explain {
	struct db *db;
	const struct failures *f;
	uint32_t exec, command;	/* the first failure, 0 if none; its failures_command() */
	struct failure_on on;
	struct buf making;	/* path of the file that it was making; empty if unknown */
	struct explain_list inputs, missed, callers, others;
	struct buf printed;	/* the end of its output to descriptors 1 and 2 */
	bool has_printed;	/* @printed was recorded for this command */
	bool tells_printed;	/* the output of at least one command was recorded */
	struct explain_place place;
	bool before, matched;	/* --before is given; the command was found in that recording */
	int before_status;	/* status of the command there, -1 if unknown */
	struct explain_change changes[EXPLAIN_ROWS];
	size_t nchanges;
};

/** explain_take - collect everything about the first failure; release it with explain_free() */
void explain_take(struct explain *x, struct db *db);
void explain_free(struct explain *x);

/**
 * explain_before - compare with an earlier recording
 * @map: see match_builds()
 *
 * Return: false after diag_fatal().
 */
bool explain_before(struct explain *x, struct db *old, const char *map);

/** explain_text, explain_json - print the explanation as text, as JSON */
void explain_text(struct explain *x, struct out *out, const char *bad, const char *bold,
		  const char *off);
void explain_json(struct explain *x, struct out *out);

/** explain_json_short - explain_json() without lists, as a member "explain" of an object */
void explain_json_short(struct db *db, struct json *j);

/** explain_github - write workflow commands of GitHub, which become annotations */
void explain_github(struct explain *x, struct out *out);
/** explain_markdown - write a summary of a CI job */
void explain_markdown(struct explain *x, struct out *out);
/** explain_gitlab - write a code quality report of GitLab */
void explain_gitlab(struct explain *x, struct out *out);
/** explain_junit - write JUnit XML: a test case for each command that itself failed */
void explain_junit(struct explain *x, struct out *out);

/* ---- shared by explain*.c ---- */

/** explain_first - as explain_take(), but only what failed first, and on which file */
void explain_first(struct explain *x, struct db *db);

/** explain_place_of - place and message of any failure, searched in @printed if given */
void explain_place_of(struct explain *x, uint32_t exec, const struct buf *printed,
		      struct explain_place *place);
void explain_place_free(struct explain_place *place);

/**
 * explain_printed - append the last output of an exec, or else of its nearest failed caller
 *
 * Return: false if none was recorded.
 */
bool explain_printed(struct explain *x, uint32_t exec, struct buf *to);


#endif
