/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Pairs the programs of two builds.
 *
 * A unit is an exec, together with what its forked children do before an execve.  Units are
 * paired by the files that they made and that still exist at the end, by command and
 * directory, and by their callers. For comparison, the second build's directory is replaced
 * with the first one's in names, and random parts of names are ignored.
 *
 * Memory besides the builds': 48 bytes per unit, 4 per file, 16 per write; while comparing
 * two builds, 56 more per unit and 8 per file.
 */
#ifndef ETRACE_MATCH_H
#define ETRACE_MATCH_H

#include "answers/answers.h"
#include "base/map64.h"
#include "build/build.h"

struct match_unit {
	uint32_t exec;
	uint32_t caller;	/* unit; 0 if none in the trace */
	uint32_t pair;		/* unit of the other build; 0 if none */
	uint32_t program;	/* id of its file */
	uint32_t first, last;	/* first and last of its execs, linked by match_side.next */
	int64_t at, until;	/* ns */
	int32_t status;		/* of its process: signal * 256 + status, -1 if unknown */
	bool schedules;		/* make, ninja and the like: only runs others when they are due */
	bool make;		/* make: reads the output of $(shell ...), and waits for it */
	bool shell;		/* a shell: runs others one after the other */
};

/* Hashes by which a unit is paired. */
struct match_key {
	uint64_t name;		/* base name of its program */
	uint64_t args;		/* arguments */
	uint64_t outs, tree;	/* files made by the unit; by it and all units below it */
	uint64_t least, most;	/* smallest and largest hash of a name in @tree */
	uint64_t context;	/* its command and those of its callers */
};

struct match_write {
	uint32_t version, unit;
	int64_t until;
};

/* One of the two builds. */
struct match_side {
	struct db *db;
	const struct build *b;
	struct match_unit *units;	/* from 1 on, callers first */
	uint32_t nunits;
	uint32_t *unit_of, *next;	/* by exec: its unit; the next exec of that unit */
	uint32_t nexecs, nfiles, nversions;	/* number of ids in use */
	uint64_t *names;	/* by file, see match_load_names() */
	struct match_key *keys;	/* by unit, see match_load_keys() */
	uint32_t *there;	/* by file: build_present() */
	const struct build_version *versions;	/* versions of the build */
	struct match_write *writes;	/* sorted by version, then by unit */
	uint32_t *writes_at;	/* by version: index of its first write; [version + 1]: its end */
	size_t nwrites, writes_cap;
	struct map64 drawn;	/* hashes of base names: see match_load_drawn() */
	char *from, *to;	/* directory @from is compared as @to; NULL if none */
	struct buf roots;	/* pairs of strings: a root directory, and what it is compared as */
};

struct match {
	struct match_side side[2];
};

/**
 * match_builds - load two builds and find the pairs
 * @map: "A=B", a directory of the first build and its path in the second; NULL to guess
 *	it from the directories of their first commands
 *
 * Return: false after diag_fatal(); release with match_free() in any case.
 */
bool match_builds(struct match *m, struct db *a, struct db *b, const char *map);
void match_free(struct match *m);

/** match_same_args - whether units of the builds have the same arguments */
bool match_same_args(const struct match *m, uint32_t a, uint32_t b);

/** match_same_call - whether units of the builds have the same arguments and directory */
bool match_same_call(const struct match *m, uint32_t a, uint32_t b);

/** match_same_program - whether units of the builds run the same program */
bool match_same_program(const struct match *m, uint32_t a, uint32_t b);

/** match_load - load the tables of one build, without pairs and hashes; match_free_side() */
void match_load(struct match_side *s);

/** match_load_names - set names: by file, the hash of its name in the form for comparison */
void match_load_names(struct match_side *s);

/** match_load_keys - set keys: by unit, the hashes by which it is paired; also sets names */
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

/** match_free_work - free everything that match_put.h does not need */
void match_free_work(struct match_side *s);

/** match_writes - the writes of a version.  Return: the first; @n is set to their number */
const struct match_write *match_writes(const struct match_side *s, uint32_t version, size_t *n);

/* ---- steps (match_steps.c) ---- */

/** match_classify - set schedules, make and shell; @name: hash of its program's base name */
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
 * match_steps - divide a build into steps. A step is a unit that make, ninja or the like, or a
 * script started, with all units below it
 *
 * Return: by unit, the first unit of its step; 0 if it only runs steps. Free it.
 */
uint32_t *match_steps(const struct match_side *s);

