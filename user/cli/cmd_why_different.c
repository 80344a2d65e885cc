// SPDX-License-Identifier: GPL-2.0
/* etrace why-different: why two builds made different things of the same inputs. */
#include "answers/different.h"
#include "base/xalloc.h"
#include "cli/answer.h"
#include "cli/etrace.h"

#include <string.h>

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
	const char *equal = kept ? strchr(kept, '=') : NULL;
	struct buf from = { 0 }, to = { 0 };

	if (!kept)
		return true;
	if (!equal || equal == kept || !equal[1]) {
		diag_fatal(diag, "--kept=%s: must be two directories, A=B", kept);
		return false;
	}
	w->kept_from = xstrndup(kept, (size_t)(equal - kept));
	answers_path(&from, w->kept_from);
	answers_path(&to, equal + 1);
	free(w->kept_from);
	w->kept_from = xstrndup(from.s, from.len);
	w->kept_to = xstrndup(to.s, to.len);
	buf_free(&from);
	buf_free(&to);
	return true;
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
		.about = "Show why two builds made different things of the same inputs: the likely causes, the\n"
			 "likeliest first, of the first program that did, or of what differs in FILE.",
		.example = PROG " why-different old.fxt new.fxt\n",
		.traces = 2, .max_args = 1, .run = ask_why_different,
		.status = "1 no difference is known, but not all could be compared; 3 nothing differs",
	};

	return answer_main(&why, argc, argv);
}
