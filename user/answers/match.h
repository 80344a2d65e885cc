/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Two builds side by side: which program of one is which of the other.
 *
 * A unit is an exec with what its process did between forks and execves added to
 * it.  Units are known by what they made (files that are there in the end), by
 * their command and directory, and by who called them.  Names are compared in the
 * terms of the first build: the second one's directory is put in the place of the
 * first one's, and of names drawn at random only what is not random counts.
 *
 * Memory, beside the builds': 48 bytes a unit, 4 a file, 16 a write; of what is compared,
 * 56 more a unit and 8 a file.
 */
#ifndef ETRACE_MATCH_H
#define ETRACE_MATCH_H

#include "answers/answers.h"
#include "build/build.h"

struct match_unit {
	uint32_t exec;
	uint32_t caller;	/* unit; 0: none in the trace */
	uint32_t pair;		/* unit of the other build; 0: none */
	uint32_t program;	/* file */
	uint32_t first, last;	/* its execs: match_side.next */
	int64_t at, until;
	int32_t status;		/* of its process: signal * 256 + status; -1: not known */
	bool schedules;		/* only calls others, when they are due: make, ninja */
	bool make;		/* reads what $(shell ...) says, and waits for it */
	bool shell;		/* calls others one after the other */
};

/* Hashes of what a unit is known by. */
struct match_key {
	uint64_t name;		/* base name of its program */
	uint64_t args;
	uint64_t outs, tree;	/* what it made; with all that it called */
	uint64_t least, most;	/* hashes of names in tree */
	uint64_t context;	/* its command and those of its callers */
};

struct match_write {
	uint32_t version, unit;
	int64_t until;
};

/* One of the two. */
struct match_side {
	struct db *db;
	const struct build *b;
	struct match_unit *units;	/* from 1 on, callers first */
	uint32_t nunits;
	uint32_t *unit_of, *next;	/* by exec: its unit; the unit's next exec */
	uint32_t nexecs, nfiles, nversions;	/* highest ids */
	uint64_t *names;	/* match_load_names() */
	struct match_key *keys;	/* match_load_keys() */
	uint32_t *there;	/* by file: build_present() */
	const struct build_version *versions;	/* of the build */
	struct match_write *writes;	/* by version */
	size_t nwrites, writes_cap;
	char *from, *to;	/* what is put in place of what; NULL: nothing */
};

struct match {
	struct match_side side[2];
};

/**
 * match_builds - load two builds and find the pairs
 * @map: "A=B", a directory of the first and which it is in the second; NULL: as
 *	the directories of their first commands tell
 *
 * Return: false after diag_fatal(); match_free() in any case.
 */
bool match_builds(struct match *m, struct db *a, struct db *b, const char *map);
void match_free(struct match *m);

/** match_same_call - whether units of both were called with the same arguments, in the same directory */
bool match_same_call(const struct match *m, uint32_t a, uint32_t b);

/** match_same_program - whether units of both are the same program */
bool match_same_program(const struct match *m, uint32_t a, uint32_t b);

/** match_load - match.h's tables of one build, but for pairs and hashes; match_free_side() */
void match_load(struct match_side *s);

/** match_load_names - by file: the hash of its name as it is compared */
void match_load_names(struct match_side *s);

/** match_load_keys - by unit, and the names */
void match_load_keys(struct match_side *s);

/* Hashes of the names of a unit's program and directory. */
static inline uint64_t match_program(const struct match_side *s, uint32_t unit)
{
	return s->names[s->units[unit].program];
}

static inline uint64_t match_cwd(const struct match_side *s, uint32_t unit)
{
	return s->names[s->b->execs[s->units[unit].exec].cwd];
}
void match_free_side(struct match_side *s);

/** match_free_work - free all but what match_put.h needs */
void match_free_work(struct match_side *s);

/** match_writes - who wrote a version.  Return: the first; @n: how many */
const struct match_write *match_writes(const struct match_side *s, uint32_t version, size_t *n);

/* ---- steps (match_steps.c) ---- */

/** match_classify - by the hash of its program's base name: match_unit.schedules, make, shell */
void match_classify(struct match_unit *u, uint64_t name);

static inline bool match_is_make(const struct match_side *s, uint32_t unit)
{
	return s->units[unit].make;
}

static inline bool match_schedules(const struct match_side *s, uint32_t unit)
{
	return s->units[unit].schedules;
}

static inline bool match_is_shell(const struct match_side *s, uint32_t unit)
{
	return s->units[unit].shell;
}

/**
 * match_steps - what make, ninja or the like started, or a script did, with all below it
 *
 * Return: by unit, the first unit of its step; 0: it only calls steps.  Free it.
 */
uint32_t *match_steps(const struct match_side *s);

/** match_step_next - by unit, the next of its step, in the order of their beginning; 0: none.  Free it. */
uint32_t *match_step_next(const struct match_side *s, const uint32_t *step);

/* ---- names ---- */

/** match_name - text as it is compared, appended: of paths, and of arguments */
void match_name(const struct match_side *s, const char *text, size_t len, struct buf *to);

/** match_arg - an argument in the terms of both builds */
void match_arg(const struct match_side *s, const char *arg, struct buf *to);

/** match_has_jobs - whether arguments say how many jobs run at once, which is no difference */
bool match_has_jobs(const char *program);

/** match_guess - from and to of the second, by the directories of the first commands */
void match_guess(struct match *m);

/* Arguments as they are compared: @n strings, each with a NUL behind it. */
void match_args(const struct match_side *s, uint32_t unit, struct buf *to, size_t *n);

/* ---- inputs ---- */

/* A file that a unit read or ran. */
struct match_input {
	uint64_t name;		/* hash, as compared */
	uint32_t version, file;
	uint8_t class;
	bool made;		/* by this build */
	bool identified;
	int64_t size, mtime;
	uint64_t ino;
	int64_t at;		/* since when */
};

struct match_inputs {
	struct match_input *rows;	/* in the order of names, each once */
	size_t n, cap;
};

/**
 * match_inputs - what a unit read and ran, without what it made itself
 *
 * Devices, directories and what has no name are left out.  @to is filled anew;
 * free its rows.
 */
void match_inputs(const struct match_side *s, uint32_t unit, struct match_inputs *to);

/** match_inputs_add - the same, behind what is there; match_inputs_sort() when all are */
void match_inputs_add(const struct match_side *s, uint32_t unit, struct match_inputs *to);
void match_inputs_sort(struct match_inputs *to);

#endif
