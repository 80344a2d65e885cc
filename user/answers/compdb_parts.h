/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The commands of a build that compile or link, and what becomes of each: the parts of
 * compdb.h.
 *
 * compdb_collect.c takes them out of the trace, compdb_judge.c decides which of them are
 * entries, with compdb_files.c for @files and compdb_proper.c for compilers proper;
 * compdb_select.c leaves out what is not asked for, with compdb_trials.c for what was only tried
 * out; compdb_entry.c makes entries of the rest.
 */
#ifndef ETRACE_COMPDB_PARTS_H
#define ETRACE_COMPDB_PARTS_H

#include "answers/compdb.h"
#include "base/map64.h"
#include "command/command.h"
#include "command/config.h"
#include "build/args.h"

/* What becomes of a source of a command. */
enum compdb_fate {
	FATE_ENTRY,		/* it is an entry */
	FATE_INNER,		/* the command @by, which this one ran, compiles it */
	FATE_PART,		/* it is part of what the command @by does */
	FATE_NOT_READ,		/* a script, and nothing that it ran read it */
	FATE_NOT_COMPILED,	/* what the compiler proper compiled were others */
	FATE_OTHER,		/* the command compiles nothing: command.why */
	/* it would be one, but is not asked for */
	FATE_EXCLUDED,		/* by a directory of the configuration */
	FATE_GONE,		/* the source is not there any more */
	FATE_TRIAL,		/* only tried out */
	FATE_DUPLICATE,		/* of an entry of the command @by */
};

struct compdb_source {
	char *file;		/* absolute path */
	bool read;		/* something that the command ran read it */
	enum compdb_fate fate;
	uint32_t by;		/* a command, from 1 on */
};

/* An exec that is a driver, a compiler proper, a linker or an archiver. */
struct compdb_command {
	uint32_t exec, up;	/* @up: the nearest command that ran it, from 1 on; 0: none */
	bool succeeded;		/* with status 0 */
	const char *directory;
	char *text, **args;	/* as it ran, with wrappers; @nargs */
	size_t nargs, inner;	/* @inner: where the command begins behind wrappers */
	const char *called;	/* its program's name or path: args[inner] */
	size_t begin;		/* where it begins as it was called: behind a script's interpreter */
	size_t own;		/* arguments that are the name of the program: "zig cc" */
	const struct family *wrapper;	/* what was run, if that is a wrapper; else NULL */
	bool ignored;		/* the configuration says so */
	bool weak;		/* a script, or known by its name only: it may do anything */
	uint32_t proper;	/* the last compiler proper that it ran, from 1 on; next_proper */
	uint32_t next_proper;
	uint32_t made;		/* the same of assemblers and linkers */
	uint32_t step;		/* a command whose step it is a part of, from 1 on; 0: none */
	struct command cmd;
	struct compdb_source *sources;	/* of cmd.sources */
	enum compdb_fate link;	/* what becomes of it as a link */
	char *output;		/* of a link or archive: absolute */
	char **rebuilt;		/* arguments that stand for an @file that is gone; or NULL */
	char **words;		/* strings of these, or of @cmd, that are its own; @nwords */
	size_t nwords, words_cap;
	bool in_part;		/* not all that stood in it is known */
	struct buf env;		/* variables that decide what it does: name, NUL, value, NUL */
};

struct compdb_list {
	struct db *db;
	const struct compdb *o;
	struct compdb_command *rows;
	size_t n, cap;
	struct args args;	/* of all execs */
	uint32_t *near;		/* by exec: the command that it is, or is below; from 1 on */
	struct map64 directories;	/* by file: its path */
	struct map64 passed;	/* by exec: COLLECT_GCC_OPTIONS, a string; if @passed_read */
	bool passed_read;
};

/* One entry. */
struct compdb_entry {
	uint32_t exec;
	uint32_t command;	/* from 1 on; 0: of before */
	uint32_t source;	/* of the command's; not of links */
	const char *file_said;	/* as the command has it */
	const char *directory;
	char *file;
	char *output, *said;	/* absolute, and as the command has it; NULL: it makes nothing */
	const char **args;	/* those of commands; @nargs */
	size_t nargs, cap;
	char **inputs;		/* of links and archives; or NULL */
	size_t ninputs;
	const char *old;	/* one that was there before, and stays: as JSON */
};

