// SPDX-License-Identifier: GPL-2.0
/*
 * etrace-read: converts traces from one format to another.  This file has only the
 * command line; formats are rows in format/formats.c, which also list their options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "event/redact.h"
#include "format/choose.h"
#include "io/formats.h"
#include "io/out_place.h"
#include "base/xalloc.h"

#define PROG "etrace-read"

/* The rows of our own options, and those that formats declare. */
static struct opt_row *rows;
static size_t nrows, rows_cap;

static const struct opt_row options[] = {
	{ "from", "FORMAT", "format of the input; default: found out from its content" },
	{ "to", "FORMAT", "format of the output; default: by the name of FILE, or fxt" },
	{ "o|output", "FILE", "write to FILE (created with mode 0600), compressed if the name\n"
	  "ends in .gz or .zst; default: standard output" },
	{ "redact", NULL, "hide what looks secret in arguments of programs" },
	{ 0 }
};

struct cmdline {
	const char *output;
	struct opts own, opts;		/* our own, and those of formats */
	char **files;
	size_t nfiles;
};

/* Add an option of a format, unless another format has declared it. */
static void declare_option(const struct opt_row *row)
{
	if (opt_row_has(rows, row->name))
		return;
	/* a row without a name ends the table */
	rows = xgrow(rows, &rows_cap, nrows + 2, sizeof(*rows));
	rows[nrows++] = *row;
	rows[nrows] = (struct opt_row){ 0 };
}

static void declare_all(void)
{
	for (const struct source_format *f = source_formats; f->name; f++)
		for (const struct opt_row *row = f->options; row && row->name; row++)
			declare_option(row);
	for (const struct sink_format *f = sink_formats; f->name; f++) {
		for (const struct opt_row *row = f->options; row && row->name; row++)
			declare_option(row);
		if (f->flag)
			declare_option(&(struct opt_row){ f->flag, NULL, f->help });
	}
}

/* ---- --help, from the tables ---- */

/* Columns of the names of formats. */
#define NAME_WIDTH	16
/* Columns of a terminal. */
#define LINE_WIDTH	80

/* Append to the text of a heading. */
static void add_text(char *buf, size_t size, const char *s)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s", s);
}

/* The flag of the only output with an option, in all of its rows; NULL if none or several. */
static const char *only_sink(const char *option)
{
	const struct sink_format *only = NULL;

	for (const struct sink_format *f = sink_formats; f->name; f++) {
		if (!opt_row_has(f->options, option))
			continue;
		if (only && strcmp(only->name, f->name))
			return NULL;
		only = f;
	}
	for (const struct sink_format *f = sink_formats; f->name && only; f++)
		if (!strcmp(f->name, only->name) && !opt_row_has(f->options, option))
			return NULL;
	return only ? only->flag : NULL;
}

/*
 * Set @buf to a heading, the formats that have an option: "--from swap", or
 * "--to fxt, json and --stats of sp-rtrace logs".
 */
static void option_owners(const struct opt_row *row, char *buf, size_t size)
{
	const char *option = row->name, *flag = only_sink(option);

	buf[0] = 0;
	if (flag) {
		snprintf(buf, size, "--%s", flag);
		return;
	}
	for (const struct source_format *f = source_formats; f->name; f++) {
		if (!opt_row_has(f->options, option))
			continue;
		add_text(buf, size, buf[0] ? ", " : "--from ");
		add_text(buf, size, f->name);
	}
	for (unsigned int m = 0; m < MODEL_COUNT; m++) {
		size_t left = 0, n = 0;

		for (const struct sink_format *f = sink_formats; f->name; f++)
			left += f->model == m && opt_row_has(f->options, option);
		for (const struct sink_format *f = sink_formats; f->name; f++) {
			if (f->model != m || !opt_row_has(f->options, option))
				continue;
			left--;
			add_text(buf, size, n ? left ? ", " : " and " : buf[0] ? "; " : "");
			add_text(buf, size, f->flag ? "--" : n ? "" : "--to ");
			add_text(buf, size, f->flag ? f->flag : f->name);
			n++;
		}
		if (n) {
			add_text(buf, size, " of ");
			add_text(buf, size, model_names[m]);
		}
	}
}

/*
 * Print a format's line: name, description, and model of its items; two lines if it is too long.
 */
