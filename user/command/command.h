/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses a command line by its family's grammar: which sources it compiles, to which outputs,
 * and whether it links.
 */
#ifndef ETRACE_COMMAND_H
#define ETRACE_COMMAND_H

#include "base/buf.h"
#include "command/grammar.h"

#include <stdint.h>

enum command_kind {
	COMMAND_OTHER,		/* neither compiles nor links; see command.why */
	COMMAND_COMPILE,	/* compiles at least one source; perhaps links, too */
	COMMAND_LINK,		/* links objects only */
	COMMAND_ARCHIVE,
};

/* Why a command is not a compilation. */
enum command_why {
	WHY_NONE,
	WHY_NO_COMPILER,	/* the program is not a compiler */
	WHY_ASKS,		/* --version */
	WHY_DEPENDS,		/* -M */
	WHY_PREPROCESSES,	/* -E */
	WHY_STANDARD_INPUT,	/* the source is standard input or /dev/null */
	WHY_NO_SOURCE,
	WHY_IGNORED,		/* ignored by the configuration */
};

struct command_source {
	const char *path;	/* as written in the command */
	const char *language;	/* as for gcc -x: "c", "c++" */
	/* its arguments, up to before @to: a word, or an option and value */
	uint32_t from, to;
};

/* Arguments from @from up to before @to. */
struct command_range {
	uint32_t from, to;
};

/* The source of the text of @files. */
struct command_files {
	/* Return: false if it does not exist or is unknown; the argument then stays "@file" */
	bool (*read)(void *ctx, const char *name, struct buf *text);
	void *ctx;
};

/*
 * A parsed command.  Its strings point into the caller's arguments, or into @owned, which
 * command_free() frees.  Starts as all zeros.
 */
struct command {
	const struct family *family;
	enum command_kind kind;
	enum command_why why;
	char **args;		/* program first, @files replaced by their words; ends with NULL */
	size_t nargs, args_cap;
	struct command_source *sources;
	size_t nsources, sources_cap;
	uint32_t *inputs;	/* arguments that are sources, or inputs of a link or archive */
	size_t ninputs, inputs_cap;
	enum option_role stage;	/* ROLE_ASK to ROLE_OBJECT; ROLE_NONE if it compiles and links */
	const char *suffix;	/* suffix of outputs, from the option of @stage; NULL if none */
	const char *suffixes;	/* suffixes of outputs from ROLE_SUFFIX; NULL if not given */
	const char *output;	/* as written in the command; NULL if not given */
	const char *linked;	/* output of the link from ROLE_LINKED; NULL if not given */
	const char *output_dir;	/* NULL if not given */
	struct command_range *lists;	/* arguments of ROLE_LISTS */
	size_t nlists, lists_cap;
	bool unnamed;		/* the name of the output is unknown unless @output is given */
	/* for a wrapper: index where the inner command begins; 0 if none */
	size_t inner;
	bool links;
	bool unread;		/* an @file could not be read */
	char **owned;		/* strings that came from files */
	size_t nowned, owned_cap;
};

/**
 * command_parse - parse a command
 * @c: set; release it with command_free()
 * @f: the family of its program
 * @args: its @n arguments; must live as long as @c
 * @own: number of arguments in the program's name, see family_of()
 * @files: reads @files; NULL leaves these arguments as they are
 */
void command_parse(struct command *c, const struct family *f, char **args, size_t n, size_t own,
		   const struct command_files *files);
void command_free(struct command *c);

/** command_prints - whether its output goes to standard output: gcc -S -o - a.c */
bool command_prints(const struct command *c);

/**
 * command_output - the output that is made from a source
 * @path: set to its path
 *
 * Return: false if it makes none (ROLE_CHECK, ROLE_ASK), prints it, or its name is unknown.
 */
bool command_output(const struct command *c, const struct command_source *s, struct buf *path);

/**
 * command_program - the output of a link or archive with inputs
 * @path: set to its path
 *
 * Return: false if its name is unknown.
 */
bool command_program(const struct command *c, struct buf *path);

/** command_drops - whether the entry of a source leaves an argument out, such as another source */
bool command_drops(const struct command *c, const struct command_source *s, size_t arg);

/**
 * response_words - split the text of an @file into words
 * @how: how the words are quoted
 * @add: called for each word, which it must free
 */
void response_words(enum at_files how, const char *text, size_t len,
		    void (*add)(void *ctx, char *word), void *ctx);

#endif
