/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a program or a subcommand: one table of its options. Parsing, --help, what is
 * said of a wrong option, and the completions of shells all come from it.
 */
#ifndef ETRACE_COMMAND_LINE_H
#define ETRACE_COMMAND_LINE_H

#include "io/options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#define COMMAND_LINE_TABLES 5

struct command_line {
	const char *name;	/* as it is called: "deps" of etrace, or "etrace-read" */
	bool program;		/* it is a program of its own, no subcommand of etrace */
	/* what follows the options; for each further usage a line of its own */
	const char *synopsis;
	const char *about;	/* what it does; --help wraps it; a line before a blank ends */
	const char *example;	/* commands, a line each: "etrace deps etrace.fxt app\n" */
	void (*put_more)(FILE *to);	/* what --help prints behind that; or NULL */
	/*
	 * Tables, each ended by a row without a name; unused ones are NULL. --help and --version
	 * are added.
	 */
	const struct opt_row *options[COMMAND_LINE_TABLES];
	/* NULL, or sets @buf to the formats that have an option, "" if it is the program's own */
	void (*owners)(const struct opt_row *row, char *buf, size_t size);
	const char *status;	/* exit statuses; --help wraps it */
	int failed;		/* exit status if the command line is wrong */
	bool runs;		/* what follows is another command line: stop at its first word */
};

/**
 * command_line_parse - take the options of a command line
 * @opts: initialized; the options are added in their order
 *
 * Return: -1 to go on, with optind at the first argument; else the exit status: help was
 * printed, or what is wrong.
 */
int command_line_parse(const struct command_line *c, int argc, char **argv, struct opts *opts);

/** command_line_help - print what --help prints */
void command_line_help(const struct command_line *c, FILE *to);

/**
 * command_line_wrong - say in one line what is wrong with a command line, and where help is
 *
 * Return: the exit status, c->failed.
 */
int command_line_wrong(const struct command_line *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
