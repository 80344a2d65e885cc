// SPDX-License-Identifier: GPL-2.0
/* etrace report: the summary of a trace of any format that etrace-read reads. */
#include "answers/explain.h"
#include "answers/first_page.h"
#include "show/page.h"
#include "base/xalloc.h"
#include "event/pid_bits.h"
#include "format/report/report.h"
#include "format/choose.h"
#include "cli/answer.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "cli/term.h"
#include "db/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct opt_row options[] = {
	{ "top", "N", "rows of each list; default: 5" },
	{ "json", NULL, "print the counts of all events, and what failed first, as one JSON object" },
	{ "html", "FILE", "write a page for a browser with all of it; - is standard output" },
	{ "before", "TRACE", "compare with an earlier build, in the page of --html" },
	{ "compiler-traces", "[=DIR]", "add to the page the time traces that compilers wrote (clang\n"
	  "-ftime-trace, lld --time-trace, crox) in files below DIR" },
	{ "redact", NULL, "hide what looks secret in arguments; a page always hides it" },
	{ "no-redact", NULL, "do not hide it in a page either" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = "report", .synopsis = "[FILE]...",
	.about = "Summarize a trace: a file of " PROG " run, lines of trace_pipe, a database, or any other\n"
		 "format that etrace-read reads. Several files (one for each processor) are one trace.\n"
		 "Without FILE, read ./" TRACE_FILE "; - is standard input.",
	.example = PROG " report etrace.fxt\n" PROG " report --html build.html etrace.fxt\n"
		   PROG " report --html build.html --before monday.fxt etrace.fxt\n",
	.options = { options, trace_rows },
	.status = "0 the trace is complete; 1 something is missing or damaged; 2 nothing could be read",
	.failed = 2,
};

