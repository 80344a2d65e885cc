/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Data about how compilers, wrappers, linkers and archivers read their command lines.
 *
 * A family is a group of programs that read their command lines the same way.  Its options are
 * rows of tables, in FAMILY.def in this directory.  Independent of traces.
 */
#ifndef ETRACE_COMMAND_GRAMMAR_H
#define ETRACE_COMMAND_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where the value of an option is; bits, because an option may have several forms: "-ofile", "-o
 * file".
 */
enum option_form {
	ALONE = 1,		/* no value */
	JOINED = 2,		/* directly after the option */
	NEXT = 4,		/* in the next argument */
	EQUALS = 8,		/* after a "=" */
	COLON = 16,		/* after a ":" */
	NEXT_2 = 32,		/* in the next two arguments */
	NEXT_3 = 64,		/* in the next three arguments */
	/* one part directly after the option, the other in the next argument */
	BOTH = 128,
};

/*
 * The meaning of an option or its value. The roles up to ROLE_OBJECT say after which stage a
 * command stops, from strongest to weakest. The strongest one given decides; if it is given several
 * times, the last one counts.
 */
enum option_role {
	ROLE_NONE,
	/* where the command stops, the strongest first */
	ROLE_ASK,		/* prints something such as the version: nothing is compiled */
	ROLE_DEPENDS,		/* only lists what a source includes */
	ROLE_PREPROCESS,	/* only preprocesses */
	ROLE_CHECK,		/* only checks sources, without an output */
	ROLE_PRECOMPILE,	/* makes a precompiled header or module; text: its suffix */
	ROLE_ASSEMBLY,		/* makes assembly or the family's equivalent; text: suffix, ".s" */
	ROLE_OBJECT,		/* makes an object, without a link; text: suffix, or the family's */
	ROLE_STAGES,		/* number of the roles above */

	ROLE_OUTPUT,		/* value: the output; a directory if it ends in a slash */
	ROLE_LINKED,		/* value, or else text: output of the link; ROLE_OUTPUT wins */
	ROLE_UNNAMED,		/* the name of the output is unknown unless ROLE_OUTPUT is given */
	ROLE_GOES_ON,		/* compiles in spite of ROLE_DEPENDS and ROLE_PREPROCESS */
	ROLE_OUTPUT_DIR,	/* value: the directory of outputs */
	ROLE_LANGUAGE,		/* value, or else text: language of later sources, until "none" */
	ROLE_ALL_LANGUAGE,	/* text: the language of all sources, wherever they are */
	ROLE_SOURCE,		/* value: a source; text: its language */
	ROLE_INPUT,		/* value: an input of a link that is not a source */
	ROLE_ARGUMENTS,		/* value: a file of arguments, read like an @file */
	ROLE_SUFFIX,		/* text: suffixes for ROLE_ASSEMBLY and ROLE_OBJECT: ".ll .bc" */
	ROLE_FILES,		/* all arguments after it are files: "--" */
	ROLE_REST,		/* all arguments after it are for the linker: "/link" */
	ROLE_LISTS,		/* writes a compilation database: left out of entries */
	ROLE_INTERNAL,		/* for a compiler proper: used only between it and its driver */
};

struct option {
	const char *name;	/* with its dashes, but without "=" and ":" */
	unsigned char forms;	/* bits of enum option_form */
	unsigned char role;	/* enum option_role */
	const char *text;	/* depends on the role; NULL if not needed */
};

/* Options of a family, or options that several families share; sorted by strcmp(). */
#define OPTION_LETTERS	128

struct option_set {
	const struct option *rows;
	unsigned short n;
	unsigned short *letters;	/* by letter: index of its first row; the last one is @n */
};

enum tool {
	TOOL_NONE,
	TOOL_DRIVER,		/* a compiler driver, which people run: gcc */
	TOOL_PROPER,		/* a compiler proper, which a driver starts: cc1 */
	TOOL_WRAPPER,		/* runs the command that follows its own options: ccache */
	TOOL_LINKER,
	TOOL_ARCHIVER,
};

/* How the words of an @file are quoted. */
enum at_files {
	AT_NONE,		/* "@x" is an ordinary argument */
	AT_GNU,			/* as in a shell, without expansions */
	AT_LINES,		/* each line is one word */
	AT_WINDOWS,		/* only double quotes; a backslash escapes only these */
};

/* An environment variable that adds options to a command line. */
struct family_env {
	const char *name;
	const char *option;	/* put before each directory in it; NULL if it holds arguments */
	const char *languages;	/* languages of its sources, separated by spaces; NULL for all */
	char separator;		/* between directories; 0 for a colon */
	bool before;		/* its options go before the arguments of the command line */
};

#define FAMILY_SETS	4

struct family {
	const char *name;	/* as in configuration files: "gcc" */
	/*
	 * Names of its programs, separated by spaces.  In "zig+cc", "cc" is the first argument.
	 * A target before the name, and a version or ".exe" after it are ignored.
	 */
	const char *programs;
	enum tool tool;
	const struct option_set *sets[FAMILY_SETS];	/* searched in this order */
	const char *dashes;	/* characters that options begin with: "-", or "-/" */
	/* languages that it compiles, separated by spaces: see families.c */
	const char *languages;
	const char *language;	/* of files with unknown suffixes; NULL if these are not sources */
	const char *object;	/* suffix of objects: ".o"; NULL if named differently */
	const char *program;	/* default output of a link: "a.out"; "*": an input's name */
	enum at_files at;
	/* a wrapper that always runs its command, because it caches no results */
	bool runs;
	bool compiles_only;	/* never links, even without an option with ROLE_OBJECT */
	bool together;		/* its sources are one module: each entry keeps all of them */
	bool ignores_case;	/* upper and lower case are equal in names of options */
	const struct family_env *env;	/* ends with a row without a name; NULL if none */
};

/* All families; ends with a row without a name. */
extern const struct family families[];

/** family_named - find a family by its name; NULL if none */
const struct family *family_named(const char *name, size_t len);

/**
 * family_of - find the family of a program
 * @program: path or name of the program
 * @first: its first argument, or NULL; for "zig cc"
 * @args: set to how many of the arguments belong to the program's name: 1 or 2
 *
 * Return: NULL if it is in no family.
 */
const struct family *family_of(const char *program, const char *first, size_t *args);

/**
 * option_find - find the option of an argument
 * @arg: the argument, which begins with one of the family's dashes
 * @form: set to where its value is: one of enum option_form
 * @value: set to its value if that is part of the argument, else to NULL
 *
 * Return: the matching option with the longest name; NULL if it is unknown, and then assumed to
 * have no value in the next argument.
 */
const struct option *option_find(const struct family *f, const char *arg, enum option_form *form,
				 const char **value);

/** option_values - number of following arguments that are values of an option */
size_t option_values(enum option_form form);

/** family_takes_word - whether a program's first argument may be part of its name */
bool family_takes_word(const char *program);

/** language_of - the language of a source, by its name; NULL if @f does not compile it */
const char *language_of(const struct family *f, const char *path);

/** has_word - whether @word is in a list whose words are separated by spaces or newlines */
bool has_word(const char *list, const char *word, size_t len);

#endif
