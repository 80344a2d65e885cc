/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where two builds part.  A difference of a program is what is seen of it: its
 * arguments, its program, which files it read and what is known of them, its
 * status.  A root is a difference that none before it explains: not by what its
 * program read or was called by.
 */
#ifndef ETRACE_DIFF_H
#define ETRACE_DIFF_H

#include "answers/match.h"

/* What is other about a program. */
enum diff_what {
	DIFF_ARGS = 1, DIFF_TOOL = 2, DIFF_INPUTS = 4, DIFF_STATUS = 8, DIFF_TIME = 16,
};

/* What is other about an input. */
enum diff_input {
	DIFF_SAME,
	DIFF_ONLY_FIRST, DIFF_ONLY_SECOND,
	DIFF_SIZE,		/* another size, of a file that was there before */
	DIFF_TIME_ONLY,		/* only the time of its last change, and perhaps its number */
	DIFF_CONTENT,		/* the build made it, with another size */
};

enum diff_kind {
	DIFF_FILE,		/* a file that was there before is another one */
	DIFF_COMMAND,		/* called otherwise, and its caller saw nothing that is other */
	DIFF_ADDED, DIFF_REMOVED,
	DIFF_OUTPUT,		/* the same of the same made something else */
	DIFF_ENDED,		/* ended otherwise */
	DIFF_ENV,		/* its environment is another one, and its caller's is not */
};

/* What became of an output. */
enum diff_left {
	DIFF_LEFT_SAME,
	DIFF_LEFT_UNKNOWN,	/* of the same size, as far as is known, and not at hand any more */
	DIFF_LEFT_SIZE, DIFF_LEFT_CONTENT,
	DIFF_LEFT_ONLY_FIRST, DIFF_LEFT_ONLY_SECOND,
	DIFF_NLEFT
};

struct diff_output {
	uint32_t first, second;	/* files of each build; 0: it has none */
	uint8_t how;		/* enum diff_left */
	int32_t root;		/* that explains it; -1: none */
};

/* A variable that an exec found in its environment. */
struct diff_var {
	uint32_t exec, name, value;	/* the latter two are strings */
	uint64_t key, holds;	/* hashes of both, as they are compared */
};

struct diff_env {
	struct diff_var *rows;	/* by exec and key */
	size_t n, cap;
};

struct diff_root {
	uint8_t kind;		/* enum diff_kind */
	uint8_t input;		/* of DIFF_FILE, DIFF_OUTPUT: enum diff_input */
	uint8_t side;		/* that @file is of */
	uint32_t file;
	uint32_t a, b;		/* the first units; 0: none there */
	int64_t at;
	uint32_t units;		/* how many differ, or may, because of it */
	uint32_t failed;	/* unit of the second: the first that failed in one build only; 0: none */
	uint32_t nfailed;	/* how many did, but for those that called them */
};

/* What a unit of the second build is; the first row is of none. */
struct diff_unit {
	uint8_t what;		/* enum diff_what */
	uint8_t input;		/* of the first input that is other: enum diff_input */
	uint8_t side;
	uint32_t file;		/* that input */
	uint32_t version;	/* of it, on its side */
	uint32_t weak;		/* a file of which only the time is other; see diff.c */
	int64_t weak_at;
	int64_t since;		/* it may be other since then; INT64_MAX: never */
	int32_t root;		/* -1: none */
	int32_t calls;		/* root of what it called otherwise; -1: none */
	uint32_t child, sibling;
};

struct diff {
	struct match m;
	bool sizes;		/* times of files do not count */
	double times;		/* factor from which on times are told; 0: not */
	struct diff_unit *units;	/* of the second build */
	int32_t *removed;	/* root of each unit of the first that has no pair */
	struct diff_root *roots;
	size_t nroots, cap;
	struct diff_edge {
		uint32_t from, to;
		int64_t at, until;	/* read since, written until */
	} *edges;
	size_t nedges, edges_cap;
	uint32_t *queue;
	size_t nqueue, queue_cap;
	struct diff_env env[2];
	uint32_t *failed[2];	/* by unit: the first call that failed in the other build only */
	uint32_t *after[2];	/* by unit: the one of the second that failed before it */
	struct diff_output *outputs;	/* that differ, by their paths */
	size_t noutputs, outputs_cap;
	size_t left[DIFF_NLEFT];	/* how many outputs are so */
};

/** diff_builds - set all of it but m, sizes, times, which are given; diff_free() */
void diff_builds(struct diff *d);
void diff_free(struct diff *d);

/** diff_input_of - how two inputs differ; one may be NULL */
enum diff_input diff_input_of(const struct diff *d, const struct match_input *a,
			      const struct match_input *b);

/** diff_pairs - call @fn for each name among two units' inputs */
typedef void diff_pair_fn(void *ctx, const struct match_input *a, const struct match_input *b);
void diff_pairs(const struct match_inputs *a, const struct match_inputs *b, diff_pair_fn *fn,
		void *ctx);

/** diff_outputs - compare what the builds left: outputs, left (diff_outputs.c) */
void diff_outputs(struct diff *d);

/** diff_env_load - the environments, as far as they were recorded (diff_env.c) */
void diff_env_load(struct diff *d);

/**
 * diff_env_pairs - variables that are other for a unit of the second build and its pair
 * @fn: called for each, with NULL where one has none; may be NULL
 *
 * Return: how many.
 */
size_t diff_env_pairs(const struct diff *d, uint32_t unit,
		      void (*fn)(void *ctx, const struct diff_var *a, const struct diff_var *b),
		      void *ctx);

/** diff_env_unit - who among a unit and its callers found another environment first.  Return: 0: nobody */
uint32_t diff_env_unit(const struct diff *d, uint32_t unit);

/* ---- what failed in one of the builds only: diff_failed.c ---- */

/** diff_failed_load - failed, once it is known which units ended otherwise */
void diff_failed_load(struct diff *d);

/** diff_failed_call - what a unit of the second called that failed where it did.  Return: 0: nothing */
uint32_t diff_failed_call(const struct diff *d, uint32_t unit);

/**
 * diff_failed_before - whether a unit that only @side has would have been called by somebody
 *	of whom a call failed before: set @after.  Not if he saw something else that is other.
 */
bool diff_failed_before(struct diff *d, unsigned int side, uint32_t unit);

/** diff_failed_on - who failed on a file that @side has.  Return: an exec of the other; 0: nobody */
uint32_t diff_failed_on(const struct diff *d, unsigned int side, uint32_t file);

/** diff_failed_in - the build in which a unit or its pair failed, if only one did.  Return: -1: none */
int diff_failed_in(const struct diff *d, uint32_t unit);

/** diff_put - say it.  Return: whether there are differences */
bool diff_put(struct diff *d, struct out *out, bool json);

#endif
