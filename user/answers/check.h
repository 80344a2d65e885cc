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
	CHECK_EARLY,		/* looked for in vain, and made later by another step */
	CHECK_LISTING,		/* a directory was listed */
	CHECK_ENVIRONMENT,	/* a variable of the environment was used */
	CHECK_WRITERS,		/* written by two, and nothing says in which order */
	CHECK_OVERWRITTEN,	/* a source that the build changed */
	CHECK_OWN_INPUT,	/* a step wrote what its rule declares as its input */
	CHECK_BY_PRODUCT,	/* made by a rule that does not say so, and read elsewhere */
	CHECK_NOT_MADE,		/* declared, and its step did not make it */
	CHECK_OUTSIDE,		/* read or written outside of the trees */
	CHECK_NETWORK,
	CHECK_CLOCK,
	CHECK_NKINDS
};
extern const char *const check_kinds[CHECK_NKINDS];

struct check_finding {
	uint8_t kind;		/* enum check_kind */
	uint8_t class;		/* enum graph_class, of what was read; GRAPH_NCLASSES: of several */
	bool writes;		/* outside: written, not read */
	uint32_t file;		/* 0: it is no file, or several */
	uint32_t unit;		/* who did it; 0: nobody did */
	uint32_t other;		/* who made it, or wrote it before; 0: nobody */
	uint32_t output;	/* a file that its step made; 0: none */
	uint32_t more;		/* others that did the same */
	const char *what;	/* how it was done, in words */
	char *name;		/* if it is no file: the address, the variable; NULL */
	char *path;		/* of the file, or the name: for the order, and --allow */
	struct check_finding *members;	/* outside: the files, if @path is a directory of theirs */
	size_t nmembers;
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
	struct map64 tree_of;	/* by hash of a tree's path: which one it is */
	bool trees_given;
	char *around_trees;	/* directory with the first tree and one beside it; NULL: none */
	struct check_allowed *allowed;
	size_t nallowed, allowed_cap;
	struct check_finding *rows;	/* by kind and path */
	size_t n, cap;
	uint32_t *step;		/* by unit: match_steps() */
	bool steps;		/* there are any below make or ninja */
	bool *below;		/* by unit: it is below make or ninja */
	bool *late;		/* by unit: a make that read rules which the build made */
	bool *asked;		/* by unit: make's function "shell" ran it, so make waited for it */
	uint8_t *place;		/* by file: enum check_place */
	struct map64 installed;	/* hashes of names: what is installed and was read */
	uint32_t *node;		/* by file: of lists */
	bool *looked;		/* by file: make or ninja itself looked at it */
	bool *own;		/* by file: and read it */
	struct map64 seen;	/* kind and file: finding */
	struct map64 goes_on;	/* two units: check_goes_on() */
	struct check_out {
		uint32_t step, file;
	} *outs;		/* by step: what it made */
	size_t nouts, outs_cap;
	size_t nopen;		/* steps with outputs that make -np had not come to */
	uint32_t *output;	/* by step: check_output() */
	struct check_read {
		uint32_t step, unit, version, file;
		uint8_t class, how;
		int64_t at;
	} *reads;		/* by step: what it read and ran, but for what is installed */
	size_t nreads, reads_cap;
	struct check_around {
		uint32_t step;
		bool listed, any;
		uint8_t *in;	/* by node: enum check_reached */
		uint32_t *list;
		size_t n;
	} around;		/* what look_around() found last */
};

/* How a step's rules come to a file. */
enum check_reached {
	REACHED_NOT,
	REACHED_MADE,		/* the step makes it, and nothing else of it is made of it */
	REACHED_NAMED,		/* a rule or list names it */
};

/* Where a file lies. */
enum check_place {
	PLACE_TREE,
	PLACE_SYSTEM,
	PLACE_CACHE,		/* what programs can make anew: XDG's .cache */
	PLACE_TEMPORARY,
	PLACE_OTHER,
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

/** check_put_path - what a finding is of, quoted for a shell */
void check_put_path(struct out *out, const struct check_finding *f);

/** check_json - one of them, as an object */
void check_json(const struct check *c, struct json *j, const struct check_finding *f);

/* ---- between its files ---- */

/** check_add - a finding, if it is new and not allowed (check_finding.c, with check_args and check_names) */
void check_add(struct check *c, struct check_finding f);

/** check_places - trees, and where each file lies, and its node (check_places.c) */
void check_places(struct check *c);

/**
 * check_top - the length of a directory in a path that is not everybody's: /srv/x, but
 *	/home/me/x and /var/tmp/x; 0: the path has none
 */
size_t check_top(const char *path, size_t len);

/** check_reads - undeclared, race, and outside of what was read (check_reads.c) */
void check_reads(struct check *c);

/** check_writes - writers, overwritten, and outside of what was written (check_writes.c) */
void check_writes(struct check *c);

/** check_steps - what steps did that their rules do not say (check_steps.c) */
void check_steps(struct check *c);

/** check_asked - what steps looked for, listed, and took from the environment (check_asked.c) */
void check_asked(struct check *c);

/** check_clock - files of times that cannot be (check_clock.c) */
void check_clock(struct check *c);

/** check_group - one finding for all that was outside in one place (check_group.c) */
void check_group(struct check *c);

/** check_output - a file that a step made: a declared one, if any is.  Return: 0: none */
static inline uint32_t check_output(const struct check *c, uint32_t step)
{
	return c->output[step];
}

/** check_made - whether a step made a file */
bool check_made(const struct check *c, uint32_t step, uint32_t file);

/** check_args - the arguments of a unit, each with a NUL behind it.  Return: how many */
size_t check_args(const struct check *c, uint32_t unit, struct buf *to);

/**
 * check_names - whether an argument of a unit is the path of a file
 * @options: it stands behind one of these, a NULL behind them; NULL: anywhere
 */
bool check_names(const struct check *c, uint32_t unit, uint32_t file, const char *const *options);

/* ---- what is in which order: check_order.c ---- */

/** check_find_asked - what make ran to read what it says */
void check_find_asked(struct check *c);

/** check_outs - what a step made.  Return: the first; @n: how many */
const struct check_out *check_outs(const struct check *c, uint32_t step, size_t *n);
void check_load_outs(struct check *c);

/** check_step_reads - what a step read.  Return: the first; @n: how many */
const struct check_read *check_step_reads(const struct check *c, uint32_t step, size_t *n);

/** check_apart - the calls of the one that called both units, in which they lie
 * @a, @b: become those
 *
 * Return: the unit that made both calls; 0: one lies in the other.
 */
uint32_t check_apart(const struct check *c, uint32_t *a, uint32_t *b);

/**
 * check_declares - whether a step's rules or depfiles name a file, directly or not
 *
 * Return: 1: they do; 0: they do not; -1: its rules are not known.
 */
int check_declares(struct check *c, uint32_t step, uint32_t node);

/**
 * check_ordered - whether by the rules one unit waits for another
 * @file: that is waited for; 0: anything that the step of @first made
 *
 * Return: as check_declares().
 */
int check_ordered(struct check *c, uint32_t first, uint32_t then, uint32_t file);

/** check_goes_on - whether anything that one unit called read what another one's calls made */
bool check_goes_on(struct check *c, uint32_t then, uint32_t first);

/** check_follows - whether a step is made of what another one made; 0: of or by no step */
bool check_follows(const struct check *c, uint32_t then, uint32_t first);

#endif
