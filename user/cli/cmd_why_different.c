// SPDX-License-Identifier: GPL-2.0
/* etrace why-different: why two builds made different outputs from the same inputs. */
#include "answers/different.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "map", "A=B",
	  "directory A of the first build is B in the second; default: where each\n"
	  "began" },
	{ "kept", "A=B",
	  "what the first build left in directory A is in B now; its contents are\n"
	  "compared" },
	{ 0 }
};

/* Take the value of --kept. */
static bool set_kept(struct different *w, const char *kept, struct diag *diag)
{
	if (!kept || answers_paths(kept, &w->kept_from, &w->kept_to))
		return true;
	diag_fatal(diag, "--kept=%s: must be two directories, A=B", kept);
	return false;
}

static int ask_why_different(struct asked *a)
{
	struct diff d = { .sizes = false };
	struct different w = { .d = &d };
	uint32_t file;
	int ret = 2;

	if (!set_kept(&w, opt_value(a->opts, "kept"), a->diag) ||
	    !match_builds(&d.m, a->db[0], a->db[1], opt_value(a->opts, "map")))
		goto out;
	file = a->nargs ? answers_file(a->db[1], a->args[0]) : 0;
	if (a->nargs && !file)
		goto out;
	diff_builds(&d);
	ret = different_find(&w, file) ? 0 : d.left[DIFF_LEFT_UNKNOWN] ? 1 : 3;
	if (!ret)
		different_explain(&w);
	different_put(&w, a->out, a->json);
out:
	different_free(&w);
	diff_free(&d);
	return ret;
}

int cmd_why_different(int argc, char **argv)
{
	static const struct answer why = {
		.name = "why-different", .synopsis = "FIRST SECOND [FILE]", .options = options,
		.about = "Show why two builds made different things from the same inputs: the likely causes, the\n"
			 "likeliest first, of the first program that did, or of what differs in FILE.",
		.example = PROG " why-different old.fxt new.fxt\n",
		.traces = 2, .max_args = 1, .run = ask_why_different,
		.status = "1 no difference found, but not everything could be compared; 3 nothing differs",
	};

	return answer_main(&why, argc, argv);
}
