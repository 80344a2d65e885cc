/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where two builds begin to differ.  Programs are compared by their arguments, their
 * executable, the files that they read, by content or by size and time, and their status. A
 * root is a difference that neither an input that differs nor a caller that differs
 * explains.
 */
#ifndef ETRACE_DIFF_H
#define ETRACE_DIFF_H

#include "answers/match.h"

/* How a program differs; bits. */
enum diff_what {
	DIFF_ARGS = 1, DIFF_TOOL = 2, DIFF_INPUTS = 4, DIFF_STATUS = 8, DIFF_TIME = 16, DIFF_CWD = 32,
};

/* How an input differs. */
enum diff_input {
	DIFF_SAME,
	DIFF_ONLY_FIRST, DIFF_ONLY_SECOND,
	DIFF_SIZE,		/* existed before the builds, with different sizes */
	DIFF_TIME_ONLY,		/* only its mtime differs, and perhaps its inode number */
	DIFF_CONTENT,		/* made by the builds, with different sizes */
	DIFF_HELD,		/* existed before the builds, with different contents */
	DIFF_MADE,		/* made by the builds, with different contents */
	DIFF_NINPUTS
};

enum diff_kind {
	DIFF_FILE,		/* a file that existed before the builds differs */
	DIFF_COMMAND,		/* different arguments or directory, although its caller saw no difference */
	DIFF_ADDED, DIFF_REMOVED,
	DIFF_OUTPUT,		/* same program, arguments and inputs, but a different output */
	DIFF_ENDED,		/* different status */
	DIFF_ENV,		/* a different environment, although its caller's is equal */
};

/* How an output differs. */
enum diff_left {
	DIFF_LEFT_SAME,
	DIFF_LEFT_UNKNOWN,	/* equal in size, if known; the contents are not available */
	DIFF_LEFT_SIZE, DIFF_LEFT_CONTENT,
	DIFF_LEFT_ONLY_FIRST, DIFF_LEFT_ONLY_SECOND,
	DIFF_NLEFT
};

struct diff_output {
	uint32_t first, second;	/* its file in each build; 0 if none */
	uint8_t how;		/* enum diff_left */
	int32_t root;		/* root that explains it, -1 if none */
};

/* A variable in the environment of an exec. */
struct diff_var {
	uint32_t exec, name, value;	/* @name and @value are string ids */
	uint64_t key, holds;	/* hashes of name and value, as they are compared */
};

struct diff_env {
	struct diff_var *rows;	/* by exec and key */
	size_t n, cap;
};

struct diff_root {
	/*
	 * If the recordings have contents: the program (DIFF_COMMAND: its caller) saw no
	 * difference at all, but made a different content. Here the build stops being
	 * reproducible.
	 */
	bool stops;
	uint8_t kind;		/* enum diff_kind */
	uint8_t input;		/* DIFF_FILE, DIFF_OUTPUT: enum diff_input */
	uint8_t side;		/* build that @file is from, 0 or 1 */
	uint8_t by;		/* what @file was compared by, enum match_by */
	uint32_t file;
	uint32_t a, b;		/* its first unit in each build; 0 if none */
	int64_t at;		/* when it first had an effect in the second build, ns */
	uint32_t units;		/* number of units that differ, or may differ, because of it */
	uint32_t failed;	/* first unit (second build) that failed in one build only; or 0 */
	uint32_t nfailed;	/* number of such units, without their callers */
};

/* How a unit of the second build differs; row 0 is unused. */
struct diff_unit {
	uint8_t what;		/* bits of enum diff_what */
	uint8_t input;		/* enum diff_input of the first input that differs */
	uint8_t side;		/* build that @file is from, 0 or 1 */
	uint8_t by;		/* what its inputs were compared by, enum match_by */
	uint32_t file;		/* the first input that differs */
	uint32_t version;	/* version of @file */
	uint32_t weak;		/* input whose time alone differs, 0 if none; see diff.c */
	int64_t weak_at;	/* when @weak was read, ns */
	int64_t since;		/* it may differ from this time on; INT64_MAX if it does not */
	int32_t root;		/* root that explains it, -1 if none */
	int32_t calls;		/* root that explains its different calls, -1 if none */
	uint32_t child, sibling;
};