struct compdb_entries {
	struct compdb_entry *rows;
	size_t n, cap;
};

static inline bool compdb_is_proper(const struct compdb_command *c)
{
	return c->cmd.family->tool == TOOL_PROPER;
}

/** compdb_compiles - whether it is a driver's, and compiles */
static inline bool compdb_compiles(const struct compdb_command *c)
{
	return c->cmd.kind == COMMAND_COMPILE && !compdb_is_proper(c);
}

/** compdb_is_entry - whether any of its sources is an entry so far */
static inline bool compdb_is_entry(const struct compdb_command *c)
{
	for (size_t i = 0; i < c->cmd.nsources; i++)
		if (c->sources[i].fate == FATE_ENTRY)
			return true;
	return false;
}

/** compdb_own - let a command have a string of malloc().  Return: it. */
const char *compdb_own(struct compdb_command *c, char *word);

/** compdb_has_file - whether a command has an argument that is, or was, an @file */
bool compdb_has_file(const struct compdb_command *c);

/** compdb_source_of - its source of an absolute path, or NULL */
struct compdb_source *compdb_source_of(struct compdb_command *c, const char *file);

/** compdb_absolute - a path that a command means, clean */
char *compdb_absolute(const char *directory, const char *path);

/** compdb_collect - all commands of a build; compdb_list_free() */
void compdb_collect(struct compdb_list *l, struct db *db, const struct compdb *o);
void compdb_list_free(struct compdb_list *l);

/** compdb_take - take a command apart, again if need be: cmd, sources, output */
void compdb_take(struct compdb_list *l, struct compdb_command *c, char **args, size_t n);

/**
 * compdb_read_file - the text of an @file as a command read it
 *
 * Return: false: the file is not what it was, or it is not known that it is.
 */
bool compdb_read_file(struct compdb_list *l, uint32_t exec, const char *directory,
		      const char *name, struct buf *text);

/** compdb_rebuild - the arguments of commands whose @files are gone, of what their compilers got */
void compdb_rebuild(struct compdb_list *l);

/** compdb_add_sources - those that compilers proper had, and their drivers' arguments do not tell */
void compdb_add_sources(struct compdb_list *l);

/** compdb_check - drivers against their compilers proper, which have the last word */
void compdb_check(struct compdb_list *l);

/** compdb_load_env - the variables of each, those that hold arguments as its arguments */
void compdb_load_env(struct compdb_list *l);

/** compdb_check_env - say so if variables that compilers of entries read were not recorded */
void compdb_check_env(struct compdb_list *l);

/**
 * compdb_env_options - options that say what variables did, of sources in a language
 * @before: those that stand before the arguments, not behind them
 *
 * Return: how many: the last ones of its words.
 */
size_t compdb_env_options(struct compdb_command *c, const char *language, bool before);

/** compdb_judge - what becomes of each */
void compdb_judge(struct compdb_list *l);

/** compdb_make_entries - of those that are asked for, for compdb_free_entry() */
void compdb_make_entries(struct compdb_entries *to, struct compdb_list *l);
void compdb_free_entry(struct compdb_entry *e);

/** compdb_select - which of them are asked for: the others get a fate that says why not */
void compdb_select(struct compdb_list *l);

/** compdb_is_trial - whether a source was only compiled to try something out */
bool compdb_is_trial(struct compdb_list *l, const struct compdb_command *c, size_t source);

/** compdb_drop_duplicates - all but the first of those that have the same members */
void compdb_drop_duplicates(struct compdb_entries *e, struct compdb_list *l);

/** compdb_find - all of the above: the entries that are asked for, sorted */
void compdb_find(struct compdb_entries *l, struct compdb_list *list, struct db *db,
		 const struct compdb *c);
void compdb_free_entries(struct compdb_entries *l);

/** compdb_sort - by file and output */
void compdb_sort(struct compdb_entries *l);

#endif