/** match_step_next - by unit, the next unit that began in its step; 0 if none.  Free it. */
uint32_t *match_step_next(const struct match_side *s, const uint32_t *step);

/* ---- names ---- */

/**
 * match_load_drawn - find names of temporary files with a random part, such as .tmp_6733. Call it
 * after match_load() of both builds
 */
void match_load_drawn(struct match *m);

/**
 * match_random - number of bytes in a name that gcc, mktemp and the like chose at random; 0 if
 * none
 */
size_t match_random(const char *name, size_t len);

/**
 * match_drawn - append the name of a temporary file without its random part
 *
 * Return: false if @name is not in s->drawn.
 */
bool match_drawn(const struct match_side *s, const char *name, size_t len, struct buf *to);

/** match_name - append a path or text in its form for comparison */
void match_name(const struct match_side *s, const char *text, size_t len, struct buf *to);

/** match_arg - append an argument in its form for comparison */
void match_arg(const struct match_side *s, const char *arg, struct buf *to);

/** match_has_jobs - whether a program has arguments such as -j, which are ignored */
bool match_has_jobs(const char *program);

/**
 * match_guess - guess @from and @to of the second build from the directories of the first commands
 */
void match_guess(struct match *m);

/** match_add_root - let paths below the root directory @root be compared as if it were @as */
void match_add_root(struct match_side *s, const char *root, const char *as);

/**
 * match_guess_roots - pair the root directories that only one of the builds has, in their order
 *
 * Tools that build in a chroot often give it another name each time.
 */
void match_guess_roots(struct match *m);

/**
 * match_args - append the arguments in their form for comparison: @n strings, each ended by a NUL
 */
void match_args(const struct match_side *s, uint32_t unit, struct buf *to, size_t *n);

/** match_own_args - append the arguments as they were in the build, as match_args() does */
void match_own_args(const struct match_side *s, uint32_t unit, struct buf *to, size_t *n);

/** match_begins - length of a directory if a text begins with it, else 0; @dir: NULL if none */
size_t match_begins(const char *dir, const char *text, size_t len);

/* ---- inputs ---- */

/* A file that a unit read or ran. */
struct match_input {
	uint64_t name;		/* hash of its name in the form for comparison */
	uint32_t version, file;
	uint8_t class;		/* enum graph_class */
	bool made;		/* by this build */
	bool identified;	/* size and mtime are known */
	int64_t size, mtime;	/* bytes; ns since 1970 */
	uint64_t ino;
	int64_t at;		/* when the unit first used it, ns */
};

struct match_inputs {
	struct match_input *rows;	/* by @name, each once */
	size_t n, cap;
};

/**
 * match_inputs - the files that a unit read and ran, without those that it made itself
 *
 * Leaves out devices, directories and files without a name. Overwrites @to; free its rows.
 */
void match_inputs(const struct match_side *s, uint32_t unit, struct match_inputs *to);

/* ---- whether a file is the same in both builds: match_change.c ---- */

/* What files were compared by; bits. */
enum match_by {
	MATCH_BY_CONTENT = 1,	/* both recordings have hashes of the content */
	MATCH_BY_TIME = 2,	/* size, mtime and inode number */
};

/* How a file of the second build differs from that of the first. */
enum match_change {
	MATCH_SAME,
	MATCH_UNKNOWN,		/* the recordings have nothing to compare */
	MATCH_SIZE,
	MATCH_CONTENT,		/* the sizes are equal or unknown; the hashes differ */
	MATCH_TIME,		/* the mtime differs; the contents are not recorded */
	MATCH_REPLACED,		/* only the inode number differs; the contents are not recorded */
};

/** match_content - whether versions of the two builds had the same content, if both recorded it */
enum build_same match_content(const struct match *m, uint32_t first, uint32_t second);

/**
 * match_change - how version @second of the second build differs from @first of the first
 * @by: set to what they were compared by, bits of enum match_by; 0 if unknown. May be NULL.
 *
 * Recorded contents decide if both builds have them: a file with only another time stamp is the
 * same.
 */
enum match_change match_change(const struct match *m, uint32_t first, uint32_t second, uint8_t *by);

/** match_by_name - enum match_by as text, as in JSON; NULL if nothing was compared */
const char *match_by_name(uint8_t by);

/** match_put_by - print why files were compared by time stamps, in one line */
void match_put_by(const struct match *m, struct out *out);

/** match_inputs_add - add the inputs of a unit to @to; then call match_inputs_sort() once */
void match_inputs_add(const struct match_side *s, uint32_t unit, struct match_inputs *to);
void match_inputs_sort(struct match_inputs *to);

#endif