struct diff {
	struct match m;
	bool sizes;		/* compare sizes of files only, not their times */
	double times;		/* report running times that differ by this factor; 0 for none */
	struct diff_unit *units;	/* by unit of the second build */
	int32_t *removed;	/* by unit of the first build without a pair: its root */
	struct diff_root *roots;
	size_t nroots, cap;
	struct diff_edge {
		uint32_t from, to;
		int64_t at, until;	/* @to began to read at @at, @from wrote until @until */
	} *edges;
	size_t nedges, edges_cap;
	uint32_t *queue;
	size_t nqueue, queue_cap;
	struct diff_env env[2];
	uint32_t *failed[2];	/* by unit: its first call that failed in the other build only */
	uint32_t *after[2];	/* by unit: unit of the second build whose failure explains it */
	struct diff_output *outputs;	/* outputs that differ, by path */
	size_t noutputs, outputs_cap;
	size_t left[DIFF_NLEFT];	/* number of outputs of each kind */
	struct diff_held {
		uint32_t first, second, file;
	} *held;		/* versions whose recorded contents differ */
	size_t nheld, held_cap;
	struct map64 equal;	/* unit << 32 | version (second build) of equal inputs */
	bool timed;		/* diff_put() has printed a difference in time stamps */
};

/** diff_builds - compare; m, sizes and times must be set.  Release with diff_free(). */
void diff_builds(struct diff *d);
void diff_free(struct diff *d);

/**
 * diff_input_of - how two inputs differ; one may be NULL
 * @by: set to what they were compared by, as in match_change(); may be NULL
 */
enum diff_input diff_input_of(const struct diff *d, const struct match_input *a,
			      const struct match_input *b, uint8_t *by);

typedef void diff_pair_fn(void *ctx, const struct match_input *a, const struct match_input *b);

/**
 * diff_pairs - call @fn for each name among the inputs of two units, with NULL if a unit lacks it
 */
void diff_pairs(const struct match_inputs *a, const struct match_inputs *b, diff_pair_fn *fn,
		void *ctx);

/** diff_outputs - compare the outputs of the builds: sets outputs and left (diff_outputs.c) */
void diff_outputs(struct diff *d);

/* ---- where the build stops being reproducible: diff_held.c ---- */

/** diff_held_add - remember versions of @file whose contents differ between the builds */
void diff_held_add(struct diff *d, uint32_t first, uint32_t second, uint32_t file);

/** diff_is_equal - whether a unit and its pair differ only in their running time */
bool diff_is_equal(const struct diff *d, uint32_t unit);

/**
 * diff_stops_by_call - whether a caller that saw no difference introduced one in the arguments of
 * a call
 *
 * Differences that it saw later may result from that: cmake reads other files after it has found
 * another compiler.
 */
bool diff_stops_by_call(const struct diff *d, const struct diff_root *r);

/* A program that ran in both builds and made different contents of a file. */
struct diff_maker {
	uint32_t unit;		/* the unit of the second build that wrote it */
	/*
	 * The unit to report: @unit, or the program that it is a part of if a step between them is
	 * unknown (an assembler reads a file that its compiler has removed). 0 if it saw a
	 * difference, or its inputs are unknown.
	 */
	uint32_t named;
	uint32_t version, file;
};

/** diff_held_makers - get the @n programs, in order of their beginning. Free the result. */
struct diff_maker *diff_held_makers(const struct diff *d, size_t *n);

/** diff_env_load - load the environments that were recorded (diff_env.c) */
void diff_env_load(struct diff *d);

/**
 * diff_env_pairs - variables that differ between a unit of the second build and its pair
 * @fn: called for each, with NULL for a unit that lacks it; may be NULL
 *
 * Return: their number.
 */
size_t diff_env_pairs(const struct diff *d, uint32_t unit,
		      void (*fn)(void *ctx, const struct diff_var *a, const struct diff_var *b),
		      void *ctx);

/** diff_env_unit - the outermost of a unit and its callers whose environment differs; 0 if none */
uint32_t diff_env_unit(const struct diff *d, uint32_t unit);

/* ---- failures in one of the builds only: diff_failed.c ---- */

/** diff_failed_load - set diff.failed; units must have been compared */
void diff_failed_load(struct diff *d);

/** diff_failed_call - if a unit failed in one build: its first call that failed only there, or 0 */
uint32_t diff_failed_call(const struct diff *d, uint32_t unit);

/**
 * diff_failed_before - whether a unit exists only in @side because a failure in the other
 * build kept its caller from running it; sets diff.after
 *
 * False if the caller saw any other difference.
 */
bool diff_failed_before(struct diff *d, unsigned int side, uint32_t unit);

/** diff_failed_on - the exec of the other build that failed on a file of @side; 0 if none */
uint32_t diff_failed_on(const struct diff *d, unsigned int side, uint32_t file);

/** diff_failed_in - the build (0, 1) in which a unit failed if its pair did not; -1 if none */
int diff_failed_in(const struct diff *d, uint32_t unit);

/** diff_put - print the differences.  Return: whether there are any */
bool diff_put(struct diff *d, struct out *out, bool json);

#endif
