// SPDX-License-Identifier: GPL-2.0
/* etrace rebuilt: why what ran before ran again. */
#include "answers/rebuilt.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "ninja", "DIR", "what is declared: in DIR/build.ninja" },
	{ "make", "FILE", "what is declared: in what \"make -np\" printed" },
	{ "map", "A=B", "the old build's directory A is B in the new; default: where each began" },
	{ 0 }
};

static int ask(struct asked *a)
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
		.about = "Say why each step of the build NEW ran, which the build OLD has done before.\n",
		.traces = 2, .max_args = 0, .run = ask,
	};

	return answer_main(&rebuilt, argc, argv);
}
