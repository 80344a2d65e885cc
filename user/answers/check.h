/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds things in a build that can make the next one wrong (etrace-check(1)).
 */
#ifndef ETRACE_CHECK_H
#define ETRACE_CHECK_H

#include "answers/lists.h"
#include "answers/match.h"
#include "io/json_out.h"

enum check_kind {
	CHECK_UNDECLARED,	/* read as data, but declared in no rule or depfile */
	CHECK_RACE,		/* made and read by two steps without a declared order */
	CHECK_EARLY,		/* looked up but missing, and made later by another step */
	CHECK_LISTING,		/* a directory was listed */
	CHECK_ENVIRONMENT,	/* an environment variable was used */
	CHECK_WRITERS,		/* written by two steps without a declared order */
	CHECK_OVERWRITTEN,	/* a source that the build changed */
	CHECK_OWN_INPUT,	/* a step wrote a file that its rule declares as input */
	CHECK_BY_PRODUCT,	/* made by a rule that does not declare it, and read elsewhere */
	CHECK_NOT_MADE,		/* declared, but its step did not make it */
	CHECK_OUTSIDE,		/* read or written outside the trees */
	CHECK_NETWORK,
	CHECK_CLOCK,
	CHECK_CHANGED,		/* an input changed later, but not by the build */
	CHECK_NKINDS
};
extern const char *const check_kinds[CHECK_NKINDS];

struct check_finding {
	uint8_t kind;		/* enum check_kind */
	uint8_t class;		/* enum graph_class of what was read; GRAPH_NCLASSES if several */
	bool writes;		/* CHECK_OUTSIDE: written, not read */
	uint32_t file;		/* 0 if it is not a file, or several */
	uint32_t unit;		/* unit that did it; 0 if none */
	uint32_t other;		/* unit that made it, or wrote or read it before; 0 if none */
	uint32_t output;	/* a file that the step of @unit made; 0 if none */
	uint32_t more;		/* number of further units that did the same */
	const char *what;	/* description of what was done */
	char *name;		/* address or variable; NULL if it is a file */
	char *path;		/* path of the file, or @name: for sorting and --allow */
	struct check_finding *members;	/* CHECK_OUTSIDE: files, if @path is their directory */
	size_t nmembers;
};

struct check_allowed {
	uint8_t kind;		/* enum check_kind; CHECK_NKINDS for any */
	char *glob;
};

struct check {
	struct match_side s;
	struct lists lists;
	char **trees;		/* absolute paths, as in the build */
	size_t ntrees, trees_cap;
	struct map64 tree_of;	/* by hash of a tree's path: its index in @trees */
	bool trees_given;	/* by the user */
	char *around_trees;	/* parent of the first tree and a sibling tree; NULL if none */
	struct check_allowed *allowed;
	size_t nallowed, allowed_cap;
	struct check_finding *rows;	/* by kind and path */
	size_t n, cap;
	uint32_t *step;		/* by unit: match_steps() */
	bool steps;		/* the build ran make, ninja or the like */
	bool *below;		/* by unit: make, ninja or the like runs above it */
	bool *late;		/* by unit: a make that read rules made by the build */
	bool *asked;		/* by unit: run by make's function "shell", so make waited for it */
	uint8_t *place;		/* by file: enum check_place */
	struct map64 installed;	/* hashes of names of installed packages that were read */
	uint32_t *node;		/* by file: its node in @lists; 0 if none */
	bool *looked;		/* by file: make or ninja itself looked at it */
	bool *own;		/* by file: make or ninja itself read it */
	struct map64 seen;	/* by hash of kind and file: index of the finding */
	struct map64 goes_on;	/* by pair of units: cache of check_goes_on() */
	struct check_out {
		uint32_t step, file;
	} *outs;		/* files that steps made, by step */
	size_t nouts, outs_cap;
	size_t nopen;		/* number of steps whose rules make -np did not reach */
	uint32_t *output;	/* by step: check_output() */
	struct check_read {
		uint32_t step, unit, version, file;
		uint8_t class, how;
		int64_t at;
	} *reads;		/* files that steps read and ran, except installed ones; by step */
	size_t nreads, reads_cap;
	struct check_around {
		uint32_t step;
		bool listed, any;
		uint8_t *in;	/* by node: enum check_reached */
		uint32_t *list;
		size_t n;
	} around;		/* last result of look_around() */
};

/* How a step's rules reach a file. */
enum check_reached {
	REACHED_NOT,
	REACHED_MADE,		/* an output of the step that no other output needs */
	REACHED_NAMED,		/* a rule or depfile names it */
};

