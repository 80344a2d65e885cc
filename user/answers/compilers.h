/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a command is: whether it compiles, which sources, to which output.  Known
 * by the name of the program and its arguments alone; nothing of traces here.
 */
#ifndef ETRACE_COMPILERS_H
#define ETRACE_COMPILERS_H

#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* What a program of some name is. */
enum tool {
	TOOL_NONE,
	TOOL_COMPILER,		/* a compiler's driver */
	TOOL_WRAPPER,		/* runs the command behind it, or has its result at hand */
	TOOL_LINKER,
	TOOL_ARCHIVER,
};

/* Which programs are what: the table of compilers.c, and what a user adds. */
struct tools {
	struct tool_name {
		char *name;
		enum tool tool;
	} *added;
	size_t n, cap;
};

/**
 * tools_read - add what a file says: a word compiler, wrapper, linker or archiver and
 *	a program's name in each line; # begins a comment
 *
 * Return: false after diag_fatal().
 */
bool tools_read(struct tools *t, const char *path, struct diag *diag);
void tools_free(struct tools *t);

/**
 * tools_of - what a program is
 * @program: a path or name; a target before it and a version behind it do not
 *	matter: arm-linux-gnueabi-gcc-12 is gcc
 */
enum tool tools_of(const struct tools *t, const char *program);

enum command_kind {
	COMMAND_OTHER,
	COMMAND_COMPILE,	/* sources to objects or assembly (-c, -S), or sources linked */
	COMMAND_LINK,		/* objects to a program or library */
	COMMAND_ARCHIVE,
};

/* A command, taken apart.  Strings are those of its arguments, or its own. */
struct command_line {
	enum command_kind kind;
	char **wrappers;	/* @nwrappers arguments that stood before the rest */
	size_t nwrappers;
	char **args;		/* the rest, @files read; @nargs, and a NULL */
	size_t nargs, args_cap;
	char **inputs;		/* of a compilation the sources, else what is linked */
	size_t ninputs, inputs_cap;
	const char *output;	/* that of -o, or the archive; NULL: not said */
	bool links;		/* a compilation that goes on to the linker */
	bool assembly;		/* -S: to assembly */
	char **owned;		/* strings that came from @files */
	size_t nowned, owned_cap;
};

/**
 * command_of_tool - whether a command can be anything but COMMAND_OTHER
 * @program: its first word
 * @first: the one behind it
 */
bool command_of_tool(const struct tools *t, const char *program, const char *first);

/**
 * command_parse - take a command apart
 * @args: its @n arguments, the program first; they must stay
 * @cwd: where @files are looked for
 *
 * Free with command_free(), whatever it is.
 */
void command_parse(struct command_line *c, const struct tools *t, char **args, size_t n,
		   const char *cwd);
void command_free(struct command_line *c);

/**
 * command_output - what a compilation makes of a source
 * @buf: where it is put if -o does not say it: "x.o", or "a.out"
 *
 * Return: a path as the command means it, relative to its directory.
 */
const char *command_output(const struct command_line *c, const char *source, char *buf,
			   size_t size);

#endif
