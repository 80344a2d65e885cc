// SPDX-License-Identifier: GPL-2.0
/* etrace report: the summary of a trace of any format that etrace-read reads. */
#include "answers/first.h"
#include "answers/page.h"
#include "convert/choose.h"
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "cli/term.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void usage(FILE *to)
{
	fputs("Usage: " PROG " report [OPTION]... [FILE]...\n"
	      "Sum up a trace: a file of " PROG " run, the lines of trace_pipe, a database, or any\n"
	      "other trace that etrace-read reads; standard input without FILE.  Several files (those\n"
	      "of the processors) are one trace.\n\n"
	      "      --top N        rows of each list; default 5\n"
	      "      --json         counts of all events, as one JSON object\n"
	      "      --html FILE    one page with all of it, for a browser; - is standard output\n"
	      "      --compiler-traces[=DIR]\n"
	      "                     into the page, what compilers wrote of themselves (clang\n"
	      "                     -ftime-trace, lld --time-trace, crox), in files below DIR\n"
	      "      --redact       hide what looks secret in arguments; a page does it anyway\n"
	      "      --no-redact    not in a page either\n"
	      "      --from FORMAT  format of the input, as of etrace-read; default: found out\n"
	      "      --bits-of-real-pid N\n"
	      "                     the module's parameter, if it is not 22\n"
	      "  -h, --help         show this and exit\n"
	      "      --version      show the version and exit\n\n"
	      "Exit status: 0 the trace is complete; 1 something is missing or damaged; 2 nothing\n"
	      "could be read.\n", to);
}

/* Events of etrace, for a person.  Return: the exit status, but for what diag knows. */
static int first_page(const struct inputs *inputs, const char *file, const char *from,
		      const struct opts *opts, uint64_t top, struct diag *diag)
{
	struct draw draw = { .width = DRAW_PLAIN };
	struct db *db;
	int err, ret;

	oom_doing(in_name(inputs->in[0]));
	db = answers_from(file, inputs->in, inputs->n, from, opts, diag);
	if (!db)
		return 2;
	db->redact = opt_flag(opts, "redact");
	draw.out = out_fd(STDOUT_FILENO, 0);
	draw.utf8 = term_blocks(STDOUT_FILENO, &draw.line);
	if (draw.line)
		draw.width = draw.line < DRAW_MIN ? DRAW_MIN : draw.line < DRAW_MAX ? draw.line : DRAW_MAX;
	first_put(db, top, &draw);
	err = out_close(draw.out);
	if (err && err != -EPIPE)
		diag_fatal(diag, "standard output: %s", strerror(-err));
	ret = !db->complete;
	db_close(db);
	return ret;
}

