/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * How compilers, wrappers, linkers and archivers read their command lines, as data.
 *
 * A family is all that read theirs the same way.  Its options are rows of tables, in FAMILY.def
 * beside this file.  Nothing of traces here.
 */
#ifndef ETRACE_COMMAND_GRAMMAR_H
#define ETRACE_COMMAND_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

/* Where an option has its value; several may hold: "-ofile", "-o file". */
enum option_form {
	ALONE = 1,		/* it has none */
	JOINED = 2,		/* right behind it */
	NEXT = 4,		/* the next argument */
	EQUALS = 8,		/* behind a "=" */
	COLON = 16,		/* behind a ":" */
	NEXT_2 = 32,		/* the next two arguments; NEXT_3: three */
	NEXT_3 = 64,
	BOTH = 128,		/* a part of it right behind it, the other one is the next argument */
};

/*
 * What an option, or its value, means.  Of the first ones the strongest one given decides: later
 * ones are weaker; of equally strong ones the last.
 */
enum option_role {
	ROLE_NONE,
	/* how far it goes */
	ROLE_ASK,		/* asks something: nothing is compiled */
	ROLE_DEPENDS,		/* only lists what a source includes */
	ROLE_PREPROCESS,	/* only preprocesses */
	ROLE_CHECK,		/* compiles, and makes nothing of it */
	ROLE_PRECOMPILE,	/* to a precompiled header or module; text: its suffix */
	ROLE_ASSEMBLY,		/* to assembly, or what the family has; text: suffix, ".s" */
	ROLE_OBJECT,		/* to an object, and does not link; text: suffix, or the family's */
	ROLE_STAGES,		/* number of the ones above */

	ROLE_OUTPUT,		/* value: the output; a directory if it ends in a slash */
	ROLE_LINKED,		/* value, or else text: output of the link, if nothing else says it */
	ROLE_UNNAMED,		/* with it, only ROLE_OUTPUT would say what the output is called */
	ROLE_GOES_ON,		/* it compiles in spite of ROLE_DEPENDS and ROLE_PREPROCESS */
	ROLE_OUTPUT_DIR,	/* value: the directory of outputs */
	ROLE_LANGUAGE,		/* value, or else text: the language of sources behind it; "none" ends */
	ROLE_ALL_LANGUAGE,	/* text: the language of all sources, wherever they are */
	ROLE_SOURCE,		/* value: a source; text: its language */
	ROLE_INPUT,		/* value: an input of a link that is no source */
	ROLE_ARGUMENTS,		/* value: a file of arguments, read as an @file is */
	ROLE_SUFFIX,		/* text: suffix of what ROLE_ASSEMBLY and ROLE_OBJECT make: ".ll .bc" */
	ROLE_FILES,		/* all behind it are files: "--" */
	ROLE_REST,		/* all behind it is for another program, the linker: "/link" */
	ROLE_LISTS,		/* writes a list of commands: no part of an entry of one */
	ROLE_INTERNAL,		/* of a compiler proper: between it and its driver, for nobody else */
};

struct option {
	const char *name;	/* with its dashes, as it is written; without "=" and ":" */
	unsigned char forms;	/* enum option_form, one or several */
	unsigned char role;	/* enum option_role */
	const char *text;	/* as the role has it, or NULL */
};

/* Options of a family, or some that several families have; in the order of strcmp(). */
#define OPTION_LETTERS	128

struct option_set {
	const struct option *rows;
	unsigned short n;
	unsigned short *letters;	/* OPTION_LETTERS + 1: where those of each begin; found once */
};

enum tool {
	TOOL_NONE,
	TOOL_DRIVER,		/* people call it: gcc */
	TOOL_PROPER,		/* a compiler proper, which a driver starts: cc1 */
	TOOL_WRAPPER,		/* has a whole command behind its own options: ccache */
	TOOL_LINKER,
	TOOL_ARCHIVER,
};

/* How the words of an @file are quoted. */
enum at_files {
	AT_NONE,		/* "@x" is an argument as any other */
	AT_GNU,			/* as a shell does, without expansions */
	AT_LINES,		/* each line is one */
	AT_WINDOWS,		/* only double quotes; a backslash escapes only these */
};

/* A variable that adds options to a command line. */
struct family_env {
	const char *name;
	const char *option;	/* before each directory of a list; NULL: it holds whole arguments */
	const char *languages;	/* it is for sources in these, with spaces between; NULL: all */
	char separator;		/* between directories; 0: a colon */
	bool before;		/* it stands before the arguments of the command line, not behind them */
};

#define FAMILY_SETS	4

struct family {
	const char *name;	/* as a configuration file says it: "gcc" */
	/*
	 * Of its programs, with spaces between.  "zig+cc": the first argument is part of it.
	 * A target before it, and a version or ".exe" behind it do not matter.
	 */
	const char *programs;
	enum tool tool;
	const struct option_set *sets[FAMILY_SETS];	/* looked through in this order */
	const char *dashes;	/* what an option begins with: "-", or "-/" */
	const char *languages;	/* that it compiles, with spaces between: see families.c */
	const char *language;	/* of files whose name does not say it; NULL: these are no sources */
	const char *object;	/* suffix: ".o"; NULL: what it makes is called otherwise */
	const char *program;	/* what a link is called by default: "a.out"; "*.exe": by its first input */
	enum at_files at;
	bool runs;		/* a wrapper that always runs its command, and has no results at hand */
	bool compiles_only;	/* it never links: ROLE_OBJECT need not be said */
	bool together;		/* its sources are one module: each entry keeps all of them */
	bool ignores_case;	/* of its options */
	const struct family_env *env;	/* ends with a row without a name; or NULL */
};

/* All of them; ends with a row without a name. */
extern const struct family families[];

/** family_named - by its name; NULL: there is none */
const struct family *family_named(const char *name, size_t len);

/**
 * family_of - by what was executed
 * @program: path or name of a program
 * @first: its first argument, or NULL; for "zig cc"
 * @args: set to how many of the arguments belong to the program's name: 1, or 2
 *
 * Return: NULL: it is none of ours.
 */
const struct family *family_of(const char *program, const char *first, size_t *args);

/**
 * option_find - which option an argument is
 * @arg: the argument, which begins with one of the family's dashes
 * @form: set to where its value is: one of enum option_form
 * @value: set to its value, if that is part of the argument; else NULL
 *
 * Return: that with the longest name; NULL: not known, so that it has no value of its own.
 */
const struct option *option_find(const struct family *f, const char *arg, enum option_form *form,
				 const char **value);

/** option_values - how many of the next arguments are an option's values */
size_t option_values(enum option_form form);

/** family_takes_word - whether a program's first argument may be part of its name */
bool family_takes_word(const char *program);

/** language_of - of a source, by its name; NULL: none that @f compiles */
const char *language_of(const struct family *f, const char *path);

/** has_word - whether @word is in a list with spaces or ends of lines between */
bool has_word(const char *list, const char *word, size_t len);

#endif
