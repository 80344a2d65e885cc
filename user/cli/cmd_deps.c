// SPDX-License-Identifier: GPL-2.0
/* etrace deps, etrace rdeps: what files were made from, and what was made from them. */
#include "answers/deps.h"
#include "cli/answer.h"
#include "cli/etrace.h"

#include <stdint.h>
#include <string.h>

#define BOTH_OPTIONS										\
	{ "class", "LIST", "kinds of use, separated by commas: data,pipe,program,loader,config,probe,dir;\n"	\
	  "default: data,pipe" },									\
	{ "format", "text|make|dot", "output format; default: text" }

static const struct opt_row deps_options[] = {
	{ "direct", NULL, "only what the last program read" },
	{ "leaves", NULL, "only files that the build did not make" },
	BOTH_OPTIONS,
	{ "all", NULL, "all files that the build made" },
	{ 0 }
};
static const struct opt_row rdeps_options[] = {
	{ "direct", NULL, "only what was made by the programs that read it" },
	{ "leaves", NULL, "only files from which nothing else was made" },
	BOTH_OPTIONS,
	{ "all", NULL, "all files that the build used" },
	{ 0 }
};

static bool take_options(struct deps *d, const struct asked *a)
{
	const char *classes = opt_value(a->opts, "class");

	if (opt_flag(a->opts, "direct") && opt_flag(a->opts, "leaves")) {
		diag_fatal(a->diag, "--direct and --leaves exclude each other");
		return false;
	}
	if (opt_flag(a->opts, "direct"))
		d->how = REACH_DIRECT;
	if (opt_flag(a->opts, "leaves"))
		d->how = REACH_LEAVES;
	d->classes = classes ? reach_classes(classes) : REACH_DEFAULT_CLASSES;
	if (!d->classes) {
		diag_fatal(a->diag, "--class %s: unknown class; known are data, pipe, program, loader, config, probe and dir",
			   classes);
		return false;
	}
	d->format = opt_chosen(a->opts, deps_options, "format");
	if (!a->json)
		return true;
	if (d->format != DEPS_TEXT) {
		diag_fatal(a->diag, "--json and --format %s exclude each other",
			   opt_value(a->opts, "format"));
		return false;
	}
	d->format = DEPS_JSON;
	return true;
}

static int ask_files(struct asked *a, bool reverse)
{
	struct deps d = { .db = a->db[0], .out = a->out, .reverse = reverse };
	bool all = opt_flag(a->opts, "all");
	uint32_t file;

	if (!take_options(&d, a))
		return 2;
	if (all == (a->nargs > 0)) {
		diag_fatal(a->diag, all ? "paths and --all exclude each other" :
			   "of which files? Give their paths, or --all");
		return 2;
	}
	deps_begin(&d);
	for (size_t i = 0; i < a->nargs; i++) {
		file = answers_file(a->db[0], a->args[i]);
		if (file)
			deps_of(&d, file, a->nargs > 1);
	}
	if (all)
		deps_all(&d);
	deps_end(&d);
	return d.unknown;
}

static int ask_deps(struct asked *a)
{
	return ask_files(a, false);
}

static int ask_rdeps(struct asked *a)
{
	return ask_files(a, true);
}

int cmd_deps(int argc, char **argv)
{
	static const struct answer deps = {
		.name = "deps", .synopsis = "TRACE PATH...\n--all [TRACE]", .options = deps_options,
		.about = "List what files were made from, down to files that the build did not make. TRACE is a\n"
			 "file of " PROG " run or a database of " PROG " db.",
		.example = PROG " deps etrace.fxt app\n"
			   PROG " deps --leaves --all etrace.fxt\n",
		.traces = 1, .max_args = SIZE_MAX, .run = ask_deps,
	};

	return answer_main(&deps, argc, argv);
}

int cmd_rdeps(int argc, char **argv)
{
	static const struct answer rdeps = {
		.name = "rdeps", .synopsis = "TRACE PATH...", .options = rdeps_options,
		.about = "List what was made from files, directly or indirectly. TRACE is a file of " PROG " run\n"
			 "or a database of " PROG " db.",
		.example = PROG " rdeps etrace.fxt src/config.h\n",
		.traces = 1, .max_args = SIZE_MAX, .run = ask_rdeps,
	};

	return answer_main(&rdeps, argc, argv);
}
