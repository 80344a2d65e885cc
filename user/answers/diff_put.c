// SPDX-License-Identifier: LGPL-2.1
/* Prints differences (diff.h) as text and as JSON. */
#include "answers/diff.h"
#include "answers/match_put.h"
#include "base/clock.h"
#include "base/shquote.h"
#include "base/text_num.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define A(d) (&(d)->m.side[0])
#define B(d) (&(d)->m.side[1])

static const char *const kinds[] = {
	[DIFF_FILE] = "file", [DIFF_COMMAND] = "command", [DIFF_ADDED] = "added",
	[DIFF_REMOVED] = "removed", [DIFF_OUTPUT] = "output", [DIFF_ENDED] = "status",
	[DIFF_ENV] = "environment",
};
static const char *const changes[] = {
	[DIFF_ONLY_FIRST] = "only in the first", [DIFF_ONLY_SECOND] = "only in the second",
	[DIFF_SIZE] = "different size", [DIFF_TIME_ONLY] = "changed or touched",
	[DIFF_CONTENT] = "made with a different size", [DIFF_HELD] = "its content differs",
	[DIFF_MADE] = "made with a different content",
};
static const char *const json_changes[] = {
	[DIFF_ONLY_FIRST] = "removed", [DIFF_ONLY_SECOND] = "added", [DIFF_SIZE] = "size",
	[DIFF_TIME_ONLY] = "time", [DIFF_CONTENT] = "content", [DIFF_HELD] = "content",
	[DIFF_MADE] = "content",
};
static const struct what {
	uint8_t bit;
	const char *text, *json;
} whats[] = {
	{ DIFF_ARGS, "different arguments", "arguments" },
	{ DIFF_CWD, "different directory", "directory" },
	{ DIFF_TOOL, "different program", "program" },
	{ DIFF_INPUTS, "different inputs", "inputs" },
	{ DIFF_STATUS, "different status", "status" },
	{ DIFF_TIME, "different time", "time" },
};

#define NWHATS (sizeof(whats) / sizeof(*whats))

/* ---- text ---- */

static void put_line(struct out *out, const char *before, const struct match_side *s, uint32_t unit)
{
	out_puts(out, before);
	match_put_unit(out, s, unit);
}

static const char string_text[] = "SELECT s FROM string WHERE id = ?";

struct putting {
	struct diff *d;
	struct out *out;
	struct json *json;
};

/* Print how exec @exec of build @side failed. */
static void put_failed(struct out *out, struct diff *d, unsigned int side, uint32_t exec)
{
	struct buf how = { 0 };

	answers_how_failed(d->m.side[side].db, exec, false, &how);
	out_printf(out, "in the %s %.*s", side ? "second" : "first", (int)how.len, how.s);
	buf_free(&how);
}

/* Print what failed in only one of the builds because of this root. */
static void put_root_failed(struct diff *d, struct out *out, const struct diff_root *r)
{
	int side = r->failed ? diff_failed_in(d, r->failed) : -1;

	if (side < 0)
		return;
	out_puts(out, "   ");
	put_failed(out, d, (unsigned int)side, side ? B(d)->units[r->failed].exec :
		   A(d)->units[B(d)->units[r->failed].pair].exec);
	if (r->nfailed > 1)
		out_printf(out, ", and %u more failed", r->nfailed - 1);
	out_puts(out, "\n");
}

static void put_string(struct out *out, struct db *db, uint32_t string)
{
	struct sqlite3_stmt *st = db_ask(db, string_text, "i", (int64_t)string);
	struct buf quoted = { 0 };
	size_t len;
	const char *s;

	if (db_row(db, st)) {
		s = db_bytes(st, 0, &len);
		sh_quote(&quoted, s, len);
		out_write(out, quoted.s, quoted.len);
		buf_free(&quoted);
	}
}

static void put_var(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	struct putting *p = ctx;
	const struct diff_var *any = b ? b : a;

	out_puts(p->out, "   ");
	put_string(p->out, b ? B(p->d)->db : A(p->d)->db, any->name);
	if (!a || !b)
		out_puts(p->out, a ? ": no longer set" : ": not set before");
	if (a) {
		out_puts(p->out, b ? ": was " : ", was ");
		put_string(p->out, A(p->d)->db, a->value);
	}
	if (b) {
		out_puts(p->out, ", is ");
		put_string(p->out, B(p->d)->db, b->value);
	}
	out_puts(p->out, "\n");
}

/* Texts about a program that is not reproducible; the first such program gets another one. */
static const char first_stop[] =
	"   here the build stops being reproducible: its arguments, program, inputs and environment\n"
	"   are equal, as far as they are recorded, and what it made is not\n";
