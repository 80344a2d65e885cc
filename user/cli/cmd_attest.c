// SPDX-License-Identifier: GPL-2.0
/* etrace attest: write a provenance document: what a build was made from. */
#include "answers/attest.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "spdx", NULL, "SPDX 3.0.1, build profile (default)" },
	{ "in-toto", NULL, "an in-toto statement with a runtime trace" },
	OPTION_ROOT,
	{ 0 }
};

static int ask_attest(struct asked *a)
{
	const char *root = opt_value(a->opts, "root");
	struct attest attest = { .db = a->db[0], .out = a->out, .root = root ? root : "/" };
	bool in_toto = opt_flag(a->opts, "in-toto");

	if (in_toto && opt_flag(a->opts, "spdx"))
		diag_fatal(a->diag, "give one of --spdx and --in-toto");
	else if (attest_load(&attest))
		in_toto ? attest_in_toto(&attest) : attest_spdx(&attest);
	attest_free(&attest);
	return 0;
}

int cmd_attest(int argc, char **argv)
{
	static const struct answer attest = {
		.name = "attest", .synopsis = "[TRACE]", .options = options,
		.about = "Write what a build read, used and made, with the SHA-256 of each file that has not changed\n"
			 "since. The output is always JSON.",
		.example = PROG " attest --in-toto etrace.fxt > build.intoto.json\n",
		.traces = 1, .max_args = 0, .leaves = true, .only_json = true, .run = ask_attest,
	};

	return answer_main(&attest, argc, argv);
}
