// SPDX-License-Identifier: GPL-2.0
/* etrace affected: outputs, commands and tests that depend on changed files. */
#include "answers/affected.h"
#include "cli/answer.h"
#include "cli/etrace.h"

#include <stdint.h>
#include <string.h>

static const struct opt_row options[] = {
	{ "git", "REV", "files that differ from this revision in the work tree here" },
	{ "tests", "PATTERN", "commands that are tests, as a shell pattern: \"*/test_* *\"" },
	{ "format", "text|list|json|ctest", "output format; default: text" },
	OPTION_MAP,
	{ 0 }
};

static int ask_affected(struct asked *a)
{
	const char *revision = opt_value(a->opts, "git"), *map = opt_value(a->opts, "map");
	enum affected_format format = opt_chosen(a->opts, options, "format");
	struct affected f;
	int status = 2;

	if (a->json && !opt_flag(a->opts, "format"))
		format = AFFECTED_JSON;
	affected_init(&f, a->db[0]);
	f.tests = opt_value(a->opts, "tests");
	if (!revision && !a->nargs)
		diag_fatal(a->diag, "which files have changed? Give their paths, or --git REV");
	else if ((!map || affected_map(&f, map)) && (!revision || affected_git(&f, revision))) {
		for (size_t i = 0; i < a->nargs; i++)
			affected_add(&f, a->args[i]);
		status = affected_put(&f, a->out, format) ? 0 : 1;
	}
	affected_free(&f);
	return status;
}

int cmd_affected(int argc, char **argv)
{
	static const struct answer affected = {
		.name = "affected", .synopsis = "[TRACE [PATH...]]", .options = options,
		.about = "List the outputs, commands and tests that depend on files changed since the build was\n"
			 "recorded. TRACE is a file of " PROG " run or a database of " PROG " db.",
		.example = PROG " affected etrace.fxt src/parse.c\n"
			   PROG " affected --git main --tests '*/test_*' etrace.fxt\n",
		.traces = 1, .max_args = SIZE_MAX, .run = ask_affected,
	};

	return answer_main(&affected, argc, argv);
}
