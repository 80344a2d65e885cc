// SPDX-License-Identifier: LGPL-2.1
/* Explains why a source has an entry, or has none.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "answers/print_names.h"
#include "build/build.h"

#include <string.h>

/* Why a program that read a file, or was run for it, has an entry or not. */
struct reason {
	const char *word;	/* name of the reason in JSON */
	const char *text;
	uint32_t by;		/* 1 + index of the command that decides */
	const char *source;	/* the source that includes it, if it is a header */
	char *output;		/* output of an entry; NULL if none */
};

struct explainer {
	struct compdb_list list;
	const struct build *b;
	const struct compdb *o;
	const char *path;	/* absolute path of the source */
	uint32_t file;		/* its file, 0 if the build did not touch it */
	bool unknown;		/* at least one program is not a known compiler */
	size_t n, nread;	/* number of programs so far; number that read the file */
	struct json j;
};

static const struct reason of_fate[] = {
	[FATE_ENTRY] = { .word = "entry", .text = "entry" },
	[FATE_INNER] = { .word = "inner", .text = "the entry is that of what it ran: " },
	[FATE_PART] = { .word = "part", .text = "part of: " },
	[FATE_NOT_READ] = { .word = "not-read",
		.text = "no entry: it has a compiler's name, but nothing that it ran read this source" },
	[FATE_NOT_COMPILED] = { .word = "not-compiled",
		.text = "no entry: its compiler proper was not given this source" },
	[FATE_EXCLUDED] = { .word = "excluded",
		.text = "left out: by sources.directories of the configuration" },
	[FATE_GONE] = { .word = "gone", .text = "left out: the source is gone (--exists)" },
	[FATE_TRIAL] = { .word = "trial",
		.text = "left out: it was only tried out (--no-configure)" },
	[FATE_DUPLICATE] = { .word = "duplicate", .text = "left out, as a duplicate of: " },
};

static const struct reason of_why[] = {
	[WHY_NONE] = { .word = "other", .text = "no entry: it compiles nothing" },
	[WHY_NO_COMPILER] = { .word = "no-compiler", .text = "no compiler" },
	[WHY_ASKS] = { .word = "asks", .text = "no entry: it only asks the compiler something" },
	[WHY_DEPENDS] = { .word = "depends", .text = "no entry: it only lists dependencies" },
	[WHY_PREPROCESSES] = { .word = "preprocesses",
		.text = "no entry: it only preprocesses (--preprocess has it)" },
	[WHY_STANDARD_INPUT] = { .word = "standard-input",
		.text = "no entry: what it compiles is its standard input" },
	[WHY_NO_SOURCE] = { .word = "no-source", .text = "no entry: it is given no source" },
	[WHY_IGNORED] = { .word = "ignored", .text = "left out: ignored by the configuration" },
};

/* ---- why ---- */

static char *output_of(const struct compdb_command *c, size_t source)
{
	struct buf output = { 0 };
	char *path = NULL;

	if (command_output(&c->cmd, &c->cmd.sources[source], &output))
		path = compdb_absolute(c->directory, output.s);
	buf_free(&output);
	return path;
}

/* The reason for a compiler proper, which only does a part of its driver's work. */
static struct reason of_proper(const struct compdb_command *c)
{
	if (c->up)
		return (struct reason){ .word = "part", .text = "part of: ", .by = c->up };
	return (struct reason){ .word = "proper",
		.text = "no entry: a compiler proper that was run without its driver" };
}

/* The reason for a command that has the file as a source. */
static struct reason of_source(const struct compdb_command *c, const struct compdb_source *s)
{
	struct reason r;

	if (compdb_is_proper(c))
		return of_proper(c);
	r = s->fate == FATE_OTHER ? of_why[c->cmd.why] : of_fate[s->fate];
	r.by = s->fate == FATE_OTHER ? 0 : s->by;
	if (s->fate == FATE_ENTRY)
		r.output = output_of(c, (size_t)(s - c->sources));
	return r;
}

static bool is_input(const struct compdb_command *c, const char *path)
{
	bool found = false;

	for (size_t i = 0; !found && c->output && i < c->cmd.ninputs; i++) {
		char *input = compdb_absolute(c->directory, c->cmd.args[c->cmd.inputs[i]]);

		found = !strcmp(input, path);
		free(input);
	}
	return found;
}

/* The reason for a command that read the file, but has other sources. */
static struct reason of_command(struct explainer *x, const struct compdb_command *c)
{
	bool proper = compdb_is_proper(c);

	if (c->cmd.unread)
		return (struct reason){ .word = "file-gone",
			.text = "which sources it had is not known: an @file is not what it was" };
	if (is_input(c, x->path))
		return (struct reason){ .word = "link", .text = "an input of a link (--links has it)" };
	if (c->cmd.nsources)
		return (struct reason){ .word = "header", .by = proper ? c->up : 0,
			.source = c->sources[0].file, .text = "a header, not a main source, of " };
	if (proper && c->cmd.why != WHY_STANDARD_INPUT)
		return of_proper(c);
	return of_why[c->cmd.why];
}

static struct reason reason_of(struct explainer *x, uint32_t exec, const struct compdb_source *s)
{
	uint32_t row = x->list.near[exec];
	const struct compdb_command *c = row ? &x->list.rows[row - 1] : NULL;