static const char other_stop[] = "   this is not reproducible, either\n";

static void put_stop(struct out *out, const struct diff_root *r, size_t number)
{
	if (r->stops)
		out_puts(out, number == 1 ? first_stop : other_stop);
}

static void put_root(struct diff *d, struct out *out, size_t i, size_t number)
{
	const struct diff_root *r = &d->roots[i];
	struct putting p = { d, out, NULL };

	out_printf(out, "%zu. ", number);
	switch ((enum diff_kind)r->kind) {
	case DIFF_FILE:
		match_put_file(out, &d->m.side[r->side], r->file);
		out_printf(out, ": %s\n", changes[r->input]);
		d->timed |= r->input == DIFF_TIME_ONLY;
		put_line(out, "   first used by  ", B(d), r->b);
		break;
	case DIFF_COMMAND:
		put_line(out, d->units[r->b].what & DIFF_ARGS ? "different arguments:  " :
			      "different directory:  ", B(d), r->b);
		match_put_call(out, &d->m, r->a, r->b);
		if (B(d)->units[r->b].caller)
			put_line(out, "   by  ", B(d), B(d)->units[r->b].caller);
		put_stop(out, r, number);
		break;
	case DIFF_ADDED:
		put_line(out, "only in the second:  ", B(d), r->b);
		break;
	case DIFF_REMOVED:
		put_line(out, "only in the first:  ", A(d), r->a);
		break;
	case DIFF_OUTPUT:
		match_put_file(out, &d->m.side[r->side], r->file);
		out_printf(out, ": different %s, made from the same inputs\n",
			   r->input == DIFF_MADE ? "content" : "size");
		put_line(out, "   by  ", B(d), r->b);
		put_stop(out, r, number);
		break;
	case DIFF_ENDED:
		put_line(out, "ended differently:  ", B(d), r->b);
		break;
	case DIFF_ENV:
		put_line(out, "different environment:  ", B(d), r->b);
		diff_env_pairs(d, r->b, put_var, &p);
		break;
	}
	put_root_failed(d, out, r);
	out_printf(out, "   %s, or may differ, because of this\n",
		   text_counted(r->units, "command differs", "commands differ"));
}

static void put_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct putting *p = ctx;
	enum diff_input input = diff_input_of(p->d, a, b, NULL);
	const struct match_side *side = b ? B(p->d) : A(p->d);
	const struct match_input *shown = b ? b : a;

	if (input == DIFF_SAME)
		return;
	if (p->json) {
		json_begin(p->json, '{');
		match_json_file(p->json, "path", side, shown->file);
		json_key(p->json, "change");
		json_cstr(p->json, json_changes[input]);
		json_end(p->json, '}');
		return;
	}
	out_puts(p->out, "    ");
	match_put_file(p->out, side, shown->file);
	out_printf(p->out, ": %s", changes[input]);
	p->d->timed |= input == DIFF_TIME_ONLY;
	if (a && b && (input == DIFF_SIZE || input == DIFF_CONTENT))
		out_printf(p->out, " (%lld bytes, %lld before)", (long long)b->size, (long long)a->size);
	out_puts(p->out, "\n");
}

static void put_inputs(struct putting *p, uint32_t unit)
{
	struct match_inputs inputs[2] = { 0 };

	match_inputs(A(p->d), B(p->d)->units[unit].pair, &inputs[0]);
	match_inputs(B(p->d), unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], put_input, p);
	free(inputs[0].rows);
	free(inputs[1].rows);
}

static void put_status(struct out *out, int64_t status)
{
	if (status < 0)
		out_puts(out, "not known");
	else if (status >= 256)
		out_printf(out, "signal %lld", (long long)status / 256);
	else
		out_printf(out, "%lld", (long long)status);
}

static void put_pair(struct putting *p, uint32_t unit)
{
	struct diff *d = p->d;
	const struct match_unit *b = &B(d)->units[unit], *a = &A(d)->units[b->pair];
	uint8_t what = d->units[unit].what;
	const char *comma = "";

	for (size_t i = 0; i < NWHATS; i++)
		if (what & whats[i].bit) {
			out_printf(p->out, "%s%s", comma, whats[i].text);
			comma = ", ";
		}
	put_line(p->out, ":  ", B(d), unit);
	match_put_call(p->out, &d->m, b->pair, unit);
	if (what & DIFF_TOOL) {
		out_puts(p->out, "    - ");
		match_put_file(p->out, A(d), a->program);
		out_puts(p->out, "\n    + ");
		match_put_file(p->out, B(d), b->program);
		out_puts(p->out, "\n");
	}
	if (what & DIFF_INPUTS)
		put_inputs(p, unit);
	if (what & DIFF_STATUS) {
		out_puts(p->out, "    status ");
		put_status(p->out, b->status);
		out_puts(p->out, ", before: ");
		put_status(p->out, a->status);
		out_puts(p->out, "\n");
	}
	if (what & DIFF_TIME)
		out_printf(p->out, "    %.3f s, %.3f s before\n", ns_seconds(b->until - b->at),
			   ns_seconds(a->until - a->at));
}

