/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of the subcommands that answer questions: they take options, open traces,
 * and write an answer.  Each is a struct answer, and a line in its cmd_NAME(): return
 * answer_main(&answer, argc, argv).
 */
#ifndef ETRACE_ANSWER_H
#define ETRACE_ANSWER_H

#include "answers/answers.h"
#include "answers/lists.h"
#include "io/options.h"
#include "io/out.h"

#include <stdbool.h>

/* --from and --bits-of-real-pid, of all commands that read traces. */
extern const struct opt_row trace_rows[];

/* Rows for tables of options, which mean the same in several commands. */
#define OPTION_MAP	{ "map", "A=B", "directory A now was directory B during the build" }
#define OPTION_ROOT								\
	{ "root", "DIR", "where the file system of the build machine is now; default: /" }

/* The parsed command line of a subcommand. */
struct asked {
	struct db *db[2];	/* one for each trace of the command */
	char **args;		/* arguments after the traces */
	size_t nargs;
	const struct opts *opts;
	struct out *out;	/* standard output */
	struct diag *diag;
	bool json;		/* --json */
};

struct answer {
	const char *name;	/* "deps" */
	const char *synopsis;	/* arguments after the options: "TRACE PATH..." */
	const char *about;	/* the question that it answers: one or more lines */
	const char *example;	/* commands for --help, one per line */
	/*
	 * Its own options.  --json is added; if it takes traces, also trace_rows and --redact.
	 */
	const struct opt_row *options;
	unsigned int traces;	/* number of traces that are opened for it: 0 to 2 */
	/* the output is for other people: hide secrets unless --no-redact */
	bool leaves;
	bool only_json;		/* its output is always JSON, so there is no --json */
	bool opens;		/* it opens the traces among its arguments itself */
	/* arguments after the traces; max is SIZE_MAX for any number */
	size_t min_args, max_args;
	const char *status;	/* more exit statuses, for --help: "3 with findings"; or NULL */
	/*
	 * Write the answer.  Return: 0, or its own exit status, which overrides 1 for
	 * an incomplete trace, but not 2 after diag_fatal().
	 */
	int (*run)(struct asked *a);
};

/** answer_lists - read the files of --ninja and --make.  Return: false after diag_fatal(). */
bool answer_lists(struct lists *l, const struct opts *opts);

int answer_main(const struct answer *answer, int argc, char **argv);

/**
 * answer_number - take the value of an option, a number from @min to 1000000
 * @v: set to it; unchanged if the option was not given
 *
 * Return: false after diag_fatal().
 */
bool answer_number(const struct opts *opts, const char *name, uint64_t min, uint64_t *v,
		   struct diag *diag);

#endif
