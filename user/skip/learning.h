/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of learning.
 *
 *	learn.c		the recording, and the steps in it
 *	learn_step.c	the current step
 *	learn_uses.c	files that the programs of a step used
 *	learn_changes.c	what they did besides reading and writing
 *	learn_facts.c	facts about files
 *	learn_walk.c	where a path leads, through links and ".."
 *	learn_ways.c	other paths by which programs named files
 *	learn_outputs.c	outputs of a step
 *	learn_moment.c	what outputs hold of the moment when they were made
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
	int64_t real;		/* the trace's time 0, ns since 1970 */
	bool *helper;		/* by exec: it is an etrace process that asks */
	uint32_t *next;		/* by exec: the next exec of its process */
	struct change *changes;
	size_t nchanges, changes_cap;
	struct learn_way {	/* another path of a file or directory */
		uint32_t file, next;
		uint8_t class;	/* enum graph_class */
		size_t path;	/* its offset in @way_paths */
	} *ways;		/* numbered from 1 */
	size_t nways, ways_cap;
	struct buf way_paths;
	struct map64 way_of;	/* file to its first way */
	/* file to the time when a link or directory of that name last came, moved or went */
	struct map64 moved;
	struct map64 reasons;	/* address of a constant to index of @counts + 1 */
	struct {
		const char *why;
		uint32_t n;
		char first[256];
	} *counts;
	size_t ncounts, counts_cap;
	/* about the current step */
	uint32_t step, end;	/* its first and its last program */
	bool *in;		/* by exec: it is part of the step */
	/* a shell of the step reads what the step wrote, and may run it as commands */
	bool fed;
	/* by file: the step made, changed or removed it; 2 for a directory */
	uint8_t *touched;
	uint32_t *touched_list;
	size_t ntouched, touched_cap;
	struct map64 facts;	/* set of hashes of kind and path */
	struct map64 paths;	/* hash of a path to 1 if found, 2 if missed */
	/* set of hashes of checked links and directories on the way to a name */
	struct map64 parts;
	struct buf entry;
	const char *why;
	char which[PATH_MAX];
};

/* ---- learn_step.c ---- */

/** learn_refuse - refuse the step: @why is a constant reason, @which its file. Return: false */
bool learn_refuse(struct learning *x, const char *why, const char *which);
bool learn_refuse_file(struct learning *x, const char *why, uint32_t file);

/**
 * learn_path - store the path of a file, NUL-terminated, in @to of PATH_MAX bytes.
 *
 * Return: false if too long
 */
bool learn_path(const struct learning *x, uint32_t file, char *to);

/** learn_begin - when the step began, ns since 1970 */
int64_t learn_begin(const struct learning *x);

/** learn_is_mine - whether this step alone made the whole content of a version */
bool learn_is_mine(const struct learning *x, uint32_t version);

/** learn_is_own - whether an exec is part of the step, and is not etrace */
bool learn_is_own(const struct learning *x, uint32_t exec);

/* ---- learn_walk.c ---- */

/* What a walk along a path has passed. */
struct learn_walk {
	bool now;		/* see learn_way() */
	bool links;		/* it passed a link */
	bool own;		/* it passed a directory that the step made */
	bool all;		/* also examine components that were checked before */
	unsigned int depth;
};

/** learn_walk - follow a path, and check that nothing changed where it leads */
bool learn_walk(struct learning *x, struct learn_walk *w, const char *path);

/**
 * learn_way - learn_walk() for callers that do not need the details
 * @now: nothing may have changed since the step began; else nothing but by the step itself
 */
bool learn_way(struct learning *x, const char *path, bool now);

/* ---- learn_facts.c ---- */

/** learn_fact - add a fact about the present state */
bool learn_fact(struct learning *x, enum skip_fact kind, const char *path);

/**
 * learn_miss - add the fact that a path was missing in the recording; the build may have created
 * it later
 */
bool learn_miss(struct learning *x, const char *path, int error);

/** learn_is_still - whether nothing has happened to a file and its inode since the step began */
bool learn_is_still(const struct learning *x, const char *path);

/** learn_look - add the result of stat() for a path; @blind: without times */
bool learn_look(struct learning *x, const char *path, bool blind);

/** learn_content - add the content that was read from a file */
bool learn_content(struct learning *x, const struct build_access *a, uint32_t file);

/**
 * learn_words - refuse the step if words of a text show that it uses what is not recorded
 * @shell: it is a shell script; @which: its file, NULL if none
 */
bool learn_words(struct learning *x, const struct buf *text, bool shell, const char *which);

/* ---- learn_ways.c ---- */

/** learn_load_ways - load x->ways and x->moved; learn_forget_ways - free them */
void learn_load_ways(struct learning *x);
void learn_forget_ways(struct learning *x);

/* How a program used a path. */
enum learn_use {
	LEARN_RESOLVED,		/* opened: the recording shows where the path led */
	LEARN_LOOKED,		/* looked it up; LEARN_BLIND: without using times */
	LEARN_BLIND,
	LEARN_MISSED,		/* did not find it */
};

/**
 * learn_ways - add facts about the other paths by which programs may have used a file
 * @error: of LEARN_MISSED
 */
bool learn_ways(struct learning *x, uint32_t file, enum learn_use use, int error);

/** learn_linked - whether a file was opened for writing through a link to it */
bool learn_linked(const struct learning *x, uint32_t file);

/** learn_argument_ways - add facts about where the arguments of a program lead */
bool learn_argument_ways(struct learning *x, uint32_t exec);

/* ---- learn_uses.c ---- */

/** learn_fed - find out whether a shell reads what the step wrote: sets x->fed */
void learn_fed(struct learning *x);

/** learn_exec - add everything that one program used */
bool learn_exec(struct learning *x, uint32_t exec);

/* ---- learn_changes.c ---- */

/** learn_touched - find what the step made, changed or removed: sets x->touched */
void learn_touched(struct learning *x);
/** learn_changes - check the step's changes to the file tree */
bool learn_changes(struct learning *x);
bool learn_network(struct learning *x);
/** learn_printed - whether all output to descriptors 1 and 2 stayed within the step */
bool learn_printed(struct learning *x);

/* ---- learn_moment.c ---- */

/** learn_moment - check that an output holds neither the time nor names of temporary files */
bool learn_moment(struct learning *x, const char *path);

/* ---- learn_outputs.c ---- */

/** learn_outputs - add all outputs of the step */
bool learn_outputs(struct learning *x);

#endif
