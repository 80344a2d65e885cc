/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The commands of a build that compile or link, and which of them become entries of a
 * compilation database.  Shared by compdb*.c only.
 *
 * compdb_collect.c finds the commands in the trace, with compdb_files.c for @files;
 * compdb_judge.c decides which of them are entries, with compdb_proper.c for compilers proper;
 * compdb_select.c drops those that the user does not want, with compdb_trials.c for trials of
 * configure scripts; compdb_entry.c makes the entries.
 */
#ifndef ETRACE_COMPDB_PARTS_H
#define ETRACE_COMPDB_PARTS_H

#include "answers/compdb.h"
#include "base/map64.h"
#include "command/command.h"
#include "command/config.h"
#include "build/args.h"

/* Whether a source of a command is an entry; if not, why. */
enum compdb_fate {
	FATE_ENTRY,		/* it is an entry */
	FATE_INNER,		/* command @by, which this one ran, compiles the source */
	FATE_PART,		/* the command is part of a step of command @by */
	FATE_NOT_READ,		/* the command is a script, and no program that it ran read it */
	FATE_NOT_COMPILED,	/* the compiler proper compiled other sources */
	FATE_OTHER,		/* the command compiles nothing: see command.why */
	/* it would be an entry, but: */
	FATE_EXCLUDED,		/* the configuration excludes its directory */
	FATE_GONE,		/* the source does not exist any more */
	FATE_TRIAL,		/* a trial of a configure script */
	FATE_DUPLICATE,		/* command @by has an equal entry */
};

struct compdb_source {
	char *file;		/* absolute path */
	bool read;		/* the command, or a program that it ran, read it */
	enum compdb_fate fate;
	uint32_t by;		/* 1 + index of a command */
};

/* An exec that is a driver, a compiler proper, a linker or an archiver. */
struct compdb_command {
	uint32_t exec, up;	/* @up: 1 + index of the nearest command above it; 0 if none */
	bool succeeded;		/* ended with status 0 */
	const char *directory;
	char *text, **args;	/* all @nargs arguments, with wrappers */
	size_t nargs, inner;	/* @inner: index where the command begins, after wrappers */
	const char *called;	/* its program's name or path: args[inner] */
	size_t begin;		/* index of its first argument after a script's interpreter */
	size_t own;		/* number of arguments in the program's name: 2 for "zig cc" */
	const struct family *wrapper;	/* the program that ran, if it is a wrapper; else NULL */
	bool ignored;		/* the configuration ignores it */
	bool weak;		/* a script, or known by name only: it may do anything */
	uint32_t proper;	/* 1 + index of the last compiler proper that it ran; 0 if none */
	uint32_t next_proper;	/* compiler proper: the previous one, as in @proper */
	uint32_t made;		/* 1 + index of the last assembler or linker it ran; 0 if none */
	uint32_t step;		/* 1 + index of the command of its step; 0 if none */
	struct command cmd;
	struct compdb_source *sources;	/* one for each of cmd.sources */
	enum compdb_fate link;	/* whether its link is an entry; if not, why */
	char *output;		/* absolute path of the output of a link or archive */
	char **rebuilt;		/* arguments that replace a missing @file; or NULL */
	char **words;		/* @nwords owned strings, used by @rebuilt or @cmd */
	size_t nwords, words_cap;
	bool in_part;		/* @rebuilt may lack some of the file's arguments */
	struct buf env;		/* variables that affect it: name, NUL, value, NUL */
};

struct compdb_list {
	struct db *db;
	const struct compdb *o;
	struct compdb_command *rows;
	size_t n, cap;
	struct args args;	/* arguments of all execs */
	uint32_t *near;		/* by exec: 1 + index of its own or the nearest higher command */
	struct map64 directories;	/* by file: its path */
	struct map64 passed;	/* by exec: COLLECT_GCC_OPTIONS, a string; valid if @passed_read */
	bool passed_read;
};

