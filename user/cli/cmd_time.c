// SPDX-License-Identifier: GPL-2.0
/* etrace time: where the time of a build went. */
#include "answers/times.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "by", "WHAT", "slowest program (default), output or directory" },
	{ "top", "N", "rows of each list; default 10" },
	{ 0 }
};

static int ask(struct asked *a)
{
	const char *by = opt_value(a->opts, "by");
	struct times w = { .out = a->out, .json = a->json, .top = 10 };

	if (!answer_number(a->opts, "top", 1, &w.top, a->diag))
		return 2;
	if (!times_by(&w, by))
		diag_fatal(a->diag, "--by %s: known are program, output and directory", by);
	else
		times_put(a->db[0], &w);
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
