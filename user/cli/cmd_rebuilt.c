// SPDX-License-Identifier: GPL-2.0
/* etrace rebuilt: why steps of a build ran again. */
#include "answers/rebuilt.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "ninja", "DIR", "declared inputs: DIR/build.ninja" },
	{ "make", "FILE", "declared inputs: the output of \"make -np\" in FILE" },
	{ "map", "A=B",
	  "directory A of the old build is B in the new one; default: where each\n"
	  "began" },
	{ 0 }
};

static int ask_rebuilt(struct asked *a)
{
	struct rebuilt r = { .lists.diag = a->diag };

	if (answer_lists(&r.lists, a->opts) &&
	    match_builds(&r.m, a->db[0], a->db[1], opt_value(a->opts, "map"))) {
		rebuilt_find(&r);
		rebuilt_put(&r, a->out, a->json);
	}
	rebuilt_free(&r);
	return 0;
}

int cmd_rebuilt(int argc, char **argv)
{
	static const struct answer rebuilt = {
		.name = "rebuilt", .synopsis = "OLD NEW", .options = options,
		.about = "Show why each step of the build NEW ran although the build OLD had done it before.",
		.example = PROG " rebuilt old.fxt new.fxt\n",
		.traces = 2, .max_args = 0, .run = ask_rebuilt,
	};

	return answer_main(&rebuilt, argc, argv);
}
