// SPDX-License-Identifier: LGPL-2.1
/* Prints dependencies in all formats.  See deps.h. */
#include "answers/deps.h"
#include "io/json_out.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- sorted paths ---- */

struct path {
	const char *s;
	size_t len;
	uint32_t file;
};

struct paths {
	struct path *rows;
	size_t n, cap;
};

static int by_bytes(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int order = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void add_path(struct db *db, struct paths *l, uint32_t file)
{
	size_t len;
	const char *path = build_path(build_of(db), file, &len);

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = (struct path){ path, len, file };
}

static void sort_paths(struct paths *l)
{
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_bytes);
}

/* ---- formats ---- */

static void put_line(struct out *out, const char *before, const struct path *p)
{
	out_puts(out, before);
	out_write(out, p->s, p->len);
	out_puts(out, "\n");
}

static void put_text(const struct deps *d, const struct path *of, const struct paths *l,
		     bool header)
{
	if (header)
		put_line(d->out, "", of);
	for (size_t i = 0; i < l->n; i++)
		put_line(d->out, header ? "  " : "", &l->rows[i]);
}

static void put_json(const struct deps *d, const struct path *of, const struct paths *l)
{
	struct json j = { .out = d->out };

	json_begin(&j, '{');
	json_text(&j, d->reverse ? "input" : "output", of->s, of->len);
	json_key(&j, d->reverse ? "outputs" : "inputs");
	json_begin(&j, '[');
	for (size_t i = 0; i < l->n; i++)
		json_str(&j, l->rows[i].s, l->rows[i].len);
	json_end(&j, ']');
	json_end(&j, '}');
	json_line(&j);
}

/* Print a name quoted for a makefile, which cannot contain a newline. */
static void put_make_name(struct out *out, const struct path *p)
{
	for (size_t i = 0; i < p->len; i++) {
		if (p->s[i] == '$')
			out_puts(out, "$");
		else if (strchr(" \t#:\\%", p->s[i]) && p->s[i])
			out_puts(out, "\\");
		out_write(out, p->s[i] == '\n' ? "?" : &p->s[i], 1);
	}
}

static void put_make(const struct deps *d, const struct path *of, const struct paths *l)
{
	const struct path *one = d->reverse ? NULL : of;

	/* for rdeps, each output is a target that depends on the one input */
	for (size_t i = 0; i < l->n; i++) {
		if (!one || !i) {
			put_make_name(d->out, one ? one : &l->rows[i]);
			out_puts(d->out, ":");
		}
		out_puts(d->out, one ? " \\\n  " : " ");
		put_make_name(d->out, one ? &l->rows[i] : of);
		if (!one)
			out_puts(d->out, "\n");
	}
	if (one) {
		if (!l->n) {
			put_make_name(d->out, one);
			out_puts(d->out, ":");
		}
		out_puts(d->out, "\n");
	}
}

static void put_dot_name(struct out *out, const struct path *p)
{
	out_puts(out, "\"");
	for (size_t i = 0; i < p->len; i++) {
		if (p->s[i] == '"' || p->s[i] == '\\')
			out_puts(out, "\\");
		if (p->s[i] == '\n')
			out_puts(out, "\\n");
		else
			out_write(out, &p->s[i], 1);
	}
	out_puts(out, "\"");
}

static void put_dot(const struct deps *d, const struct path *of, const struct paths *l)
{
	for (size_t i = 0; i < l->n; i++) {
		out_puts(d->out, "  ");
		put_dot_name(d->out, d->reverse ? &l->rows[i] : of);
		out_puts(d->out, " -> ");
		put_dot_name(d->out, d->reverse ? of : &l->rows[i]);
		out_puts(d->out, ";\n");
	}
}

/* Files that have another name elsewhere can be missing in any answer: said once. */
static void print_elsewhere(struct deps *d)
{
	const struct build *b = build_of(d->db);
	struct buf text = { 0 };
	uint32_t exec = 1;

	while (exec <= b->nexecs && !(b->execs[exec].unseen & GRAPH_UNSEEN_NAMES))
		exec++;
	if (exec > b->nexecs)
		return;
	answers_file_path(d->db, b->execs[build_with_command(b, exec)].program, &text);
	fprintf(stderr, "etrace %s: %.*s used files in another mount namespace: if they have other names outside of it, these are not known\n",
		d->reverse ? "rdeps" : "deps", (int)text.len, text.s);
	buf_free(&text);
	d->unknown = true;
}

void deps_begin(struct deps *d)
{
	print_elsewhere(d);
	if (d->format == DEPS_DOT)
		out_puts(d->out, "digraph etrace {\n  rankdir=LR;\n");
}

void deps_end(const struct deps *d)
{
	if (d->format == DEPS_DOT)
		out_puts(d->out, "}\n");
}

/* ---- files ---- */

