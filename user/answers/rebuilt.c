// SPDX-License-Identifier: LGPL-2.1
/* Finds why steps ran again.  See rebuilt.h. */
#include "answers/rebuilt.h"
#include "base/map64.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>

#define OLD(r) (&(r)->m.side[0])
#define NEW(r) (&(r)->m.side[1])

/* ---- outputs ---- */

/* Load the files that existed at the end of the old build, by name. */
static void load_left(const struct match_side *s, struct map64 *left)
{
	for (size_t i = 0; i < s->nwrites; i++) {
		const struct build_version *v = &s->versions[s->writes[i].version];

		if (v->file && s->there[v->file] &&
		    build_is_written(v))
			map64_put(left, s->names[v->file], s->writes[i].version);
	}
}

/*
 * Whether a file was missing when the new build first used it. The first event for its name
 * decides: a lookup or removal. If there is none, the file was missing if its inode number has
 * changed since the old build: truncating and rewriting would have kept it.
 */
static bool was_missing(const struct rebuilt *r, uint32_t file, uint32_t version, uint32_t left)
{
	static const char text[] =
		"SELECT at, error FROM change WHERE file = ? AND what IN (0, 4) ORDER BY at LIMIT 1";
	struct sqlite3_stmt *st = db_ask(NEW(r)->db, text, "i", (int64_t)file);
	bool changed = db_row(NEW(r)->db, st);
	uint64_t was, is;

	if (r->missed[file] && (!changed || r->missed[file] <= db_int(st, 0)))
		return true;
	if (changed)
		return db_int(st, 1) == ENOENT;
	was = OLD(r)->versions[left].ino;
	is = NEW(r)->versions[version].ino;
	return was && is && was != is && NEW(r)->versions[version].file == file;
}

static void add_output(struct rebuilt *r, struct map64 *seen, const struct map64 *left,
		       const struct match_write *w, uint32_t file)
{
	uint32_t step = r->step[1][w->unit];
	uint64_t key = (uint64_t)step << 32 | file;
	const uint64_t *was = map64_get(left, NEW(r)->names[file]);

	if (!step || !file || !NEW(r)->there[file] || map64_get(seen, key))
		return;
	map64_put(seen, key, 1);
	r->outputs = xgrow(r->outputs, &r->outputs_cap, r->noutputs + 1, sizeof(*r->outputs));
	r->outputs[r->noutputs++] = (struct rebuilt_output){ step, file };
	if (NEW(r)->units[step].pair && was_missing(r, file, w->version, was ? (uint32_t)*was : 0))
		rebuilt_add(r, (struct rebuilt_reason){ .step = step, .kind = REBUILT_MISSING,
						.file = file });
}

/* Load when a lookup of each file first failed. */
static void load_missed(struct rebuilt *r)
{
	const struct build *b = NEW(r)->b;

	r->missed = xcalloc(b->nfiles + 1ul, sizeof(*r->missed));
	for (uint32_t exec = 1; exec <= b->nexecs; exec++)
		for (uint32_t i = 0; i < build_misses(b, exec); i++) {
			const struct build_miss *m = build_miss_of(b, exec, i);
			int64_t *at = &r->missed[m->file];

			if (m->error == ENOENT)
				*at = *at && *at < m->at ? *at : m->at;
		}
	build_forget_misses(b);
}

static void compare_outputs(struct rebuilt *r)
{
	const struct build *b = NEW(r)->b;
	struct map64 left = { 0 }, seen = { 0 };

	load_left(OLD(r), &left);
	load_missed(r);
	for (size_t i = 0; i < NEW(r)->nwrites; i++) {
		const struct match_write *w = &NEW(r)->writes[i];
		const struct build_version *v = &NEW(r)->versions[w->version];
		const uint32_t *given;
		size_t n;

		if (v->made != GRAPH_WRITTEN && v->made != GRAPH_CHANGED)
			continue;
		add_output(r, &seen, &left, w, v->file);
		given = build_list(b, BUILD_GIVEN, w->version, &n);
		for (size_t k = 0; k < n; k++)
			add_output(r, &seen, &left, w, b->names[given[k] - 1].file);
	}
	map64_clear(&left);
	map64_clear(&seen);
}

/* ---- all reasons ---- */

static int by_step(const void *a, const void *b)
{
	const struct rebuilt_reason *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->file > y->file) - (x->file < y->file);
}

static int by_output(const void *a, const void *b)
{
	const struct rebuilt_output *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	return (x->file > y->file) - (x->file < y->file);
}

void rebuilt_find(struct rebuilt *r)
{
	for (unsigned int i = 0; i < 2; i++)
		r->step[i] = match_steps(&r->m.side[i]);
	r->by = xcalloc(NEW(r)->nunits + 1ul, sizeof(*r->by));
	rebuilt_compare_inputs(r);
	compare_outputs(r);
	rebuilt_declared(r);
	if (r->n)
		qsort(r->reasons, r->n, sizeof(*r->reasons), by_step);
	if (r->noutputs)
		qsort(r->outputs, r->noutputs, sizeof(*r->outputs), by_output);
	if (r->ntouched)
		qsort(r->touched, r->ntouched, sizeof(*r->touched), by_output);
}

void rebuilt_free(struct rebuilt *r)
{
	free(r->step[0]);
	free(r->step[1]);
	free(r->reasons);
	free(r->outputs);
	free(r->touched);
	free(r->by);
	free(r->missed);
	lists_free(&r->lists);
	match_free(&r->m);
}
