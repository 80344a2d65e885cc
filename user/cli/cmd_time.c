// SPDX-License-Identifier: GPL-2.0
/* etrace time: where the time of a build went. */
#include "answers/lists.h"
#include "answers/times.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "by", "WHAT", "slowest program (default), output or directory" },
	{ "top", "N", "rows of each list; default 10" },
	{ "longest", NULL, "the critical path's longest rows first" },
	{ "ninja", "DIR", "what is declared in DIR/build.ninja is a dependency, too" },
	{ "make", "FILE", "what is declared in what \"make -np\" printed is one" },
	{ "map", "A=B", "what lies in A now was in B when it was built" },
	{ 0 }
};

/* What is declared; nothing if no option says where.  Return: false after diag_fatal(). */
static bool read_lists(struct lists *l, const struct opts *opts)
{
	const char *map = opt_value(opts, "map");

	return (!map || lists_map(l, map)) && answer_lists(l, opts);
}

static int ask(struct asked *a)
{
	const char *by = opt_value(a->opts, "by");
	struct lists lists = { .diag = a->diag };
	struct times w = {
		.out = a->out, .json = a->json, .top = 10, .lists = &lists,
		.longest = opt_flag(a->opts, "longest"),
	};

	if (!answer_number(a->opts, "top", 1, &w.top, a->diag))
		return 2;
	if (!times_by(&w, by))
		diag_fatal(a->diag, "--by %s: known are program, output and directory", by);
	else if (read_lists(&lists, a->opts))
		times_put(a->db[0], &w);
	lists_free(&lists);
	return 0;
}

int cmd_time(int argc, char **argv)
{
	static const struct answer time = {
		.name = "time", .synopsis = "TRACE", .options = options,
		.about = "Say where the time of a build went: how many programs worked at a time, which\n"
			 "were slow, and the critical path, which decided how long it took.\n",
		.traces = 1, .run = ask,
	};

	return answer_main(&time, argc, argv);
}
