// SPDX-License-Identifier: GPL-2.0
/*
 * etrace: records what a build does, and answers questions about it.  Here
 * stands the table of its subcommands, each of which is a file cmd_NAME.c.
 */
#include "io/diag.h"
#include "cli/etrace.h"
#include "cli/oom.h"

#include <stdarg.h>
#include <string.h>

static const struct command commands[] = {
	{ "run", "run a command and record what it does", cmd_run },
	{ "attach", "record what a running process does from now on", cmd_attach },
	{ "top", "watch a build while it runs", cmd_top },
	{ "report", "sum a trace up", cmd_report },
	{ "db", "make a database of a trace, to be asked again and again", cmd_db },
	{ "compdb", "write the compile commands of a build: compile_commands.json", cmd_compdb },
	{ "deps", "what files were made from", cmd_deps },
	{ "rdeps", "what was made from files", cmd_rdeps },
	{ "why", "who made a file, and how another one got into it", cmd_why },
	{ "time", "where the time of a build went", cmd_time },
	{ "diff", "where two builds part", cmd_diff },
	{ "affected", "what depends on files that have changed", cmd_affected },
	{ "rebuilt", "why what ran before ran again", cmd_rebuilt },
	{ "check", "what can make the next build wrong", cmd_check },
	{ "used", "packages and sources that a build used, or did not", cmd_used },
	{ "attest", "what a build was made from, with hashes: SPDX, in-toto", cmd_attest },
	{ "push", "put builds into ClickHouse, each once", cmd_push },
	{ "fleet", "ask many builds, that lie in ClickHouse", cmd_fleet },
	{ "doctor", "tell what keeps etrace from working here, and the remedy", cmd_doctor },
	{ 0 }
};

void say(const char *fmt, ...)
{
	va_list ap;

	fputs(PROG ": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void print_version(void)
{
	puts(PROG " " ETRACE_VERSION);
}

static void usage(FILE *to)
{
	fputs("Usage: " PROG " COMMAND [OPTION]... [ARG]...\n"
	      "Record what a build really does: programs, files, processes.\n\n", to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-8s %s\n", c->name, c->help);
	fputs("\n" PROG " COMMAND --help tells more of each; so does man etrace-COMMAND.\n"
	      "  -h, --help     show this and exit\n"
	      "      --version  show the version and exit\n", to);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	oom_exits();
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		usage(stdout);
		return diag_stdout(PROG, 0);
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		print_version();
		return diag_stdout(PROG, 0);
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return diag_stdout(PROG, c->main(argc - 1, argv + 1));
	if (*name)
		say("%s is no command of etrace", name);
	usage(stderr);
	return EXIT_FAILED;
}
