/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a command does, by its family's grammar: which sources it compiles, to what, and whether
 * it links.
 */
#ifndef ETRACE_COMMAND_H
#define ETRACE_COMMAND_H

#include "base/buf.h"
#include "command/grammar.h"

#include <stdint.h>

enum command_kind {
	COMMAND_OTHER,		/* no compilation and no link; command.why */
	COMMAND_COMPILE,	/* compiles at least one source; perhaps links, too */
	COMMAND_LINK,		/* links objects only */
	COMMAND_ARCHIVE,
};

/* Why a command is no compilation. */
enum command_why {
	WHY_NONE,
	WHY_NO_COMPILER,	/* it is a program that compiles nothing */
	WHY_ASKS,		/* --version */
	WHY_DEPENDS,		/* -M */
	WHY_PREPROCESSES,	/* -E */
	WHY_STANDARD_INPUT,	/* the source is standard input or /dev/null */
	WHY_NO_SOURCE,
	WHY_IGNORED,		/* somebody said so: a configuration */
};

struct command_source {
	const char *path;	/* as the command has it */
	const char *language;	/* as gcc's -x has it: "c", "c++"; languages.c */
	uint32_t from, to;	/* its arguments: one, or two with the option before it */
};

/* Arguments from @from to before @to. */
struct command_range {
	uint32_t from, to;
};

/* Where the text of an @file comes from. */
struct command_files {
	/* Return: false: it is not there, or not known; then the @file stays as it is */
	bool (*read)(void *ctx, const char *name, struct buf *text);
	void *ctx;
};

/*
 * A command, taken apart.  Strings are those of its arguments, or its own: command_free().
 * Starts as all zeros.
 */
struct command {
	const struct family *family;
	enum command_kind kind;
	enum command_why why;
	char **args;		/* @files in their place; the program first; then a NULL */
	size_t nargs, args_cap;
	struct command_source *sources;
	size_t nsources, sources_cap;
	uint32_t *inputs;	/* of a link or archive: arguments that are its inputs, sources too */
	size_t ninputs, inputs_cap;
	enum option_role stage;	/* ROLE_ASK to ROLE_OBJECT; ROLE_NONE: it compiles and links */
	const char *suffix;	/* of what it makes of a source, if that option says it */
	const char *suffixes;	/* the same, by ROLE_SUFFIX */
	const char *output;	/* as the command has it; NULL: not said */
	const char *linked;	/* output of the link, if that differs; NULL: not said */
	const char *output_dir;
	struct command_range *lists;	/* ROLE_LISTS */
	size_t nlists, lists_cap;
	bool unnamed;		/* if @output is not said, what it is cannot be known */
	size_t inner;		/* of a wrapper: where the command begins in it; 0: nowhere */
	bool links;
	bool unread;		/* an @file could not be read */
	char **owned;		/* strings that came from files */
	size_t nowned, owned_cap;
};

/**
 * command_parse - take a command apart
 * @f: the family of its program, of which the first @own of its @n arguments are the name
 * @args: must stay as long as @c
 * @files: for @files; NULL: these stay as they are
 */
void command_parse(struct command *c, const struct family *f, char **args, size_t n, size_t own,
		   const struct command_files *files);
void command_free(struct command *c);

/**
 * command_output - what becomes of a source
 * @path: a buffer that it is put into
 *
 * Return: false: it makes nothing (ROLE_CHECK, ROLE_ASK).
 */
bool command_output(const struct command *c, const struct command_source *s, struct buf *path);

/**
 * command_program - what a link or archive with inputs makes
 *
 * Return: false: that cannot be known.
 */
bool command_program(const struct command *c, struct buf *path);

/** command_drops - whether an argument is no part of the entry of a source: another source, say */
bool command_drops(const struct command *c, const struct command_source *s, size_t arg);

/**
 * response_words - take the text of an @file apart
 * @add: gets each word, which it owns
 */
void response_words(enum at_files how, const char *text, size_t len,
		    void (*add)(void *ctx, char *word), void *ctx);

#endif
