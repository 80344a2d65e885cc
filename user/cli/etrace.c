// SPDX-License-Identifier: GPL-2.0
/*
 * etrace: records what a build does, and answers questions about it.  This file
 * has the table of its subcommands, each of which is a file cmd_NAME.c.
 */
#include "io/diag.h"
#include "base/spelling.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/external.h"
#include "cli/oom.h"

#include <string.h>

static const struct command commands[] = {
	{ "run", "run a command and record what it does", cmd_run },
	{ "attach", "record what a running process does from now on", cmd_attach },
	{ "top", "watch a build while it runs", cmd_top },
	{ "report", "summarize a trace", cmd_report },
	{ "explain", "show what failed first in a build, and on what", cmd_explain },
	{ "db", "make a database of a trace, for faster answers and SQL", cmd_db },
	{ "compdb", "write the compile commands of a build: compile_commands.json", cmd_compdb },
	{ "deps", "list what files were made from", cmd_deps },
	{ "rdeps", "list what was made from files", cmd_rdeps },
	{ "why", "show what made a file, and how another file got into it", cmd_why },
	{ "time", "show where the time of a build went", cmd_time },
	{ "diff", "show where two builds differ", cmd_diff },
	{ "why-different", "show why two builds made different things from the same inputs", cmd_why_different },
	{ "affected", "list what depends on changed files", cmd_affected },
	{ "rebuilt", "show why steps ran again", cmd_rebuilt },
	{ "check", "list what can make the next build wrong", cmd_check },
	{ "used", "list packages and sources that a build used, or did not use", cmd_used },
	{ "attest", "write provenance with hashes: SPDX, in-toto, SLSA, OmniBOR", cmd_attest },
	{ "experimental-skip", "an experiment: skip steps of a build that need not run", cmd_skip },
	{ "push", "store builds in ClickHouse", external_fleet },
	{ "fleet", "answer questions from many builds in ClickHouse", external_fleet },
	{ "doctor", "find out what keeps etrace from working here", cmd_doctor },
	{ 0 }
};

static void put_commands(FILE *to)
{
	fputs("\nCommands:\n", to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-8s  %s\n", c->name, c->help);
	fputs("  help      print the help of a command\n", to);
}

static const struct command_line command_line = {
	.name = PROG, .program = true, .synopsis = "COMMAND [ARG]...",
	.about = "Record what a build really does - programs, files, processes - and answer questions about\n"
		 "it. " PROG " help COMMAND and man etrace-COMMAND say more.",
	.put_more = put_commands, .example = PROG " run make -j8\n" PROG " report\n",
	.status = "that of COMMAND; 125 if there is no such command",
	.failed = EXIT_FAILED, .runs = true,
};

static const struct command *find_command(const char *name)
{
	struct spelling s = { .wanted = name };

	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
		spelling_try(&s, c->name);
	}
	if (s.best)
		say("unknown command '%s'; did you mean '%s'? (" PROG " --help lists all commands)", name,
		    s.best);
	else
		say("unknown command '%s' (" PROG " --help lists all commands)", name);
	return NULL;
}

static int show_help(const char *name)
{
	static char option[] = "--help";
	const struct command *c = find_command(name);
	char *argv[] = { (char *)name, option, NULL };

	return c ? c->main(2, argv) : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	const struct command *c;
	struct opts opts;
	const char *name;
	int ret;

	oom_exits();
	/* the shells' completions call this */
	if (argc > 1 && !strcmp(argv[1], "--list-commands")) {
		for (c = commands; c->name; c++)
			printf("%s\t%s\n", c->name, c->help);
		return diag_stdout(PROG, 0);
	}
	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	opts_free(&opts);
	if (ret >= 0)
		return diag_stdout(PROG, ret);
	argc -= optind;
	argv += optind;
	/* the command parses its own options */
	optind = 0;
	name = argc ? argv[0] : "";
	if (!*name) {
		command_line_help(&command_line, stderr);
		return EXIT_FAILED;
	}
	if (!strcmp(name, "help")) {
		if (argc > 1)
			return diag_stdout(PROG, show_help(argv[1]));
		command_line_help(&command_line, stdout);
		return diag_stdout(PROG, 0);
	}
	c = find_command(name);
	return c ? diag_stdout(PROG, c->main(argc, argv)) : EXIT_FAILED;
}