/* Return: whether a name is that of one of the inputs, after diag_fatal(). */
static bool is_input(const struct inputs *inputs, const char *file, struct diag *diag)
{
	struct stat in, out;

	if (stat(file, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < inputs->n; i++) {
		if (stat(in_name(inputs->in[i]), &in) || in.st_dev != out.st_dev ||
		    in.st_ino != out.st_ino)
			continue;
		diag_fatal(diag, "%s: is the trace itself: give the page another name", file);
		return true;
	}
	return false;
}

/* A page of it.  Return: as first_page(). */
static int page(const struct inputs *inputs, const char *file, const char *from,
		const struct opts *opts, struct diag *diag)
{
	const char *html = opt_value(opts, "html"), *inside = NULL;
	struct db *db;
	int ret;

	if (opt_flag(opts, "json")) {
		diag_fatal(diag, "give one of --json and --html");
		return 2;
	}
	if (!page_may_create(html, diag) || is_input(inputs, html, diag))
		return 2;
	oom_doing(in_name(inputs->in[0]));
	db = answers_from(file, inputs->in, inputs->n, from, opts, diag);
	if (!db)
		return 2;
	if (opt_flag(opts, "compiler-traces"))
		inside = opt_value(opts, "compiler-traces") ?: "";
	db->redact = !opt_flag(opts, "no-redact");
	page_create(db, html, inside, diag);
	ret = answers_end(db, diag, PROG " report");
	db_close(db);
	return ret;
}

/* All formats: what they hold, counted as it is read. */
static void count(const struct inputs *inputs, const char *from, const struct opts *opts,
		  struct diag *diag)
{
	struct source_args sa = { inputs->in, inputs->n, opts, diag };
	struct sink_args ka = { NULL, opts, diag, NULL };
	struct source *source;
	struct sink *sink;
	struct choice ch;
	int err, e;

	if (!choose_rows(from, NULL, inputs->in[0], opts, &ch, diag) ||
	    !choose_options(opts, &ch, diag))
		return;
	oom_doing(in_name(inputs->in[0]));
	source = ch.source->open(&sa);
	if (!source)
		return;
	ka.source = ch.source->name;
	ka.out = out_fd(STDOUT_FILENO, 0);
	sink = ch.extra[0]->open(&ka);
	err = 0;
	if (sink) {
		err = source_run(source, sink);
		e = sink_end(sink);
		err = err ? err : e;
		sink_free(sink);
	}
	source->ops->free(source);
	e = out_close(ka.out);
	err = err ? err : e;
	if (err)
		diag_fatal(diag, "standard output: %s", strerror(-err));
}

/* Return: the exit status, but for what diag knows. */
static int report(const struct inputs *inputs, const char *file, const char *from,
		  const struct opts *opts, struct diag *diag)
{
	bool json = opt_flag(opts, "json"), there = answers_are_there(inputs->in[0]);
	uint64_t rows = 5;

	if (!answer_number(opts, "top", 1, &rows, diag))
		return 2;
	if (opt_flag(opts, "compiler-traces") && !opt_value(opts, "html")) {
		diag_fatal(diag, "--compiler-traces is for a page: give --html FILE, too");
		return 2;
	}
	if (opt_value(opts, "html"))
		return page(inputs, file, from, opts, diag);
	if (!there)
		from = choose_source(from, inputs->in, inputs->n, diag);
	if (there ? !json : from && !json && answers_understand(from, inputs->in[0]))
		return first_page(inputs, file, from, opts, rows, diag);
	if (there)
		diag_fatal(diag, "%s: a database has no counts of all events; --json needs the trace", file);
	else if (from)
		count(inputs, from, opts, diag);
	return 0;
}

int cmd_report(int argc, char **argv)
{
	static const struct option table[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "top", required_argument, NULL, 't' },
		{ "html", required_argument, NULL, 'H' },
		{ "compiler-traces", optional_argument, NULL, 'c' },
		{ "redact", no_argument, NULL, 'r' },
		{ "no-redact", no_argument, NULL, 'n' },
		{ "from", required_argument, NULL, 'f' },
		{ "bits-of-real-pid", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 }
	};
	const char *from = NULL;
	struct inputs inputs;
	struct diag *diag;
	struct opts opts;
	int opt, ret = 0, status;

	opts_init(&opts);
	opts_add(&opts, "stats", NULL);
	while ((opt = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		switch (opt) {
		case 'j':
			opts_add(&opts, "json", NULL);
			break;
		case 'f':
			from = optarg;
			break;
		case 'r':
			opts_add(&opts, "redact", NULL);
			break;
		case 'n':
			opts_add(&opts, "no-redact", NULL);
			break;
		case 't':
			opts_add(&opts, "top", optarg);
			break;
		case 'H':
			opts_add(&opts, "html", optarg);
			break;
		case 'c':
			opts_add(&opts, "compiler-traces", optarg);
			break;
		case 'b':
			opts_add(&opts, "bits-of-real-pid", optarg);
			break;
		case 'h':
			usage(stdout);
			ret = 0;
			goto out;
		case 'V':
			print_version();
			ret = 0;
			goto out;
		default:
			usage(stderr);
			ret = 2;
			goto out;
		}
	}
	diag = diag_new(stderr, PROG " report");
	if (inputs_open(&inputs, argv + optind, (size_t)(argc - optind), diag))
		ret = report(&inputs, argv[optind], from, &opts, diag);
	inputs_close(&inputs);
	status = diag_status(diag);
	ret = status > ret ? status : ret;
	diag_free(diag);
out:
	opts_free(&opts);
	return ret;
}