static void help_format(FILE *to, const char *name, const char *text, const char *models)
{
	size_t width = 2 + NAME_WIDTH + 1 + strlen(text) + 2 + strlen(models);

	fprintf(to, "  %-*s %s:", NAME_WIDTH, name, text);
	if (width > LINE_WIDTH)
		fprintf(to, "\n  %-*s", NAME_WIDTH, "");
	fprintf(to, " %s\n", models);
}

/* Print rows of the same name once, with all models that the output can be made from. */
static void help_sink(FILE *to, const struct sink_format *f)
{
	char models[128] = "";

	for (const struct sink_format *g = sink_formats; g < f; g++)
		if (!strcmp(g->name, f->name))
			return;
	for (const struct sink_format *g = f; g->name; g++) {
		if (strcmp(g->name, f->name))
			continue;
		add_text(models, sizeof(models), models[0] ? ", " : "");
		add_text(models, sizeof(models), model_names[g->model]);
	}
	help_format(to, f->name, f->help, models);
}

static void help_formats(FILE *to)
{
	const char *last = "";

	fputs("\nInput formats (--from), and what is read from them:\n", to);
	for (const struct source_format *f = source_formats; f->name; f++) {
		help_format(to, strcmp(f->name, last) ? f->name : "", f->help, model_names[f->model]);
		last = f->name;
	}
	fputs("\nOutput formats (--to), and what they are made of:\n", to);
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (!f->flag)
			help_sink(to, f);
}

/* ---- choosing the rows ---- */

/* The format of a file name's suffix, NULL if none. */
static const char *output_by_suffix(const char *path)
{
	size_t len;
	const char *suffix = out_suffix(path, &len);

	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (!f->flag && strlen(f->name) == len && !memcmp(f->name, suffix, len))
			return f->name;
	return NULL;
}

/* Names of outputs, for a message. */
static void output_names(char *buf, size_t size)
{
	buf[0] = 0;
	for (const struct sink_format *f = sink_formats; f->name; f++) {
		bool seen = f->flag;

		for (const struct sink_format *g = sink_formats; g < f; g++)
			seen = seen || !strcmp(g->name, f->name);
		if (seen)
			continue;
		add_text(buf, size, buf[0] ? ", ." : ".");
		add_text(buf, size, f->name);
	}
}

/* The format of the output.  Return: NULL if only summaries and checks are wanted. */
static const char *output_name(const struct cmdline *c)
{
	const char *name;
	bool any_flag = false;
	char names[128];

	if (opt_value(&c->own, "to"))
		return opt_value(&c->own, "to");
	if (c->output) {
		name = output_by_suffix(c->output);
		if (name)
			return name;
		output_names(names, sizeof(names));
		/* not with @diag: outputs would report it as a fault of the input */
		fprintf(stderr, PROG ": %s: is written as FXT, because its name ends in none of %s; --to FORMAT chooses another format\n",
			c->output, names);
		return "fxt";
	}
	for (const struct sink_format *f = sink_formats; f->name; f++)
		any_flag |= f->flag && opt_flag(&c->opts, f->flag);
	return any_flag ? NULL : "fxt";
}

/* ---- running ---- */