/* The kind of place where a file is. */
enum check_place {
	PLACE_TREE,
	PLACE_SYSTEM,
	PLACE_CACHE,		/* files that programs can make again: XDG's .cache */
	PLACE_TEMPORARY,
	PLACE_OTHER,
};

/** check_init - initialize; the caller keeps @db. Release with check_free() in any case. */
void check_init(struct check *c, struct db *db);
void check_free(struct check *c);

/** check_tree - add a directory, by its path in the build, where the build may read and write */
void check_tree(struct check *c, const char *path);

/** check_allow - read a file of accepted findings.  Return: false after diag_fatal(). */
bool check_allow(struct check *c, const char *path);

/** check_find - find everything; lists and trees must be set before */
void check_find(struct check *c);

/** check_put - print all findings */
void check_put(const struct check *c, struct out *out, bool json);

/** check_put_path - print the path or name of a finding, quoted for a shell */
void check_put_path(struct out *out, const struct check_finding *f);

/** check_json - write a finding as a JSON object */
void check_json(const struct check *c, struct json *j, const struct check_finding *f);

/* ---- shared by check*.c ---- */

/** check_add - add a finding if it is new and not allowed (check_finding.c) */
void check_add(struct check *c, struct check_finding f);

/** check_places - set the trees, and the place and node of each file (check_places.c) */
void check_places(struct check *c);

/**
 * check_top - length of the first directory in a path that users do not share:
 *	/srv/x, /home/me/x, /var/tmp/x; 0 if none
 */
size_t check_top(const char *path, size_t len);

/** check_reads - find undeclared, race, and outside for reads (check_reads.c) */
void check_reads(struct check *c);

/** check_writes - find writers, overwritten, and outside for writes (check_writes.c) */
void check_writes(struct check *c);

/** check_steps - find own-input, by-product and not-made (check_steps.c) */
void check_steps(struct check *c);

/** check_asked - find early, listing and environment (check_asked.c) */
void check_asked(struct check *c);

/** check_clock - find files with impossible times (check_clock.c) */
void check_clock(struct check *c);

/** check_contents - find inputs whose recorded content changed (check_contents.c) */
void check_contents(struct check *c);

/** check_group - join the findings "outside" of each place into one (check_group.c) */
void check_group(struct check *c);

/** check_output - a file that a step made, if possible a declared one.  Return: 0 if none */
static inline uint32_t check_output(const struct check *c, uint32_t step)
{
	return c->output[step];
}

/** check_made - whether a step made a file */
bool check_made(const struct check *c, uint32_t step, uint32_t file);

/** check_args - the arguments of a unit, each ended by a NUL.  Return: their number */
size_t check_args(const struct check *c, uint32_t unit, struct buf *to);

/**
 * check_names - whether an argument of a unit is the path of a file
 * @options: only directly after one of these options, ended by NULL; NULL for anywhere
 */
bool check_names(const struct check *c, uint32_t unit, uint32_t file, const char *const *options);

/* ---- declared order of steps: check_order.c ---- */

/** check_find_asked - set check.asked: programs that make ran to read their output */
void check_find_asked(struct check *c);

/** check_outs - the files that a step made.  Return: the first; @n is set to their number */
const struct check_out *check_outs(const struct check *c, uint32_t step, size_t *n);
void check_load_outs(struct check *c);

/** check_step_reads - the reads of a step.  Return: the first; @n is set to their number */
const struct check_read *check_step_reads(const struct check *c, uint32_t step, size_t *n);

/**
 * check_apart - find the nearest unit that called both, directly or not
 * @a, @b: set to its two direct calls that contain them
 *
 * Return: that unit; 0 if one of the two contains the other.
 */
uint32_t check_apart(const struct check *c, uint32_t *a, uint32_t *b);

/**
 * check_declares - whether a step's rules or depfiles name a file, directly or not
 *
 * Return: 1 if they do, 0 if not, -1 if its rules are unknown.
 */
int check_declares(struct check *c, uint32_t step, uint32_t node);

/**
 * check_ordered - whether the rules make unit @then wait for unit @first
 * @file: the file that it waits for; 0 for anything that the step of @first made
 *
 * Return: 1 if they do, 0 if not, -1 if unknown.
 */
int check_ordered(struct check *c, uint32_t first, uint32_t then, uint32_t file);

/**
 * check_goes_on - whether @then or a unit below it read a file made by @first or a unit below it
 */
bool check_goes_on(struct check *c, uint32_t then, uint32_t first);

/**
 * check_follows - whether step @then used, directly or not, a file made by step @first; 0 means no
 * step
 */
bool check_follows(const struct check *c, uint32_t then, uint32_t first);

#endif
