// SPDX-License-Identifier: LGPL-2.1
/* Finds declared inputs that differ although they were not read.  See rebuilt.h. */
#include "answers/rebuilt.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OLD(r) (&(r)->m.side[0])
#define NEW(r) (&(r)->m.side[1])

/* The version of a file from before a build.  Return: 0 if not recorded. */
static uint32_t was_there(const struct match_side *s, const char *path, size_t len)
{
	uint32_t file = build_find(s->b, path, len);

	for (uint32_t i = 1; file && i <= s->nversions; i++)
		if (s->versions[i].file == file && s->versions[i].made == GRAPH_EXISTED &&
		    s->versions[i].identified)
			return i;
	return 0;
}

/* Whether the present file was written after the old build and before the new one. */
static bool written_between(const struct rebuilt *r, const char *path)
{
	int64_t old, new, at;
	struct stat st;

	if (stat(path, &st) || !answers_realtime(OLD(r)->db, &old) ||
	    !answers_realtime(NEW(r)->db, &new))
		return false;
	at = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return at > old + OLD(r)->b->end && at < new;
}

/* The step that made a file in the new build; 0 if none. */
static uint32_t maker_of(const struct rebuilt *r, const char *path, size_t len)
{
	const struct match_side *s = NEW(r);
	uint32_t file = build_find(s->b, path, len), version = file ? s->there[file] : 0;
	const struct match_write *w;
	size_t n;

	if (!version || !build_is_made(&s->versions[version]))
		return 0;
	w = match_writes(s, version, &n);
	return n ? r->step[1][w[n - 1].unit] : 0;
}

static enum match_change change_of(struct rebuilt *r, uint32_t step, const struct lists_node *node)
{
	uint32_t was = was_there(OLD(r), node->path, node->len);
	uint32_t is = was_there(NEW(r), node->path, node->len);

	if (was && is)
		return rebuilt_change(r, step, NEW(r)->versions[is].file, was, is);
	if (!written_between(r, node->path))
		return MATCH_SAME;
	r->by[step] |= MATCH_BY_TIME;
	return MATCH_TIME;
}

static bool was_read(const struct match_inputs *in, const struct match_side *s, const char *path,
		     size_t len)
{
	uint32_t file = build_find(s->b, path, len);

	for (size_t i = 0; i < in->n && file; i++)
		if (in->rows[i].file == file)
			return true;
	return false;
}

static void look_at(struct rebuilt *r, uint32_t step, uint32_t number, const struct match_inputs *in)
{
	const struct lists_node *node = &r->lists.nodes[number];
	struct rebuilt_reason reason = { .step = step, .kind = REBUILT_DECLARED, .node = number };

	if (was_read(in, NEW(r), node->path, node->len))
		return;
	reason.by = maker_of(r, node->path, node->len);
	if (reason.by == step)
		return;
	reason.change = reason.by ? MATCH_SAME : (uint8_t)change_of(r, step, node);
	if (reason.by || reason.change)
		rebuilt_add(r, reason);
}

void rebuilt_declared(struct rebuilt *r)
{
	uint32_t *next = match_step_next(NEW(r), r->step[1]);
	struct match_inputs in = { 0 };

	for (size_t i = 0; i < r->noutputs; i++) {
		uint32_t step = r->outputs[i].step, node, rule;
		size_t len;
		const char *path = build_path(NEW(r)->b, r->outputs[i].file, &len);

		node = lists_find(&r->lists, path, len);
		rule = node ? r->lists.nodes[node].rule : 0;
		if (!rule || !NEW(r)->units[step].pair)
			continue;
		rebuilt_inputs(NEW(r), next, step, &in);
		for (size_t k = 0; k < r->lists.groups[rule].n; k++)
			look_at(r, step, r->lists.groups[rule].nodes[k], &in);
	}
	free(in.rows);
	free(next);
}
