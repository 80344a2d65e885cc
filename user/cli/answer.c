// SPDX-License-Identifier: GPL-2.0
/* What the subcommands that answer questions share.  See answer.h. */
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/oom.h"
#include "base/xalloc.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those that all of them have; the first three only if they take traces. */
static const struct opt_row common[] = {
	{ "from", "FORMAT", "format of the trace, as of etrace-read; default: found out" },
	{ "bits-of-real-pid", "N", "the module's parameter, if it is not 22" },
	{ "redact", NULL, "hide what looks secret in arguments of programs" },
	{ "json", NULL, "as JSON: json.md has what it is" },
	{ "help", NULL, "show this and exit" },
	{ "version", NULL, "show the version and exit" },
	{ 0 }
};
#define OF_TRACES 3

static bool reads_traces(const struct answer *a)
{
	return a->traces || a->opens;
}

static const struct opt_row *common_of(const struct answer *a)
{
	return reads_traces(a) ? common : common + OF_TRACES;
}

static size_t count_rows(const struct opt_row *rows)
{
	size_t n = 0;

	while (rows && rows[n].name)
		n++;
	return n;
}

static char short_of(const struct answer *a, size_t i)
{
	char c = a->shorts && i < strlen(a->shorts) ? a->shorts[i] : '-';

	return c == '-' ? 0 : c;
}

static void put_option(FILE *to, char letter, const struct opt_row *row)
{
	char head[64], left[56];

	opt_row_head(row, left, sizeof(left));
	snprintf(head, sizeof(head), "%c%c%c %s", letter ? '-' : ' ', letter ? letter : ' ',
		 letter ? ',' : ' ', left);
	if (strlen(head) > 24)
		fprintf(to, "  %s\n%28s%s\n", head, "", row->help);
	else
		fprintf(to, "  %-24s  %s\n", head, row->help);
}

static void usage(const struct answer *a, FILE *to)
{
	fprintf(to, "Usage: " PROG " %s [OPTION]... %s\n%s\n", a->name, a->synopsis, a->about);
	for (size_t i = 0; i < count_rows(a->options); i++)
		put_option(to, short_of(a, i), &a->options[i]);
	for (const struct opt_row *row = common_of(a); row->name; row++)
		put_option(to, strcmp(row->name, "help") ? 0 : 'h', row);
	fprintf(to, "\nExit status: 0; %s2 nothing could be said%s%s.\n",
		reads_traces(a) ? "1 the trace is not complete, and something may be missing;\n" : "",
		a->status ? "; " : "", a->status ? a->status : "");
}

/* ---- options ---- */

struct parser {
	const struct answer *answer;
	struct opts opts;
	struct option *longs;
	char *shorts;		/* for getopt */
	size_t own;		/* options of the answer itself */
};

static void add_long(struct parser *p, size_t at, const struct opt_row *row)
{
	p->longs[at] = (struct option){ row->name, opt_row_getopt(row), NULL, 256 + (int)at };
}

static void parser_init(struct parser *p, const struct answer *a)
{
	const struct opt_row *rest = common_of(a);
	size_t n = count_rows(rest), len = 0;

	p->answer = a;
	p->own = count_rows(a->options);
	opts_init(&p->opts);
	p->longs = xcalloc(p->own + n + 1, sizeof(*p->longs));
	p->shorts = xcalloc(2 * p->own + 3, 1);
	p->shorts[len++] = 'h';
	for (size_t i = 0; i < p->own; i++) {
		add_long(p, i, &a->options[i]);
		if (!short_of(a, i))
			continue;
		p->shorts[len++] = short_of(a, i);
		if (a->options[i].value)
			p->shorts[len++] = ':';
	}
	for (size_t i = 0; i < n; i++)
		add_long(p, p->own + i, &rest[i]);
}

static void parser_free(struct parser *p)
{
	opts_free(&p->opts);
	free(p->longs);
	free(p->shorts);
}

/* Return: the option's number among the long ones; -1: there is none such. */
static int number_of(const struct parser *p, int opt)
{
	if (opt >= 256)
		return opt - 256;
	for (size_t i = 0; i < p->own; i++)
		if (opt && opt == short_of(p->answer, i))
			return (int)i;
	return -1;
}

/* Return: -1 to go on, else the exit status. */
static int parse(struct parser *p, int argc, char **argv)
{
	int opt;

	while ((opt = getopt_long(argc, argv, p->shorts, p->longs, NULL)) != -1) {
		int n = number_of(p, opt);

		if (opt == 'h' || (n >= 0 && !strcmp(p->longs[n].name, "help"))) {
			usage(p->answer, stdout);
			return 0;
		}
		if (n < 0) {
			usage(p->answer, stderr);
			return 2;
		}
		if (!strcmp(p->longs[n].name, "version")) {
			print_version();
			return 0;
		}
		opts_add(&p->opts, p->longs[n].name, optarg);
	}
	return -1;
}

/* ---- all of it ---- */

static int answer(const struct answer *a, const struct opts *opts, char **args, size_t n,
		  struct diag *diag)
{
	struct asked asked = {
		.args = args + a->traces, .nargs = n - a->traces, .opts = opts, .diag = diag,
		.json = opt_flag(opts, "json"),
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

int answer_main(const struct answer *a, int argc, char **argv)
{
	struct diag *diag;
	struct parser p;
	char prog[32];
	size_t n;
	int ret;

	parser_init(&p, a);
	ret = parse(&p, argc, argv);
	n = ret < 0 ? (size_t)(argc - optind) : 0;
	if (ret < 0 && (n < a->traces + a->min_args || n - a->traces > a->max_args)) {
		usage(a, stderr);
		ret = 2;
	}
	if (ret < 0) {
		snprintf(prog, sizeof(prog), PROG " %s", a->name);
		diag = diag_new(stderr, prog);
		ret = answer(a, &p.opts, argv + optind, n, diag);
		diag_free(diag);
	}
	parser_free(&p);
	return ret;
}

bool answer_number(const struct opts *opts, const char *name, uint64_t min, uint64_t *v,
		   struct diag *diag)
{
	if (opt_number(opts, name, min, 1000000, v))
		return true;
	diag_fatal(diag, "--%s %s: say a number from %u to 1000000", name, opt_value(opts, name),
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