	if (s)
		return of_source(c, s);
	if (c && c->exec == exec)
		return of_command(x, c);
	if (c && (compdb_is_proper(c) || (!c->weak && c->cmd.family->tool == TOOL_DRIVER)))
		return (struct reason){ .word = "part", .text = "part of: ", .by = row };
	x->unknown = true;
	if (c)
		return (struct reason){ .word = "below", .by = row,
			.text = "not a compiler that is known; run by: " };
	return (struct reason){ .word = "no-compiler", .text = "not a compiler that is known" };
}

/* ---- output ---- */

static void put_failure(struct out *out, const struct build_exec *e)
{
	if (e->signal > 0)
		out_printf(out, "; killed by signal %d", e->signal);
	else if (e->status > 0)
		out_printf(out, "; it failed, with exit status %d", e->status);
}

static void put_reason(struct explainer *x, uint32_t exec, const struct reason *r)
{
	struct out *out = x->j.out;

	out_puts(out, "  ");
	put_command(out, x->list.db, exec, false);
	out_printf(out, "\n    %s", r->text);
	if (r->source)
		put_path(out, r->source, strlen(r->source));
	if (r->source && r->by)
		out_puts(out, "; part of: ");
	if (r->by)
		put_command(out, x->list.db, x->list.rows[r->by - 1].exec, false);
	if (r->output) {
		out_puts(out, ", to ");
		put_path(out, r->output, strlen(r->output));
	}
	put_failure(out, &x->b->execs[exec]);
	out_puts(out, "\n");
}

static void json_reason(struct explainer *x, uint32_t exec, bool read, const struct reason *r)
{
	struct json *j = &x->j;

	json_begin(j, '{');
	json_key(j, "program");
	json_exec(j, x->list.db, exec);
	json_key(j, "read");
	json_bool(j, read);
	json_member(j, "why", r->word);
	if (r->by) {
		json_key(j, "by");
		json_exec(j, x->list.db, x->list.rows[r->by - 1].exec);
	}
	if (r->source)
		json_text(j, "source", r->source, strlen(r->source));
	if (r->output)
		json_text(j, "output", r->output, strlen(r->output));
	if (x->b->execs[exec].status > 0 || x->b->execs[exec].signal > 0) {
		json_key(j, "failed");
		json_bool(j, true);
	}
	json_end(j, '}');
}

static void begin_text(struct explainer *x)
{
	if (!x->o->json) {
		put_path(x->j.out, x->path, strlen(x->path));
		out_puts(x->j.out, ":\n");
		return;
	}
	json_begin(&x->j, '{');
	json_text(&x->j, "file", x->path, strlen(x->path));
	json_list(&x->j, "programs");
}

static void end_text(struct explainer *x)
{
	if (x->o->json) {
		json_end(&x->j, ']');
		json_end(&x->j, '}');
		json_line(&x->j);
		return;
	}
	if (!x->nread)
		out_printf(x->j.out, "  no program read it%s\n",
			   x->n ? "" : ", and no compiler was called for it");
	if (x->unknown)
		out_puts(x->j.out, "To add an unknown compiler, name it in a file for --config:\n"
			 "  compilers: [{path: NAME, as: gcc}]\n");
}

/* ---- programs that read it ---- */

static bool has_read(const struct explainer *x, uint32_t exec)
{
	const struct build_exec *e = &x->b->execs[exec];

	for (uint32_t i = 0; x->file && i < e->uses; i++) {
		const struct build_access *a = &x->b->accesses[e->first + i];

		if (a->how == GRAPH_READ && (a->file == x->file ||
					     x->b->versions[a->version].file == x->file))
			return true;
	}
	return false;
}

static void explain_exec(struct explainer *x, uint32_t exec)
{
	uint32_t row = x->list.near[exec];
	struct compdb_command *c = row && x->list.rows[row - 1].exec == exec ?
				   &x->list.rows[row - 1] : NULL;
	const struct compdb_source *s = c ? compdb_source_of(c, x->path) : NULL;
	bool read = has_read(x, exec);
	struct reason r;

	if (!s && !read)
		return;
	r = reason_of(x, exec, s);
	if (x->o->json)
		json_reason(x, exec, read, &r);
	else
		put_reason(x, exec, &r);
	x->n++;
	x->nread += read;
	free(r.output);
}

/* Whether a command was run for a file that the build did not touch. */
static bool is_named(struct compdb_list *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (compdb_source_of(&l->rows[i], path))
			return true;
	return false;
}

void compdb_explain(struct db *db, const struct compdb *c, const char *path, struct out *out)
{
	struct explainer x = { .b = build_of(db), .o = c, .j = { .out = out } };
	struct compdb_entries entries = { 0 };
	struct buf absolute = { 0 };

	answers_path(&absolute, path);
	x.file = build_find(x.b, absolute.s, absolute.len);
	buf_addc(&absolute, 0);
	x.path = absolute.s;
	compdb_find(&entries, &x.list, db, c);
	/* for an unknown path, answers_file() prints similar ones */
	if (x.file || is_named(&x.list, x.path) || answers_file(db, path)) {
		begin_text(&x);
		for (uint32_t exec = 1; exec <= x.b->nexecs; exec++)
			explain_exec(&x, exec);
		end_text(&x);
	}
	compdb_free_entries(&entries);
	compdb_list_free(&x.list);
	buf_free(&absolute);
}