/* ---- JSON ---- */

static void json_string(struct json *j, const char *name, struct db *db, uint32_t string)
{
	struct sqlite3_stmt *st = db_ask(db, string_text, "i", (int64_t)string);
	size_t len;
	const char *s;

	if (db_row(db, st)) {
		s = db_bytes(st, 0, &len);
		json_text(j, name, s, len);
	}
}

static void json_var(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	struct putting *p = ctx;
	const struct diff_var *any = b ? b : a;

	json_begin(p->json, '{');
	json_string(p->json, "name", b ? B(p->d)->db : A(p->d)->db, any->name);
	if (a)
		json_string(p->json, "first", A(p->d)->db, a->value);
	if (b)
		json_string(p->json, "second", B(p->d)->db, b->value);
	json_end(p->json, '}');
}

static void json_by(struct json *j, uint8_t by)
{
	if (match_by_name(by))
		json_member(j, "by", match_by_name(by));
}

static void json_root(struct diff *d, struct json *j, size_t i, size_t number)
{
	const struct diff_root *r = &d->roots[i];
	struct putting p = { d, NULL, j };

	json_begin(j, '{');
	json_key(j, "root");
	json_u64(j, number);
	json_key(j, "kind");
	json_cstr(j, kinds[r->kind]);
	match_json_file(j, "path", &d->m.side[r->side], r->file);
	if (r->input) {
		json_key(j, "change");
		json_cstr(j, json_changes[r->input]);
	}
	json_by(j, r->by);
	if (r->stops) {
		json_key(j, "reproducible");
		json_bool(j, false);
	}
	match_json_unit(j, "first", A(d), r->a);
	match_json_unit(j, "second", B(d), r->b);
	if (r->failed && diff_failed_in(d, r->failed))
		match_json_unit(j, "failed_second", B(d), r->failed);
	else if (r->failed)
		match_json_unit(j, "failed_first", A(d), B(d)->units[r->failed].pair);
	if (r->kind == DIFF_ENV) {
		json_key(j, "variables");
		json_begin(j, '[');
		diff_env_pairs(d, r->b, json_var, &p);
		json_end(j, ']');
	}
	json_key(j, "commands");
	json_u64(j, r->units);
	json_end(j, '}');
	json_line(j);
}

static void json_words(struct json *j, const char *name, const struct match_side *of, uint32_t unit,
		       const struct match_side *than, uint32_t other)
{
	struct buf b = { 0 };
	size_t n = match_other_args(of, unit, than, other, true, &b);
	const char *s = b.s;

	json_key(j, name);
	json_begin(j, '[');
	for (; n--; s += strlen(s) + 1)
		json_cstr(j, s);
	json_end(j, ']');
	buf_free(&b);
}

static void json_differs(struct putting *p, uint32_t unit, size_t root)
{
	struct json *j = p->json;
	struct diff *d = p->d;
	uint32_t a = B(d)->units[unit].pair;
	uint8_t what = d->units[unit].what;

	json_begin(j, '{');
	json_key(j, "differs");
	json_begin(j, '[');
	if (!a)
		json_cstr(j, "added");
	for (size_t i = 0; i < NWHATS; i++)
		if (what & whats[i].bit)
			json_cstr(j, whats[i].json);
	json_end(j, ']');
	if (root) {
		json_key(j, "by_root");
		json_u64(j, root);
	}
	match_json_unit(j, "first", A(d), a);
	match_json_unit(j, "second", B(d), unit);
	if (what & DIFF_ARGS) {
		json_words(j, "arguments_removed", A(d), a, B(d), unit);
		json_words(j, "arguments_added", B(d), unit, A(d), a);
	}
	if (what & DIFF_INPUTS) {
		json_key(j, "inputs");
		json_begin(j, '[');
		put_inputs(p, unit);
		json_end(j, ']');
		json_by(j, d->units[unit].by);
	}
	json_end(j, '}');
	json_line(j);
}

static void json_removed(struct diff *d, struct json *j, uint32_t unit, size_t root)
{
	json_begin(j, '{');
	json_key(j, "differs");
	json_begin(j, '[');
	json_cstr(j, "removed");
	json_end(j, ']');
	json_key(j, "by_root");
	json_u64(j, root);
	match_json_unit(j, "first", A(d), unit);
	json_end(j, '}');
	json_line(j);
}

