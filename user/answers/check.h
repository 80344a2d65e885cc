/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What of a build can make the next one wrong (etrace-check(1)).
 */
#ifndef ETRACE_CHECK_H
#define ETRACE_CHECK_H

#include "answers/lists.h"
#include "answers/match.h"
#include "io/json_out.h"

enum check_kind {
	CHECK_UNDECLARED,	/* read as data, and in nobody's list */
	CHECK_RACE,		/* made and read, and nothing says in which order */
	CHECK_WRITERS,		/* written by two, and nothing says in which order */
	CHECK_OVERWRITTEN,	/* a source that the build changed */
	CHECK_OUTSIDE,		/* read or written outside of the trees */
	CHECK_NETWORK,
	CHECK_CLOCK,
	CHECK_NKINDS
};
extern const char *const check_kinds[CHECK_NKINDS];

struct check_finding {
	uint8_t kind;		/* enum check_kind */
	uint8_t class;		/* enum graph_class, of what was read */
	bool writes;		/* outside: written, not read */
	uint32_t file;		/* 0: of the network */
	uint32_t unit;		/* who did it */
	uint32_t other;		/* who made it, or wrote it before; 0: nobody */
	uint32_t output;	/* undeclared: a file that its step made; 0: none */
	uint32_t more;		/* others that did the same */
	const char *what;	/* how it was done, in words */
	char *address;		/* of the network; NULL */
	char *path;		/* of the file, or the address: for the order, and --allow */
};

struct check_allowed {
	uint8_t kind;		/* CHECK_NKINDS: any */
	char *glob;
};

struct check {
	struct match_side s;
	struct lists lists;
	char **trees;		/* absolute, of then */
	size_t ntrees, trees_cap;
	bool trees_given;
	struct check_allowed *allowed;
	size_t nallowed, allowed_cap;
	struct check_finding *rows;	/* by kind and path */
	size_t n, cap;
	uint32_t *step;		/* by unit: match_steps() */
	bool steps;		/* there are any below make or ninja */
	uint8_t *place;		/* by file: enum check_place */
	uint32_t *node;		/* by file: of lists */
	struct map64 seen;	/* kind and file: finding */
	struct check_out {
		uint32_t step, file;
	} *outs;		/* by step: what it made */
	size_t nouts, outs_cap;
	struct check_read {
		uint32_t step, unit, version, file;
		uint8_t class;
		int64_t at;
	} *reads;		/* by step: what it read in the trees, and ran */
	size_t nreads, reads_cap;
	struct check_around {
		uint32_t step;
		bool listed, any;
		bool *in;	/* by node */
		uint32_t *list;
		size_t n;
	} around;		/* what look_around() found last */
};

/* Where a file lies. */
enum check_place {
	PLACE_TREE, PLACE_SYSTEM, PLACE_TEMPORARY, PLACE_OTHER
};

/**
 * check_init - begin; @db stays the caller's.  check_free() in any case.
 */
void check_init(struct check *c, struct db *db);
void check_free(struct check *c);

/** check_tree - a directory in which the build may read and write, of then */
void check_tree(struct check *c, const char *path);

/** check_allow - read a file of what is no finding.  Return: false after diag_fatal(). */
bool check_allow(struct check *c, const char *path);

/** check_find - all findings; with lists and trees as they are set */
void check_find(struct check *c);

/** check_put - say them */
void check_put(const struct check *c, struct out *out, bool json);

/** check_json - one of them, as an object */
void check_json(const struct check *c, struct json *j, const struct check_finding *f);

/* ---- between its files ---- */

/** check_add - a finding, if it is new and not allowed */
void check_add(struct check *c, struct check_finding f);

/** check_places - trees, and where each file lies, and its node (check_places.c) */
void check_places(struct check *c);

/** check_reads - undeclared, race, and outside of what was read (check_reads.c) */
void check_reads(struct check *c);

/** check_writes - writers, overwritten, and outside of what was written (check_writes.c) */
void check_writes(struct check *c);

/** check_clock - files of times that cannot be (check_clock.c) */
void check_clock(struct check *c);

/**
 * check_declares - whether a step's rules or depfiles name a file, directly or not
 *
 * Return: 1: they do; 0: they do not; -1: its rules are not known.
 */
int check_declares(struct check *c, uint32_t step, uint32_t node);

/**
 * check_ordered - whether by the rules one step waits for another
 * @file: that is waited for; 0: anything of @first
 *
 * Return: as check_declares().
 */
int check_ordered(struct check *c, uint32_t first, uint32_t then, uint32_t file);

/** check_outs - what a step made.  Return: the first; @n: how many */
const struct check_out *check_outs(const struct check *c, uint32_t step, size_t *n);

/** check_apart - the calls of the one that called both units, in which they lie
 * @a, @b: become those
 *
 * Return: the unit that made both calls; 0: one lies in the other.
 */
uint32_t check_apart(const struct check *c, uint32_t *a, uint32_t *b);

#endif
