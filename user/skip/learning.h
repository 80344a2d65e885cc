/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of learning share.
 *
 *	learn.c		the recording, and the steps in it
 *	learn_step.c	the step that is looked at
 *	learn_uses.c	what the programs of a step used
 *	learn_changes.c	what they did beside reading and writing
 *	learn_facts.c	facts about files
 *	learn_walk.c	where a path leads, through links and ".."
 *	learn_ways.c	the other paths by which programs named files
 *	learn_outputs.c	what a step made
 *
 * All functions that return bool return false when the step is refused.
 */
#ifndef ETRACE_LEARNING_H
#define ETRACE_LEARNING_H

#include "base/clock.h"
#include "base/map64.h"
#include "build/build.h"
#include "skip/skip.h"


struct change {
	uint32_t exec, file, to, version;
	uint8_t what;
	int64_t error, value, at;
};

struct learning {
	const struct skip_learn *l;
	struct db *db;
	const struct build *b;
	struct out *out;
	int64_t real;		/* what to add to a time of the trace for one since 1970, ns */
	bool *helper;		/* by exec: etrace, which asks */
	uint32_t *next;		/* by exec: what it became by execve */
	struct change *changes;
	size_t nchanges, changes_cap;
	struct learn_way {	/* another path of a file or directory */
		uint32_t file, next;
		uint8_t class;	/* enum graph_class */
		size_t path;	/* in @way_paths */
	} *ways;		/* from 1 on */
	size_t nways, ways_cap;
	struct buf way_paths;
	struct map64 way_of;	/* file: its first way */
	struct map64 moved;	/* file: when a link or directory there was last made, moved or removed */
	struct map64 reasons;	/* by address of a constant: index of @counts + 1 */
	struct {
		const char *why;
		uint32_t n;
		char first[256];
	} *counts;
	size_t ncounts, counts_cap;
	/* of the step that is looked at */
	uint32_t step, end;	/* its first and its last program */
	bool *in;		/* by exec: part of it */
	uint8_t *touched;	/* by file: it made, changed or removed it; 2: a directory */
	uint32_t *touched_list;
	size_t ntouched, touched_cap;
	struct map64 facts;	/* by hash of kind and path: 1 */
	struct map64 paths;	/* by hash of a path: 1 found, 2 missed */
	struct map64 parts;	/* by hash of a link or directory on the way to a name: 1 checked */
	struct buf entry;
	const char *why;
	char which[PATH_MAX];
};

/* ---- learn_step.c ---- */

/** learn_refuse - the step is refused: @why, a constant, because of @which.  Return: false */
bool learn_refuse(struct learning *x, const char *why, const char *which);
bool learn_refuse_file(struct learning *x, const char *why, uint32_t file);

/** learn_path - path of a file, with a NUL, in @to of PATH_MAX bytes.  Return: false if too long */
bool learn_path(const struct learning *x, uint32_t file, char *to);

/** learn_begin - when the step began, ns since 1970 */
int64_t learn_begin(const struct learning *x);

/** learn_is_mine - whether this step, and nothing before it, made all that is in a version */
bool learn_is_mine(const struct learning *x, uint32_t version);

/** learn_is_own - whether an exec is part of the step, and not etrace */
bool learn_is_own(const struct learning *x, uint32_t exec);

/* ---- learn_walk.c ---- */

/* What was passed on a way. */
struct learn_walk {
	bool now;		/* see learn_way() */
	bool links;		/* a link */
	bool own;		/* a directory that the step made */
	bool all;		/* look at what was checked before, too */
	unsigned int depth;
};

/** learn_walk - follow a path, and check that nothing changed where it leads */
bool learn_walk(struct learning *x, struct learn_walk *w, const char *path);

/**
 * learn_way - as learn_walk(), without what was passed
 * @now: since the step began; else by the step itself
 */
bool learn_way(struct learning *x, const char *path, bool now);

/* ---- learn_facts.c ---- */

/** learn_fact - add what is the case now */
bool learn_fact(struct learning *x, enum skip_fact kind, const char *path);

/** learn_miss - add that a path is missing: as recorded, since the build may have made it later */
bool learn_miss(struct learning *x, const char *path, int error);

/** learn_is_still - whether nothing has happened to a file and its inode since the step began */
bool learn_is_still(const struct learning *x, const char *path);

/** learn_look - add what stat says of a path; @blind: without times */
bool learn_look(struct learning *x, const char *path, bool blind);

/** learn_content - add what was read from a file */
bool learn_content(struct learning *x, const struct build_access *a, uint32_t file);

/**
 * learn_words - whether a text has no word for what a recording does not show
 * @shell: it is a shell's; @which: the file that it is in, NULL if none
 */
bool learn_words(struct learning *x, const struct buf *text, bool shell, const char *which);

/* ---- learn_ways.c ---- */

/** learn_load_ways - load x->ways and x->moved; learn_forget_ways - free them */
void learn_load_ways(struct learning *x);
void learn_forget_ways(struct learning *x);

/* How a program used a path. */
enum learn_use {
	LEARN_RESOLVED,		/* opened: the recording has where the path led */
	LEARN_LOOKED,		/* asked for it; LEARN_BLIND: and looked at no times */
	LEARN_BLIND,
	LEARN_MISSED,		/* did not find it */
};

/**
 * learn_ways - add facts about the other paths by which programs may have used a file
 * @error: of LEARN_MISSED
 */
bool learn_ways(struct learning *x, uint32_t file, enum learn_use use, int error);

/** learn_linked - whether a file was opened to write by a link to it */
bool learn_linked(const struct learning *x, uint32_t file);

/** learn_argument_ways - add where the arguments of a program lead */
bool learn_argument_ways(struct learning *x, uint32_t exec);

/* ---- learn_uses.c ---- */

/** learn_exec - add all that one program used */
bool learn_exec(struct learning *x, uint32_t exec);

/* ---- learn_changes.c ---- */

/** learn_touched - set x->touched */
void learn_touched(struct learning *x);
/** learn_changes - check what it did to the tree of files */
bool learn_changes(struct learning *x);
bool learn_network(struct learning *x);
/** learn_printed - whether all that was written to descriptors 1 and 2 stayed within the step */
bool learn_printed(struct learning *x);

/* ---- learn_outputs.c ---- */

/** learn_outputs - add all that the step made */
bool learn_outputs(struct learning *x);

#endif
