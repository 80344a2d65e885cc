// SPDX-License-Identifier: LGPL-2.1
/* Prints what made a file, and how another file got into it (etrace why).  See why.h. */
#include "answers/why.h"
#include "answers/print_names.h"
#include "build/reach.h"
#include "graph/graph.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

static uint32_t caller_of(const struct build *b, uint32_t exec)
{
	const struct build_exec *e = &b->execs[exec];
	uint32_t up = e->before ? e->before : e->parent;

	return up ? build_with_command(b, up) : 0;
}

/* Print a step on its own line. */
static void put_step(struct db *db, const struct why *w, const char *before, uint32_t exec)
{
	out_puts(w->out, before);
	put_command(w->out, db, exec, w->full);
	out_puts(w->out, "\n");
}

/* ---- the maker ---- */

static void put_callers(struct db *db, const struct why *w, uint32_t exec)
{
	const struct build *b = build_of(db);

	/* stop at the recorder's child before it ran any program */
	while ((exec = caller_of(b, exec)) && b->execs[exec].program)
		put_step(db, w, "    called by  ", exec);
}

/* If the file is missing, or its writer failed: print the program that failed, and its callers. */
static void put_failed(struct db *db, uint32_t file, const struct why *w)
{
	struct buf path = { 0 }, how = { 0 };
	uint32_t exec;
	bool without;

	answers_file_path(db, file, &path);
	exec = answers_failed_on(db, &path, &without);
	if (exec) {
		answers_how_failed(db, exec, without, &how);
		out_printf(w->out, "  not made: %.*s\n", (int)how.len, how.s);
		put_step(db, w, "    command    ", exec);
		put_callers(db, w, exec);
	}
	buf_free(&path);
	buf_free(&how);
}

static void text_made(struct db *db, uint32_t file, uint32_t version, const struct why *w,
		      const uint32_t *list, size_t n)
{
	const struct build *b = build_of(db);
	uint32_t mover = build_namer(b, version, file);
	struct out *out = w->out;

	put_file(out, db, file);
	out_puts(out, n ? "\n" : ": the build did not make it\n");
	if (!build_present(b, file))
		put_failed(db, file, w);
	if (mover)
		put_step(db, w, "  named by     ", build_with_command(b, mover));
	for (size_t i = 0; i < n; i++) {
		uint32_t exec = build_with_command(b, list[i]);

		put_step(db, w, "  written by   ", exec);
		out_puts(out, "    in         ");
		put_file(out, db, b->execs[exec].cwd);
		out_puts(out, "\n");
		put_callers(db, w, exec);
	}
}

static void json_failed(struct json *j, struct db *db, uint32_t file)
{
	struct buf path = { 0 };
	uint32_t exec;
	bool without;

	answers_file_path(db, file, &path);
	exec = answers_failed_on(db, &path, &without);
	if (exec) {
		json_key(j, "failed");
		json_exec(j, db, exec);
	}
	buf_free(&path);
}

