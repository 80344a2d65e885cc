// SPDX-License-Identifier: GPL-2.0
/* etrace diff: where two builds differ. */
#include "answers/diff.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "map", "A=B",
	  "directory A of the first build is B in the second; default: where each\n"
	  "began" },
	{ "sizes", NULL,
	  "files of equal size are equal, whatever their times, unless their contents\n"
	  "were recorded" },
	{ "times", "PERCENT",
	  "list programs whose time differs by at least this, and by more than 0.1 s" },
	{ 0 }
};

static int ask_diff(struct asked *a)
{
	struct diff d = { .sizes = opt_flag(a->opts, "sizes") };
	uint64_t percent = 0;
	int ret = 0;

	if (!answer_number(a->opts, "times", 1, &percent, a->diag))
		return 2;
	d.times = percent ? 1 + (double)percent / 100 : 0;
	if (match_builds(&d.m, a->db[0], a->db[1], opt_value(a->opts, "map"))) {
		diff_builds(&d);
		ret = diff_put(&d, a->out, a->json) ? 3 : 0;
	}
	diff_free(&d);
	return ret;
}

int cmd_diff(int argc, char **argv)
{
	static const struct answer diff = {
		.name = "diff", .synopsis = "FIRST SECOND", .options = options,
		.about = "Show where two builds differ: first the root causes, which no earlier difference explains,\n"
			 "then every program that differs. The number of parallel jobs does not matter.",
		.example = PROG " diff old.fxt new.fxt\n",
		.traces = 2, .max_args = 0, .run = ask_diff,
		.status = "3 differences",
	};

	return answer_main(&diff, argc, argv);
}
