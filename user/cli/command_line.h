/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a program or a subcommand: a table of its options. Parsing, --help,
 * messages about wrong options, and the completions of shells are all made from it.
 */
#ifndef ETRACE_COMMAND_LINE_H
#define ETRACE_COMMAND_LINE_H

#include "io/options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#define COMMAND_LINE_TABLES 5

struct command_line {
	const char *name;	/* "deps" of etrace, or "etrace-read" */
	bool program;		/* it is a separate program, not a subcommand of etrace */
	/* arguments after the options; one line for each usage */
	const char *synopsis;
	/* what it does; --help wraps it, and keeps line breaks before empty and indented lines */
	const char *about;
	const char *example;	/* commands, one per line: "etrace deps etrace.fxt app\n" */
	void (*put_more)(FILE *to);	/* prints more after that in --help; or NULL */
	/*
	 * Tables, each ended by a row without a name; unused ones are NULL. --help and --version
	 * are added.
	 */
	const struct opt_row *options[COMMAND_LINE_TABLES];
	/* sets @buf to the formats with an option, "" if it belongs to the program; may be NULL */
	void (*owners)(const struct opt_row *row, char *buf, size_t size);
	const char *status;	/* exit statuses; --help wraps it */
	int failed;		/* exit status if the command line is wrong */
	bool runs;		/* stop at the first argument: another command line begins there */
};

/**
 * command_line_parse - take the options of a command line
 * @opts: initialized; the options are appended in their order
 *
 * Return: -1 to continue, with optind at the first argument; else the exit status, after printing
 * help or a message.
 */
int command_line_parse(const struct command_line *c, int argc, char **argv, struct opts *opts);

/** command_line_help - print what --help prints */
void command_line_help(const struct command_line *c, FILE *to);

/**
 * command_line_wrong - print in one line what is wrong with a command line, and how to get help
 *
 * Return: the exit status, c->failed.
 */
int command_line_wrong(const struct command_line *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