/* Print a summary of events of etrace. Return: the exit status, without faults in @diag. */
static int first_page(const struct inputs *inputs, const char *file, const char *from,
		      const struct opts *opts, uint64_t top, struct diag *diag)
{
	struct term_colors c = term_colors(STDOUT_FILENO);
	struct draw draw = { .width = DRAW_PLAIN, .bad = c.bad, .off = c.off };
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

/* Whether a name is that of an input. If so, calls diag_fatal() with @what to do instead. */
static bool is_input(const struct inputs *inputs, const char *file, const char *what,
		     struct diag *diag)
{
	struct stat in, out;

	if (stat(file, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < inputs->n; i++) {
		if (stat(in_name(inputs->in[i]), &in) || in.st_dev != out.st_dev ||
		    in.st_ino != out.st_ino)
			continue;
		diag_fatal(diag, "%s: is the trace itself; %s", file, what);
		return true;
	}
	return false;
}

/* The build of --before.  Return: NULL after diag_fatal(). */
static struct db *open_earlier(const struct inputs *inputs, const char *from,
			       const struct opts *opts,
			       struct diag *diag)
{
	char *file = xstrdup(opt_value(opts, "before"));
	struct db *db = NULL;

	oom_doing(file);
	if (!is_input(inputs, file, "give an earlier one to --before", diag))
		db = answers_open(&file, 1, from, opts, diag);
	if (db)
		db->redact = !opt_flag(opts, "no-redact");
	free(file);
	return db;
}

/* Write a page about the trace.  Return: as first_page(). */
static int write_page(const struct inputs *inputs, const char *file, const char *from,
		      const struct opts *opts, struct diag *diag)
{
	const char *html = opt_value(opts, "html");
	struct page_with with = { .inside = NULL };
	struct db *db;
	int ret;

	if (opt_flag(opts, "json")) {
		diag_fatal(diag, "give one of --json and --html");
		return 2;
	}
	if (!page_may_create(html, diag) ||
	    is_input(inputs, html, "give the page another name", diag))
		return 2;
	if (opt_value(opts, "before")) {
		with.before = open_earlier(inputs, from, opts, diag);
		if (!with.before)
			return 2;
	}
	oom_doing(in_name(inputs->in[0]));
	db = answers_from(file, inputs->in, inputs->n, from, opts, diag);
	if (!db) {
		db_close(with.before);
		return 2;
	}
	if (opt_flag(opts, "compiler-traces"))
		with.inside = opt_value(opts, "compiler-traces") ?: "";
	db->redact = !opt_flag(opts, "no-redact");
	page_create(db, html, &with, diag);
	ret = answers_end(db, diag, PROG " report");
	db_close(with.before);
	db_close(db);
	return ret;
}

/* A build whose events are counted, with a database to find what failed in it. */
struct counted {
	struct db *db;
	/* separate, for the database: the summary reports the same faults */
	struct diag *diag;
};

static void put_explained(void *ctx, struct json *j)
{
	struct counted *c = ctx;

	if (diag_status(c->diag) != 2)
		explain_json_short(c->db, j);
}

/* Return: a sink that fills the database before it ends @summary; NULL after diag_fatal(). */
static struct sink *count_build(struct counted *c, struct sink *summary, const char *from,
				const struct opts *opts, struct diag *diag)
{
	struct sink *both[2] = { NULL, summary };
	unsigned int bits;

	c->diag = diag_new(stderr, PROG " report");
	c->db = pid_bits_of(opts, diag, &bits) ? db_create(NULL, c->diag) : NULL;
	if (!c->db)
		return NULL;
	c->db->redact = true;
	both[0] = db_sink(c->db, bits, from, c->diag);
	report_sink_more(summary, put_explained, c);
	return sink_tee(both, 2);
}

/*
 * Count the contents of a trace of any format while it is read.
 *
 * Return: 2 if the database failed.
 */
static int count_events(const struct inputs *inputs, const char *from, const struct opts *opts,
			struct diag *diag)
{
	struct source_args sa = { inputs->in, inputs->n, opts, diag };
	struct sink_args ka = { NULL, opts, diag, NULL };
	struct counted counted = { NULL, NULL };
	struct sink *summary, *sink;
	struct source *source;
	struct choice ch;
	int err, e = 0, ret;

	if (!choose_rows(from, NULL, inputs->in[0], opts, &ch, diag) ||
	    !choose_options(opts, &ch, diag))
		return 2;
	oom_doing(in_name(inputs->in[0]));
	source = ch.source->open(&sa);
	if (!source)
		return 2;
	ka.source = ch.source->name;
	ka.out = out_fd(STDOUT_FILENO, 0);
	summary = ch.extra[0]->open(&ka);
	sink = summary;
	if (summary && ch.source->model == MODEL_ETRACE)
		sink = count_build(&counted, summary, from, opts, diag);
	err = 0;
	if (sink) {
		err = source_run(source, sink);
		/* do not print counts of only a part of the events */
		if (counted.diag && diag_status(counted.diag) == 2)
			err = 0;
		else
			e = sink_end(sink);
		err = err ? err : e;
	}
	sink_free(sink ? sink : summary);
	db_close(counted.db);
	ret = counted.diag && diag_status(counted.diag) == 2 ? 2 : 0;
	diag_free(counted.diag);
	source->ops->free(source);
	e = out_close(ka.out);
	err = err ? err : e;
	if (err)
		diag_fatal(diag, "standard output: %s", strerror(-err));
	return ret;
}

/* Return: the exit status, without faults in @diag. */
static int report_trace(const struct inputs *inputs, const char *file, const char *from,
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
	if (opt_value(opts, "before") && !opt_value(opts, "html")) {
		diag_fatal(diag, "--before is for a page: give --html FILE, too; or use etrace diff");
		return 2;
	}
	if (opt_value(opts, "html"))
		return write_page(inputs, file, from, opts, diag);
	if (!there)
		from = choose_source(from, inputs->in, inputs->n, diag);
	if (there ? !json : from && !json && answers_understand(from, inputs->in[0]))
		return first_page(inputs, file, from, opts, rows, diag);
	if (there)
		diag_fatal(diag, "%s: a database has no counts of all events; --json needs the trace", file);
	else if (from)
		return count_events(inputs, from, opts, diag);
	return 0;
}

int cmd_report(int argc, char **argv)
{
	struct inputs inputs = { 0 };
	struct diag *diag;
	struct opts opts;
	int ret, status;
	char **files;
	size_t n;

	opts_init(&opts);
	opts_add(&opts, "stats", NULL);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	if (ret >= 0)
		goto out;
	files = argv + optind;
	n = (size_t)(argc - optind);
	diag = diag_new(stderr, PROG " report");
	if (inputs_open_usual(&inputs, &files, &n, diag))
		ret = report_trace(&inputs, files[0], opt_value(&opts, "from"), &opts, diag);
	inputs_close(&inputs);
	status = diag_status(diag);
	ret = status > ret ? status : ret;
	diag_free(diag);
out:
	opts_free(&opts);
	return ret;
}
