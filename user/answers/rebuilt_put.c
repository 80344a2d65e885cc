// SPDX-License-Identifier: LGPL-2.1
/* Prints reasons (rebuilt.h) as text and as JSON. */
#include "answers/rebuilt.h"
#include "answers/match_put.h"
#include "answers/print_names.h"
#include "base/text_num.h"

#include <string.h>

#define OLD(r) (&(r)->m.side[0])
#define NEW(r) (&(r)->m.side[1])

static const struct kind {
	const char *json, *text;
} kinds[] = {
	[REBUILT_COMMAND] = { "command", "its command changed" },
	[REBUILT_PROGRAM] = { "program", "program" },
	[REBUILT_INPUT] = { "input", "input" },
	[REBUILT_NEW_INPUT] = { "new_input", "an input that it did not read before:" },
	[REBUILT_MADE] = { "made", "its input was rebuilt:" },
	[REBUILT_MISSING] = { "missing", "its output was missing:" },
	[REBUILT_NEW] = { "new", "it did not run before" },
	[REBUILT_DECLARED] = { "declared", "declared, but not read:" },
};
static const struct kind changes[] = {
	[MATCH_SIZE] = { "size", ": different size" },
	[MATCH_CONTENT] = { "content", ": different content" },
	[MATCH_TIME] = { "time", ": changed or touched" },
	[MATCH_REPLACED] = { "replaced", ": replaced by another file" },
};

/* The reasons and outputs of one step, as parts of the lists of all steps. */
struct part {
	uint32_t step;
	const struct rebuilt_reason *reasons;
	const struct rebuilt_output *outputs, *touched;
	size_t nreasons, noutputs, ntouched;
};

/* Print that a step ran only because files were touched: build tools compare times. */
static void text_touched(const struct rebuilt *r, struct out *out, const struct part *p)
{
	if (!p->ntouched) {
		out_puts(out, "  no reason found\n");
		return;
	}
	out_puts(out, "  no reason found: only written or touched, with the same content:");
	for (size_t i = 0; i < p->ntouched; i++) {
		out_puts(out, " ");
		match_put_file(out, NEW(r), p->touched[i].file);
	}
	out_puts(out, "\n");
}

static void text_part(const struct rebuilt *r, struct out *out, const struct part *p)
{
	uint32_t pair = NEW(r)->units[p->step].pair;

	for (size_t i = 0; i < p->noutputs; i++) {
		out_puts(out, i ? " " : "");
		match_put_file(out, NEW(r), p->outputs[i].file);
	}
	out_puts(out, p->noutputs ? "\n  by " : "");
	match_put_unit(out, NEW(r), p->step);
	for (size_t i = 0; i < p->nreasons; i++) {
		const struct rebuilt_reason *reason = &p->reasons[i];

		out_printf(out, "  %s", kinds[reason->kind].text);
		if (reason->file) {
			out_puts(out, " ");
			match_put_file(out, NEW(r), reason->file);
		}
		if (reason->node) {
			const struct lists_node *node = &r->lists.nodes[reason->node];

			out_puts(out, " ");
			put_path(out, node->path, node->len);
		}
		out_puts(out, reason->change ? changes[reason->change].text : "");
		out_puts(out, reason->node && reason->by ? ": rebuilt" : "");
		out_puts(out, "\n");
		if (reason->kind == REBUILT_COMMAND)
			match_put_call(out, &r->m, pair, p->step);
	}
	if (!p->nreasons)
		text_touched(r, out, p);
}

static void json_reason(const struct rebuilt *r, struct json *j, const struct rebuilt_reason *reason)
{
	json_begin(j, '{');
	json_key(j, "reason");
	json_cstr(j, kinds[reason->kind].json);
	match_json_file(j, "path", NEW(r), reason->file);
	if (reason->node)
		json_text(j, "path", r->lists.nodes[reason->node].path,
			  r->lists.nodes[reason->node].len);
	if (reason->change) {
		json_key(j, "change");
		json_cstr(j, changes[reason->change].json);
	}
	if (reason->by) {
		json_key(j, "by");
		json_u64(j, NEW(r)->units[reason->by].exec);
	}
	json_end(j, '}');
}

static void json_files(const struct rebuilt *r, struct json *j, const char *name,
		       const struct rebuilt_output *files, size_t n)
{
	struct buf b = { 0 };

	json_key(j, name);
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++) {
		b.len = 0;
		answers_file_path(NEW(r)->db, files[i].file, &b);
		json_str(j, b.s ? b.s : "", b.len);
	}
	json_end(j, ']');
	buf_free(&b);
}

static void json_part(const struct rebuilt *r, struct json *j, const struct part *p)
{
	const char *by = match_by_name(r->by[p->step]);

	json_begin(j, '{');
	json_files(r, j, "outputs", p->outputs, p->noutputs);
	match_json_unit(j, "old", OLD(r), NEW(r)->units[p->step].pair);
	match_json_unit(j, "new", NEW(r), p->step);
	json_key(j, "reasons");
	json_begin(j, '[');
	for (size_t i = 0; i < p->nreasons; i++)
		json_reason(r, j, &p->reasons[i]);
	json_end(j, ']');
	if (p->ntouched)
		json_files(r, j, "touched", p->touched, p->ntouched);
	if (by)
		json_member(j, "by", by);
	json_end(j, '}');
	json_line(j);
}

void rebuilt_put(const struct rebuilt *r, struct out *out, bool json)
{
	const struct rebuilt_reason *reason = r->reasons, *end = r->reasons + r->n;
	const struct rebuilt_output *output = r->outputs, *last = r->outputs + r->noutputs;
	const struct rebuilt_output *touched = r->touched, *end_touched = r->touched + r->ntouched;
	struct json j = { .out = out };
	uint64_t without = 0;	/* steps without outputs and without reasons */
	bool timed = false;

	for (uint32_t i = 1; i <= NEW(r)->nunits; i++) {
		struct part p = {
			.step = i, .reasons = reason, .outputs = output, .touched = touched,
		};

		if (r->step[1][i] != i)
			continue;
		for (; reason < end && reason->step == i; reason++)
			p.nreasons++;
		for (; output < last && output->step == i; output++)
			p.noutputs++;
		for (; touched < end_touched && touched->step == i; touched++)
			p.ntouched++;
		for (size_t k = 0; k < p.nreasons; k++)
			timed |= p.reasons[k].change >= MATCH_TIME;
		if (json)
			json_part(r, &j, &p);
		else if (p.noutputs || p.nreasons || p.ntouched)
			text_part(r, out, &p);
		else
			without++;
	}
	if (without)
		out_printf(out, "%s made no file and ran for no known reason, such as $(shell) in a makefile; --json lists all\n",
			   text_counted(without, "step", "steps"));
	if (timed && !json)
		match_put_by(&r->m, out);
}