/* ---- the whole answer ---- */

static const struct diff_root *sorted;	/* the array that by_weight() refers to */

/* The programs that are not reproducible come first; otherwise order by time. */
static int by_weight(const void *a, const void *b)
{
	const struct diff_root *x = &sorted[*(const size_t *)a], *y = &sorted[*(const size_t *)b];

	if (x->stops != y->stops)
		return y->stops - x->stops;
	if (x->at != y->at)
		return (x->at > y->at) - (x->at < y->at);
	return (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

static void put_units(struct putting *p, const size_t *number)
{
	struct diff *d = p->d;

	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		int32_t root = d->units[i].root;
		bool added = !B(d)->units[i].pair;

		if (!added && !d->units[i].what)
			continue;
		if (p->json)
			json_differs(p, i, root < 0 ? 0 : number[root]);
		else if (added)
			put_line(p->out, "added:  ", B(d), i);
		else
			put_pair(p, i);
	}
	for (uint32_t i = 1; i <= A(d)->nunits; i++) {
		if (A(d)->units[i].pair)
			continue;
		if (p->json)
			json_removed(d, p->json, i, number[d->removed[i]]);
		else
			put_line(p->out, "removed:  ", A(d), i);
	}
}

static void put_left(const struct putting *p, const struct diff_output *o, size_t root)
{
	static const char *const texts[] = {
		[DIFF_LEFT_SIZE] = "different size", [DIFF_LEFT_CONTENT] = "different content",
		[DIFF_LEFT_ONLY_FIRST] = "only in the first", [DIFF_LEFT_ONLY_SECOND] = "only in the second",
	};
	static const char *const words[] = {
		[DIFF_LEFT_SIZE] = "size", [DIFF_LEFT_CONTENT] = "content",
		[DIFF_LEFT_ONLY_FIRST] = "removed", [DIFF_LEFT_ONLY_SECOND] = "added",
	};
	unsigned int side = o->second ? 1 : 0;
	const struct match_side *s = &p->d->m.side[side], *other = &p->d->m.side[!side];
	uint32_t file = o->second ? o->second : o->first;
	uint32_t failed = o->first && o->second ? 0 : diff_failed_on(p->d, side, file);

	if (p->json) {
		json_begin(p->json, '{');
		match_json_file(p->json, "output", s, file);
		json_key(p->json, "change");
		json_cstr(p->json, words[o->how]);
		if (root) {
			json_key(p->json, "by_root");
			json_u64(p->json, root);
		}
		match_json_unit(p->json, "failed", other, other->unit_of[failed]);
		json_end(p->json, '}');
		json_line(p->json);
		return;
	}
	out_puts(p->out, "output:  ");
	match_put_file(p->out, s, file);
	out_printf(p->out, ": %s", texts[o->how]);
	if (root)
		out_printf(p->out, ", because of %zu", root);
	if (failed) {
		out_puts(p->out, ": ");
		put_failed(p->out, p->d, !side, failed);
	}
	out_puts(p->out, "\n");
}

static void put_outputs(struct putting *p, const size_t *number)
{
	struct diff *d = p->d;

	for (size_t i = 0; i < d->noutputs; i++) {
		const struct diff_output *o = &d->outputs[i];

		put_left(p, o, o->root < 0 ? 0 : number[o->root]);
	}
	if (!p->json && d->left[DIFF_LEFT_UNKNOWN])
		out_printf(p->out, "outputs:  %zu of the same size could not be compared: they have changed since the build, or are gone\n",
			   d->left[DIFF_LEFT_UNKNOWN]);
}

bool diff_put(struct diff *d, struct out *out, bool json)
{
	struct json j = { .out = out };
	struct putting p = { d, out, json ? &j : NULL };
	size_t *order = xcalloc(d->nroots + 1, sizeof(*order));
	size_t *number = xcalloc(d->nroots + 1, sizeof(*number)), n = 0;

	for (size_t i = 0; i < d->nroots; i++)
		order[i] = i;
	sorted = d->roots;
	qsort(order, d->nroots, sizeof(*order), by_weight);
	for (size_t i = 0; i < d->nroots; i++) {
		/*
		 * skip a root that explains no unit: earlier ones explain everything that it
		 * could
		 */
		if (!d->roots[order[i]].units)
			continue;
		number[order[i]] = ++n;
		if (json)
			json_root(d, &j, order[i], n);
		else
			put_root(d, out, order[i], n);
	}
	if (n && !json)
		out_puts(out, "\n");
	put_units(&p, number);
	put_outputs(&p, number);
	if (d->timed && !json)
		match_put_by(&d->m, out);
	free(order);
	free(number);
	return n || d->noutputs;
}
