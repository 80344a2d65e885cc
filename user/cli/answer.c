// SPDX-License-Identifier: GPL-2.0
/* Shared code of the subcommands that answer questions.  See answer.h. */
#include "cli/answer.h"
#include "event/pid_bits.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/oom.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt_row trace_rows[] = {
	{ "from", "FORMAT", "format of the trace (see etrace-read); default: detected" },
	PID_BITS_OPTION,
	{ 0 }
};

/* Rows for three kinds of commands: they show arguments, write for other people, or print text. */
static const struct opt_row redact[] = {
	{ "redact", NULL, "hide what looks secret in the arguments of programs" },
	{ 0 }
};
static const struct opt_row no_redact[] = {
	{ "no-redact", NULL, "show arguments that look secret; by default they are hidden" },
	{ 0 }
};
static const struct opt_row json[] = {
	{ "json", NULL, "print JSON (fields: json.md)" },
	{ 0 }
};

static bool reads_traces(const struct answer *a)
{
	return a->traces || a->opens;
}

static int parse_command_line(const struct answer *a, int argc, char **argv, struct opts *opts,
			      struct command_line *c)
{
	static char status[512];

	snprintf(status, sizeof(status), "0 success; %s2 no answer%s%s",
		 reads_traces(a) ? "1 the trace is incomplete, so the answer may be, too; " : "",
		 a->status ? "; " : "", a->status ? a->status : "");
	*c = (struct command_line){
		.name = a->name, .synopsis = a->synopsis, .about = a->about, .example = a->example,
		.options = {
			a->options, reads_traces(a) ? trace_rows : NULL,
			!a->traces ? NULL : a->leaves ? no_redact : redact, a->only_json ? NULL : json,
		},
		.status = status, .failed = 2,
	};
	return command_line_parse(c, argc, argv, opts);
}

/* ---- running a command ---- */

static int run_answer(const struct answer *a, const struct opts *opts, char **args, size_t n,
		      struct diag *diag)
{
	struct asked asked = {
		.args = args + a->traces, .nargs = n - a->traces, .opts = opts, .diag = diag,
		.json = a->only_json || opt_flag(opts, "json"),
	};
	int own = 0, ret = 0, e;

	for (unsigned int i = 0; i < a->traces; i++) {
		oom_doing(args[i]);
		asked.db[i] = answers_open(&args[i], 1, opt_value(opts, "from"), opts, diag);
		if (!asked.db[i])
			goto out;
		asked.db[i]->redact = a->leaves ? !opt_flag(opts, "no-redact") : opt_flag(opts, "redact");
	}
	asked.out = out_fd(STDOUT_FILENO, 0);
	own = a->run(&asked);
	e = out_close(asked.out);
	if (e && e != -EPIPE)
		diag_fatal(diag, "standard output: %s", strerror(-e));
	for (unsigned int i = 0; i < a->traces; i++) {
		e = answers_end(asked.db[i], diag, PROG);
		ret = e > ret ? e : ret;
	}
out:
	for (unsigned int i = 0; i < a->traces; i++)
		db_close(asked.db[i]);
	if (diag_status(diag) == 2)
		return 2;
	return own ? own : ret;
}

/* What is wrong with the number of arguments; NULL if nothing. */
static const char *wrong_count(const struct answer *a, size_t n)
{
	if (n < a->traces)
		return n ? "two traces are needed" : "no trace given";
	n -= a->traces;
	if (n < a->min_args)
		return "an argument is missing";
	return n > a->max_args ? "too many arguments" : NULL;
}

int answer_main(const struct answer *a, int argc, char **argv)
{
	static char usual[] = TRACE_FILE;
	static char *only_usual[] = { usual };
	struct command_line c;
	struct diag *diag;
	struct opts opts;
	const char *wrong;
	char prog[32];
	int ret;

	opts_init(&opts);
	ret = parse_command_line(a, argc, argv, &opts, &c);
	if (ret < 0) {
		char **args = argv + optind;
		size_t n = (size_t)(argc - optind);

		if (!n && a->traces == 1 && !a->min_args && !access(usual, F_OK)) {
			args = only_usual;
			n = 1;
		}
		wrong = wrong_count(a, n);
		if (wrong) {
			ret = command_line_wrong(&c, "%s%s", wrong,
						 n || a->traces != 1 ? "" : ", and ./" TRACE_FILE
						 " is not there");
		} else {
			snprintf(prog, sizeof(prog), PROG " %s", a->name);
			diag = diag_new(stderr, prog);
			ret = run_answer(a, &opts, args, n, diag);
			diag_free(diag);
		}
	}
	opts_free(&opts);
	return ret;
}

bool answer_number(const struct opts *opts, const char *name, uint64_t min, uint64_t *v,
		   struct diag *diag)
{
	if (opt_number(opts, name, min, 1000000, v))
		return true;
	diag_fatal(diag, "--%s %s: must be a number from %u to 1000000", name, opt_value(opts, name),
		   (unsigned int)min);
	return false;
}

bool answer_lists(struct lists *l, const struct opts *opts)
{
	const char *value;
	bool ok = true;
	size_t i;

	for (i = 0; ok && (value = opt_each(opts, "ninja", &i));)
		ok = lists_ninja(l, value);
	for (i = 0; ok && (value = opt_each(opts, "make", &i));)
		ok = lists_make(l, value);
	return ok;
}
