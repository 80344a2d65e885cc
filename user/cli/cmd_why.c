// SPDX-License-Identifier: GPL-2.0
/* etrace why: what made a file, and how another file got into it. */
#include "answers/why.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "full", NULL, "print long commands in full" },
	{ 0 }
};

static int ask_why(struct asked *a)
{
	const struct why w = { a->out, a->json, opt_flag(a->opts, "full") };
	uint32_t output = answers_file(a->db[0], a->args[0]);
	uint32_t input = output && a->nargs > 1 ? answers_file(a->db[0], a->args[1]) : 0;

	if (!output || (a->nargs > 1 && !input))
		return 2;
	if (!input)
		why_made(a->db[0], output, &w);
	else
		why_from(a->db[0], output, input, &w);
	return 0;
}

int cmd_why(int argc, char **argv)
{
	static const struct answer why = {
		.name = "why", .synopsis = "TRACE OUT [IN]", .options = options,
		.about = "Show which command made the file OUT and what called it; with IN, the shortest chain of\n"
			 "commands by which the content of IN got into OUT.",
		.example = PROG " why etrace.fxt app\n"
			   PROG " why etrace.fxt app src/config.h\n",
		.traces = 1, .min_args = 1, .max_args = 2, .run = ask_why,
	};

	return answer_main(&why, argc, argv);
}
