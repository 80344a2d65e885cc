// SPDX-License-Identifier: GPL-2.0
/* etrace time: where the time of a build went. */
#include "answers/lists.h"
#include "answers/times.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "by", "program|output|directory", "what to list the slowest by; default: program" },
	{ "top", "N", "rows of each list; default: 10" },
	{ "longest", NULL, "sort the critical path by duration" },
	{ "ninja", "DIR", "dependencies in DIR/build.ninja count, too" },
	{ "make", "FILE",
	  "dependencies in the output of \"make -np\" in FILE count, too" },
	OPTION_MAP,
	{ 0 }
};

/* Read declared dependencies, if options name any.  Return: false after diag_fatal(). */
static bool read_lists(struct lists *l, const struct opts *opts)
{
	const char *map = opt_value(opts, "map");

	return (!map || lists_map(l, map)) && answer_lists(l, opts);
}

static int ask_time(struct asked *a)
{
	struct lists lists = { .diag = a->diag };
	struct times w = {
		.out = a->out, .json = a->json, .top = 10, .lists = &lists,
		.by = opt_chosen(a->opts, options, "by"), .longest = opt_flag(a->opts, "longest"),
	};

	if (!answer_number(a->opts, "top", 1, &w.top, a->diag))
		return 2;
	if (read_lists(&lists, a->opts))
		times_put(a->db[0], &w);
	lists_free(&lists);
	return 0;
}

int cmd_time(int argc, char **argv)
{
	static const struct answer time = {
		.name = "time", .synopsis = "[TRACE]", .options = options,
		.about = "Show where the time of a build went: how many programs ran at a time, the slowest of them,\n"
			 "and the critical path, which decided how long the build took.",
		.example = PROG " time etrace.fxt\n",
		.traces = 1, .run = ask_time,
	};

	return answer_main(&time, argc, argv);
}