/* What a trace does not show about a program, and what the answer therefore lacks. */
static const struct unseen {
	uint8_t bit;		/* enum graph_unseen */
	bool reverse;
	const char *what;
} unseen[] = {
	{ GRAPH_UNSEEN_SOCKET, false, "read from a socket that leads out of the trace: what came from there is not known" },
	{ GRAPH_UNSEEN_FD, false, "read a device, or what was opened before the trace began, or elsewhere: what it held is not known" },
	{ GRAPH_UNSEEN_URING, false, "set up an io_uring: what it read through it may not be known" },
	{ GRAPH_UNSEEN_SENT, true, "wrote to a socket that leads out of the trace: what was made from that is not known" },
	{ GRAPH_UNSEEN_URING, true, "set up an io_uring: what it wrote through it may not be known" },
};

/* Print each row of @unseen that applies, with the first program to which it applies. */
static void print_unseen(struct deps *d, uint32_t file, const struct reach *r)
{
	const struct build *b = build_of(d->db);

	for (size_t k = 0; k < sizeof(unseen) / sizeof(*unseen); k++) {
		uint32_t first = 0;
		struct buf text = { 0 };

		for (size_t i = 0; i < r->nexecs && !first && unseen[k].reverse == d->reverse; i++)
			if (b->execs[r->execs[i]].unseen & unseen[k].bit)
				first = build_with_command(b, r->execs[i]);
		if (!first)
			continue;
		answers_file_path(d->db, file, &text);
		buf_adds(&text, ": ");
		answers_file_path(d->db, b->execs[first].program, &text);
		fprintf(stderr, "etrace %s: %.*s %s\n", d->reverse ? "rdeps" : "deps", (int)text.len,
			text.s, unseen[k].what);
		buf_free(&text);
		d->unknown = true;
	}
}

static void find_paths(struct deps *d, uint32_t file, struct paths *l)
{
	const struct build *b = build_of(d->db);
	uint32_t version = build_final(b, file);
	struct reach r = { 0 };

	if (d->reverse)
		reach_outputs(b, version, file, d->how, d->classes, &r);
	else if (version)
		reach_inputs(b, version, file, d->how, d->classes, &r);
	for (size_t i = 0; i < r.n; i++)
		if (r.nodes[i].shown)
			add_path(d->db, l, r.nodes[i].file);
	print_unseen(d, file, &r);
	reach_free(&r);
	sort_paths(l);
}

/* Whether a file does not exist because the program that should have made it failed. */
static bool was_not_made(const struct deps *d, uint32_t file)
{
	const struct build *b = build_of(d->db);
	struct buf path = { 0 };
	bool failed;

	if (d->reverse || build_present(b, file))
		return false;
	answers_file_path(d->db, file, &path);
	failed = answers_not_made(d->db, &path);
	buf_free(&path);
	return failed;
}

void deps_of(struct deps *d, uint32_t file, bool header)
{
	struct paths of = { 0 }, l = { 0 };

	if (was_not_made(d, file))
		return;
	add_path(d->db, &of, file);
	find_paths(d, file, &l);
	switch (d->format) {
	case DEPS_TEXT:
		put_text(d, of.rows, &l, header);
		break;
	case DEPS_JSON:
		put_json(d, of.rows, &l);
		break;
	case DEPS_DOT:
		put_dot(d, of.rows, &l);
		break;
	case DEPS_MAKE:
		put_make(d, of.rows, &l);
		break;
	}
	free(of.rows);
	free(l.rows);
}

/* Add each file once that a program used in one of the classes, or failed to find. */
static void add_used(const struct deps *d, struct paths *l)
{
	const struct build *b = build_of(d->db);
	bool *seen = xcalloc(b->nfiles + 1ul, sizeof(*seen));

	for (size_t i = 0; i < b->naccesses; i++)
		if (b->accesses[i].how != GRAPH_WRITE && d->classes >> b->accesses[i].class & 1)
			seen[b->accesses[i].file] = true;
	for (uint32_t exec = 1; exec <= b->nexecs && d->classes >> GRAPH_PROBE & 1; exec++)
		for (uint32_t i = 0; i < build_misses(b, exec); i++)
			seen[build_miss_of(b, exec, i)->file] = true;
	/* links depend on their targets, and new names on files with other names */
	for (uint32_t i = 1; i <= b->nversions; i++)
		seen[b->versions[i].target] = true;
	for (size_t i = 0; i < b->nnames; i++)
		if (b->names[i].exec && b->versions[b->names[i].version].made == GRAPH_EXISTED)
			seen[b->versions[b->names[i].version].file] = true;
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (seen[i])
			add_path(d->db, l, i);
	free(seen);
}

void deps_all(struct deps *d)
{
	const struct build *b = build_of(d->db);
	struct paths l = { 0 };

	if (d->reverse)
		add_used(d, &l);
	for (uint32_t i = 1; i <= b->nfiles && !d->reverse; i++)
		if (build_is_output(b, i))
			add_path(d->db, &l, i);
	sort_paths(&l);
	for (size_t i = 0; i < l.n; i++)
		deps_of(d, l.rows[i].file, true);
	free(l.rows);
}