static void json_made(struct db *db, uint32_t file, uint32_t version, struct out *out,
		      const uint32_t *list, size_t n)
{
	const struct build *b = build_of(db);
	struct json j = { .out = out };
	uint32_t mover = build_namer(b, version, file);

	json_begin(&j, '{');
	json_file(&j, "output", db, file);
	if (mover) {
		json_key(&j, "named_by");
		json_exec(&j, db, build_with_command(b, mover));
	}
	if (!build_present(b, file))
		json_failed(&j, db, file);
	json_key(&j, "made_by");
	json_begin(&j, '[');
	for (size_t i = 0; i < n; i++) {
		uint32_t exec = build_with_command(b, list[i]);

		/* the program that made it, and its callers */
		json_begin(&j, '[');
		for (; exec; exec = caller_of(b, exec))
			json_exec(&j, db, exec);
		json_end(&j, ']');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	json_line(&j);
}

void why_made(struct db *db, uint32_t file, const struct why *w)
{
	const struct build *b = build_of(db);
	uint32_t version = build_final(b, file);
	size_t n;
	uint32_t *list = build_makers(b, version, &n);

	if (w->json)
		json_made(db, file, version, w->out, list, n);
	else
		text_made(db, file, version, w, list, n);
	free(list);
}

/* ---- a chain ---- */

#define ALL_CLASSES ((1u << GRAPH_NCLASSES) - 1)

/* Whether a version has this file as one of its names. */
static bool has_name(const struct build *b, uint32_t version, uint32_t file)
{
	size_t n;
	const uint32_t *names = build_list(b, BUILD_NAMES_OF, version, &n);

	for (size_t i = 0; version && i < n; i++)
		if (names[i] == file)
			return true;
	return false;
}

/* Return: index of the node that is a file, -1 if none. */
static int32_t find_node(const struct build *b, const struct reach *r, uint32_t file)
{
	int32_t other = -1;

	for (size_t i = 1; i < r->n; i++) {
		if (r->nodes[i].file == file)
			return (int32_t)i;
		if (other < 0 && has_name(b, r->nodes[i].version, file))
			other = (int32_t)i;
	}
	return other;
}

static void put_node(struct db *db, struct out *out, const struct reach_node *n)
{
	const struct build *b = build_of(db);

	if (n->file)
		put_file(out, db, n->file);
	else
		out_puts(out, b->versions[n->version].made == GRAPH_PIPE ? "a pipe" :
			 "a file without a name");
	if (n->file && !build_present(b, n->file))
		out_puts(out, " (gone at the end)");
	if (!(REACH_DEFAULT_CLASSES >> n->class & 1))
		out_printf(out, " (%s)", graph_class_names[n->class]);
	out_puts(out, "\n");
}

static void text_chain(struct db *db, const struct reach *r, const int32_t *chain, size_t n,
		       const struct why *w)
{
	const struct build *b = build_of(db);
	struct out *out = w->out;

	for (size_t i = 0; i < n; i++) {
		put_node(db, out, &r->nodes[chain[i]]);
		if (i + 1 == n)
			break;
		put_step(db, w, "  made by  ",
			    build_with_command(b, r->nodes[chain[i + 1]].exec));
		out_puts(out, "  from     ");
	}
}

static void json_chain(struct db *db, const struct reach *r, const int32_t *chain, size_t n,
		       struct out *out)
{
	const struct build *b = build_of(db);
	struct json j = { .out = out };

	json_begin(&j, '{');
	json_file(&j, "output", db, r->nodes[chain[0]].file);
	json_file(&j, "input", db, r->nodes[chain[n - 1]].file);
	json_key(&j, "chain");
	json_begin(&j, '[');
	for (size_t i = 1; i < n; i++) {
		const struct reach_node *node = &r->nodes[chain[i]];

		json_begin(&j, '{');
		json_key(&j, "by");
		json_exec(&j, db, build_with_command(b, node->exec));
		json_file(&j, "from", db, node->file);
		json_key(&j, "class");
		json_cstr(&j, graph_class_names[node->class]);
		json_key(&j, "present");
		json_bool(&j, node->file && build_present(b, node->file));
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	json_line(&j);
}

static void put_chain(struct db *db, const struct reach *r, int32_t last, const struct why *w)
{
	int32_t *chain = NULL, at;
	size_t n = 0, cap = 0;

	for (at = last; at >= 0; at = r->nodes[at].from) {
		chain = xgrow(chain, &cap, n + 1, sizeof(*chain));
		chain[n++] = at;
	}
	for (size_t i = 0; i < n / 2; i++) {
		at = chain[i];
		chain[i] = chain[n - 1 - i];
		chain[n - 1 - i] = at;
	}
	if (w->json)
		json_chain(db, r, chain, n, w->out);
	else
		text_chain(db, r, chain, n, w);
	free(chain);
}

bool why_from(struct db *db, uint32_t output, uint32_t input, const struct why *w)
{
	static const unsigned int tries[] = { REACH_DEFAULT_CLASSES, ALL_CLASSES };
	const struct build *model = build_of(db);
	uint32_t version = build_final(model, output);
	struct buf a = { 0 }, b = { 0 };
	int32_t last = -1;

	for (unsigned int i = 0; i < 2 && last < 0 && !db->failed; i++) {
		struct reach r;

		reach_inputs(model, version, output, REACH_ALL, tries[i], &r);
		last = find_node(model, &r, input);
		if (last >= 0)
			put_chain(db, &r, last, w);
		reach_free(&r);
	}
	if (last >= 0 || db->failed)
		return true;
	answers_file_path(db, output, &a);
	answers_file_path(db, input, &b);
	diag_fatal(db->diag, "%.*s was not made from %.*s, as far as the trace tells", (int)a.len,
		   a.s, (int)b.len, b.s);
	buf_free(&a);
	buf_free(&b);
	return false;
}
