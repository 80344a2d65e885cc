// SPDX-License-Identifier: GPL-2.0
/* etrace attest: write a provenance document: what a build was made from. */
#include "answers/attest.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "spdx", NULL, "SPDX 3.0.1, build profile (default)" },
	{ "in-toto", NULL, "an in-toto statement with a runtime trace" },
	{ "slsa", NULL, "an in-toto statement with SLSA provenance" },
	{ "omnibor", "DIR", "write OmniBOR input manifests to DIR, list the outputs" },
	OPTION_ROOT,
	{ 0 }
};

static const struct attest_kind {
	const char *option;
	bool (*write)(struct attest *a);
} kinds[] = {
	{ "spdx", attest_spdx },	/* the default */
	{ "in-toto", attest_in_toto },
	{ "slsa", attest_slsa },
	{ "omnibor", NULL },
};

/* The requested kind. Return: NULL after diag_fatal(). */
static const struct attest_kind *kind_asked(const struct asked *a)
{
	const struct attest_kind *kind = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!opt_flag(a->opts, kinds[i].option))
			continue;
		if (kind) {
			diag_fatal(a->diag, "give one of --%s and --%s", kind->option,
				   kinds[i].option);
			return NULL;
		}
		kind = &kinds[i];
	}
	return kind ? kind : &kinds[0];
}

static int ask_attest(struct asked *a)
{
	const char *root = opt_value(a->opts, "root");
	struct attest attest = { .db = a->db[0], .out = a->out, .root = root ? root : "/" };
	const struct attest_kind *kind = kind_asked(a);
	bool lacks = false;

	if (kind && !kind->write)
		attest_omnibor(&attest, opt_value(a->opts, "omnibor"), &lacks);
	else if (kind && attest_load(&attest))
		kind->write(&attest);
	attest_free(&attest);
	return lacks;
}

int cmd_attest(int argc, char **argv)
{
	static const struct answer attest = {
		.name = "attest", .synopsis = "[TRACE]", .options = options,
		.about = "Write what a build read, used and made, with the SHA-256 of each file: the one that was\n"
			 "recorded, else that of the file if it has not changed since. The output is JSON, except with --omnibor.",
		.example = PROG " attest --in-toto etrace.fxt > build.intoto.json\n"
			   PROG " attest --omnibor .omnibor etrace.fxt > outputs.txt\n",
		.status = "1 also if an output has no manifest",
		.traces = 1, .max_args = 0, .leaves = true, .only_json = true, .run = ask_attest,
	};

	return answer_main(&attest, argc, argv);
}