/* Whether the output is also an input, which it must not destroy. */
static bool is_input(const char *output, char **files, size_t n)
{
	struct stat out, in;

	if (stat(output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(files[i], "-") && !stat(files[i], &in) &&
		    in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	return false;
}

static struct out *open_output(struct cmdline *c, const struct choice *ch,
			       struct diag *diag)
{
	struct out *out;
	int err = 0;

	if (!c->output) {
		if (ch->main && ch->main->flags & SINK_BINARY && isatty(STDOUT_FILENO)) {
			diag_fatal(diag, "%s is binary and not written to a terminal; give -o FILE, or --to etrace for text",
				   ch->main->name);
			return NULL;
		}
		return out_fd(STDOUT_FILENO, 0);
	}
	if (is_input(c->output, c->files, c->nfiles)) {
		diag_fatal(diag, "%s: is an input, too; give another -o FILE", c->output);
		return NULL;
	}
	out = out_create(c->output, &err);
	if (!out)
		diag_fatal(diag, "%s: %s", c->output, out_place_error(err));
	return out;
}

static void convert_inputs(struct cmdline *c, const struct choice *ch, const struct inputs *inputs,
			   struct diag *diag)
{
	struct source_args sa = { inputs->in, inputs->n, &c->opts, diag };
	struct sink_args ka = { NULL, &c->opts, diag, ch->source->name };
	struct out *main_out = NULL, *text_out = NULL;
	struct sink *sinks[17], *sink;
	struct source *source;
	bool opened = true;
	size_t n = 0;
	uint64_t hidden = 0;
	int err = 0, e;

	if (opt_flag(&c->own, "redact") && ch->source->model != MODEL_ETRACE) {
		diag_fatal(diag, "--redact hides arguments of programs, and %s have none",
			   model_names[ch->source->model]);
		return;
	}
	/* open the source first: after a bad option, an existing output must not be lost */
	oom_doing(in_name(inputs->in[0]));
	source = ch->source->open(&sa);
	if (!source)
		return;
	if (ch->main) {
		ka.out = main_out = open_output(c, ch, diag);
		if (!main_out)
			goto out_source;
		sinks[n++] = ch->main->open(&ka);
	}
	/* summaries go to standard error if the conversion goes to standard output */
	if (ch->nextra)
		ka.out = text_out = out_fd(ch->main && !c->output ? STDERR_FILENO :
					   STDOUT_FILENO, 0);
	for (size_t i = 0; i < ch->nextra; i++)
		sinks[n++] = ch->extra[i]->open(&ka);
	for (size_t i = 0; i < n; i++)
		opened = opened && sinks[i];
	if (opened) {
		sink = sink_tee(sinks, n);
		if (opt_flag(&c->own, "redact"))
			sink = redact_sink(sink, &hidden);
		err = source_run(source, sink);
		e = sink_end(sink);
		if (!err)
			err = e;
		sink_free(sink);
	} else {
		/* open() has reported why */
		for (size_t i = 0; i < n; i++)
			sink_free(sinks[i]);
	}
	if (text_out) {
		e = out_close(text_out);
		err = err ? err : e;
	}
	if (main_out) {
		/* keep an existing file if the input could not be read */
		if (err || !opened)
			out_discard(main_out);
		e = out_close(main_out);
		err = err ? err : e;
	}
	if (err)
		diag_fatal(diag, "%s: %s", c->output ? c->output : "standard output",
			   strerror(-err));
out_source:
	source->ops->free(source);
}

static int run_conversion(struct cmdline *c, struct diag *diag)
{
	struct inputs inputs;
	struct choice ch;
	const char *from;

	if (inputs_open(&inputs, c->files, c->nfiles, diag)) {
		from = choose_source(opt_value(&c->own, "from"), inputs.in, inputs.n, diag);
		if (from && choose_rows(from, output_name(c), inputs.in[0], &c->opts, &ch, diag)) {
			if (c->output && ch.main && opt_row_has(ch.main->options, "view") &&
			    out_is_view(c->output))
				opts_add(&c->opts, "view", NULL);
			if (choose_options(&c->opts, &ch, diag))
				convert_inputs(c, &ch, &inputs, diag);
		}
	}
	inputs_close(&inputs);
	diag_summary(diag);
	return diag_status(diag);
}

int main(int argc, char **argv)
{
	struct command_line line = {
		.name = PROG, .program = true, .synopsis = "[FILE]...",
		.about = "Convert a trace. Without FILE, or with -, read standard input; several FILEs (those of\n"
			 "the processors, for example) are one trace.",
		.put_more = help_formats, .owners = option_owners,
		.example = PROG " -o build.fxt build.trace\n" PROG " --stats build.trace\n",
		.status = "0 complete; 1 converted, but something is missing or damaged; 2 nothing was\n"
			  "converted",
		.failed = 2, .options = { options },
	};
	struct cmdline c = { 0 };
	struct opts given = { 0 };
	struct diag *diag;
	int ret;

	oom_exits();
	declare_all();
	line.options[1] = rows;
	ret = command_line_parse(&line, argc, argv, &given);
	if (ret < 0) {
		for (size_t i = 0; i < given.n; i++)
			opts_add(opt_row_has(options, given.given[i].name) ? &c.own : &c.opts,
				 given.given[i].name, given.given[i].value);
		c.output = opt_value(&c.own, "output");
		c.files = argv + optind;
		c.nfiles = (size_t)(argc - optind);
		diag = diag_new(stderr, PROG);
		ret = run_conversion(&c, diag);
		diag_free(diag);
	} else if (!ret) {
		ret = diag_stdout(PROG, 0);
	}
	opts_free(&given);
	opts_free(&c.own);
	opts_free(&c.opts);
	free(rows);
	return ret;
}
