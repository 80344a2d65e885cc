// SPDX-License-Identifier: LGPL-2.1
/* Compares the commands and inputs of steps.  See rebuilt.h. */
#include "answers/rebuilt.h"
#include "base/partition.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>

#define OLD(r) (&(r)->m.side[0])
#define NEW(r) (&(r)->m.side[1])

void rebuilt_add(struct rebuilt *r, struct rebuilt_reason reason)
{
	r->reasons = xgrow(r->reasons, &r->cap, r->n + 1, sizeof(*r->reasons));
	r->reasons[r->n++] = reason;
}

void rebuilt_inputs(const struct match_side *s, const uint32_t *next, uint32_t first,
		    struct match_inputs *to)
{
	to->n = 0;
	for (uint32_t i = first; i; i = next[i])
		match_inputs_add(s, i, to);
	match_inputs_sort(to);
}

/* Return: the step that made a version last; 0 if none. */
static uint32_t made_by(const struct match_side *s, const uint32_t *step, uint32_t version)
{
	uint32_t by = 0;
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	for (size_t i = 0; i < n; i++)
		by = step[w[i].unit] ? step[w[i].unit] : by;
	return by;
}

static void add_touched(struct rebuilt *r, uint32_t step, uint32_t file)
{
	r->touched = xgrow(r->touched, &r->touched_cap, r->ntouched + 1, sizeof(*r->touched));
	r->touched[r->ntouched++] = (struct rebuilt_output){ step, file };
}

enum match_change rebuilt_change(struct rebuilt *r, uint32_t step, uint32_t file, uint32_t first,
				 uint32_t second)
{
	const struct build_version *was = &OLD(r)->versions[first];
	const struct build_version *is = &NEW(r)->versions[second];
	uint8_t by;
	enum match_change change = match_change(&r->m, first, second, &by);

	r->by[step] |= by;
	if (change == MATCH_SAME && by & MATCH_BY_CONTENT && was->identified && is->identified &&
	    (was->mtime != is->mtime || was->ino != is->ino))
		add_touched(r, step, file);
	return change == MATCH_UNKNOWN ? MATCH_SAME : change;
}

/* Whether a file that was made again has another content, if contents are recorded. */
static bool made_otherwise(struct rebuilt *r, struct rebuilt_reason *reason,
			   const struct match_input *was, const struct match_input *is)
{
	enum build_same same = match_content(&r->m, was->version, is->version);

	if (same == BUILD_SAME_UNKNOWN)
		return true;
	r->by[reason->step] |= MATCH_BY_CONTENT;
	if (same == BUILD_DIFFERENT)
		reason->change = MATCH_CONTENT;
	else
		add_touched(r, reason->step, is->file);
	return same == BUILD_DIFFERENT;
}

static const struct match_input *find_input(const struct match_inputs *in, uint64_t name)
{
	size_t at = partition_point(i, 0, in->n, in->rows[i].name < name);

	return at < in->n && in->rows[at].name == name ? &in->rows[at] : NULL;
}

static void add_input(struct rebuilt *r, uint32_t step, const struct match_input *is,
		      const struct match_input *was)
{
	bool program = is->class == GRAPH_PROGRAM || is->class == GRAPH_LOADER;
	struct rebuilt_reason reason = { .step = step, .file = is->file };

	if (is->made) {
		reason.by = made_by(NEW(r), r->step[1], is->version);
		reason.kind = REBUILT_MADE;
		/* the step itself or one of its callers made it: no reason to run again */
		if (!reason.by || reason.by == step)
			return;
		if (was && !made_otherwise(r, &reason, was, is))
			return;
	} else if (!was) {
		reason.kind = REBUILT_NEW_INPUT;
	} else {
		reason.kind = program ? REBUILT_PROGRAM : REBUILT_INPUT;
		reason.change = (uint8_t)rebuilt_change(r, step, is->file, was->version, is->version);
		if (!reason.change)
			return;
	}
	rebuilt_add(r, reason);
}

void rebuilt_compare_inputs(struct rebuilt *r)
{
	uint32_t *next[2] = { match_step_next(OLD(r), r->step[0]),
			      match_step_next(NEW(r), r->step[1]) };
	struct match_inputs was = { 0 }, is = { 0 };

	for (uint32_t i = 1; i <= NEW(r)->nunits; i++) {
		const struct match_unit *b = &NEW(r)->units[i];

		if (r->step[1][i] != i)
			continue;
		if (!b->pair) {
			rebuilt_add(r, (struct rebuilt_reason){ .step = i, .kind = REBUILT_NEW });
			continue;
		}
		if (!match_same_call(&r->m, b->pair, i) || !match_same_program(&r->m, b->pair, i))
			rebuilt_add(r, (struct rebuilt_reason){ .step = i, .kind = REBUILT_COMMAND });
		rebuilt_inputs(OLD(r), next[0], b->pair, &was);
		rebuilt_inputs(NEW(r), next[1], i, &is);
		for (size_t k = 0; k < is.n; k++)
			add_input(r, i, &is.rows[k], find_input(&was, is.rows[k].name));
	}
	free(was.rows);
	free(is.rows);
	free(next[0]);
	free(next[1]);
}