/* One entry. */
struct compdb_entry {
	uint32_t exec;
	uint32_t command;	/* 1 + index; 0 if the entry is an old one */
	uint32_t source;	/* index in the command's sources; not for links */
	const char *file_said;	/* @file as written in the command */
	const char *directory;
	char *file;
	char *output, *said;	/* absolute, and as in the command; NULL if it makes no file */
	const char **args;	/* @nargs strings, owned by commands */
	size_t nargs, cap;
	char **inputs;		/* inputs of links and archives; else NULL */
	size_t ninputs;
	const char *old;	/* an old entry that is kept, as JSON; else NULL */
};

struct compdb_entries {
	struct compdb_entry *rows;
	size_t n, cap;
};

static inline bool compdb_is_proper(const struct compdb_command *c)
{
	return c->cmd.family->tool == TOOL_PROPER;
}

/** compdb_compiles - whether a command compiles, and is not a compiler proper */
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

/** compdb_own - let a command own a malloc()ed string.  Return: the string. */
const char *compdb_own(struct compdb_command *c, char *word);

/** compdb_has_file - whether a command has, or had, an argument that is an @file */
bool compdb_has_file(const struct compdb_command *c);

/** compdb_source_of - the source of a command with an absolute path; NULL if none */
struct compdb_source *compdb_source_of(struct compdb_command *c, const char *file);

/**
 * compdb_absolute - make a path relative to @directory absolute and clean; freed by the caller
 */
char *compdb_absolute(const char *directory, const char *path);

/** compdb_collect - find all commands of a build; release them with compdb_list_free() */
void compdb_collect(struct compdb_list *l, struct db *db, const struct compdb *o);
void compdb_list_free(struct compdb_list *l);

/** compdb_take - parse a command, perhaps again: sets cmd, sources, output */
void compdb_take(struct compdb_list *l, struct compdb_command *c, char **args, size_t n);

/**
 * compdb_read_file - read an @file as a command did
 * @path: absolute
 *
 * Return: false if the file has changed since, or may have.
 */
bool compdb_read_file(struct db *db, uint32_t exec, const char *path, struct buf *text);

/**
 * compdb_rebuild - replace missing @files with the arguments that the compilers proper received
 */
void compdb_rebuild(struct compdb_list *l);

/** compdb_add_sources - add sources that appear only in the arguments of compilers proper */
void compdb_add_sources(struct compdb_list *l);

/** compdb_check - compare drivers with their compilers proper, which are authoritative */
void compdb_check(struct compdb_list *l);

/** compdb_load_env - load variables of commands; options in them become arguments */
void compdb_load_env(struct compdb_list *l);

/** compdb_check_env - report if the recording lacks variables that compilers of entries read */
void compdb_check_env(struct compdb_list *l);

/**
 * compdb_env_options - options with the effect of environment variables, for a language
 * @before: the options that go before the arguments, else those that go after them
 *
 * Return: their number; they are the last words in c->words.
 */
size_t compdb_env_options(struct compdb_command *c, const char *language, bool before);

/** compdb_judge - set the fate of each source and link */
void compdb_judge(struct compdb_list *l);

/** compdb_make_entries - make an entry for each FATE_ENTRY; free each with compdb_free_entry() */
void compdb_make_entries(struct compdb_entries *to, struct compdb_list *l);
void compdb_free_entry(struct compdb_entry *e);

/** compdb_select - change the fate of entries that the user excludes */
void compdb_select(struct compdb_list *l);

/** compdb_is_trial - whether a source was only compiled as a trial of a configure script */
bool compdb_is_trial(struct compdb_list *l, const struct compdb_command *c, size_t source);

/** compdb_drop_duplicates - of entries with equal members, keep only the first */
void compdb_drop_duplicates(struct compdb_entries *e, struct compdb_list *l);

/** compdb_find - do all of the above: find the entries that the user wants, sorted */
void compdb_find(struct compdb_entries *l, struct compdb_list *list, struct db *db,
		 const struct compdb *c);
void compdb_free_entries(struct compdb_entries *l);

/** compdb_sort - sort entries by file and output */
void compdb_sort(struct compdb_entries *l);

#endif
