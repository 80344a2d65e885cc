// SPDX-License-Identifier: LGPL-2.1
/* What was written twice, over a source, or elsewhere.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>

/* A file was written, got its name, or lost it. */
struct written {
	uint32_t file, unit, version;	/* version 0: it was removed */
	int64_t at, until;
};

struct all {
	struct written *rows;	/* by file and time */
	size_t n, cap;
};

static void add(struct all *all, struct written w)
{
	if (!w.file || !w.unit)
		return;
	all->rows = xgrow(all->rows, &all->cap, all->n + 1, sizeof(*all->rows));
	all->rows[all->n++] = w;
}

static int by_file(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	if (x->at != y->at)
		return (x->at > y->at) - (x->at < y->at);
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void load(struct check *c, struct all *all)
{
	static const char versions[] = "SELECT id, at FROM version WHERE made IN (1, 2)";
	static const char names[] = "SELECT file, version, exec, at FROM name ORDER BY rowid";
	struct match_side *s = &c->s;
	struct sqlite3_stmt *st = db_ask(s->db, versions, "");

	while (db_row(s->db, st)) {
		uint32_t version = db_id(s->db, st, 0, DB_VERSIONS);
		const struct match_write *w;
		size_t n;

		w = match_writes(s, version, &n);
		for (size_t i = 0; i < n; i++)
			add(all, (struct written){ s->versions[version].file, w[i].unit, version,
						   db_int(st, 1), w[i].until });
	}
	st = db_ask(s->db, names, "");
	while (db_row(s->db, st)) {
		uint32_t version = db_id(s->db, st, 1, DB_VERSIONS);

		if (!version || build_is_file(&s->versions[version]))
			add(all, (struct written){ db_id(s->db, st, 0, DB_FILES),
						   s->unit_of[db_id(s->db, st, 2, DB_EXECS)], version,
						   db_int(st, 3), db_int(st, 3) });
	}
	if (all->n)
		qsort(all->rows, all->n, sizeof(*all->rows), by_file);
}

/* ---- two writers ---- */

/* Whether a step reads anything that another one made. */
static bool takes_from(const struct check *c, uint32_t then, uint32_t first)
{
	size_t low = 0, high = c->nreads, n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->reads[mid].step < then)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < c->nreads && c->reads[low].step == then; low++) {
		const struct match_write *w = match_writes(&c->s, c->reads[low].version, &n);

		for (size_t i = 0; i < n; i++)
			if (c->step[w[i].unit] == first)
				return true;
	}
	return false;
}

/* Whether a version holds what an older one did. */
static bool holds(const struct check *c, uint32_t version, uint32_t older)
{
	while (version && version != older)
		version = c->s.versions[version].made == GRAPH_CHANGED ?
			c->s.versions[version].base : 0;
	return version;
}

static bool is_ordered(struct check *c, const struct written *x, const struct written *y)
{
	uint32_t first = c->step[x->unit], then = c->step[y->unit];
	uint32_t a = x->unit, b = y->unit, both;
	int declared;

	if ((first && first == then) || match_schedules(&c->s, x->unit) ||
	    match_schedules(&c->s, y->unit))
		return true;
	both = check_apart(c, &a, &b);
	if (!both)
		return true;
	if (!match_schedules(&c->s, both))
		return !match_is_shell(&c->s, both) || c->s.units[b].at >= x->until;
	declared = check_ordered(c, first, then, 0);
	if (declared == 0)
		declared = check_ordered(c, then, first, 0);
	if (declared >= 0)
		return declared;
	if (c->s.units[b].at < x->until)
		return false;
	/* lines of one rule: what goes on with a file does not begin anew */
	return takes_from(c, then, first) || holds(c, y->version, x->version);
}

static void find_writers(struct check *c, const struct written *w, size_t n)
{
	const struct written *before = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!w[i].version)
			continue;
		if (before && before->unit != w[i].unit && !is_ordered(c, before, &w[i]))
			check_add(c, (struct check_finding){
				.kind = CHECK_WRITERS, .file = w[i].file, .unit = w[i].unit,
				.other = before->unit, .what = "written by two, in no order",
			});
		before = &w[i];
	}
}

/* ---- sources ---- */

/* By file: who changed what was there before; and who else reads it. */
struct source {
	uint32_t unit;		/* 0: nobody */
	uint32_t old;		/* the version that was there */
	bool removed;
	bool read_old, read;	/* by another step */
};

static void find_changes(struct check *c, const struct written *w, size_t n, struct source *s)
{
	for (size_t i = 0; i < n && !s->unit; i++) {
		if (match_schedules(&c->s, w[i].unit))
			continue;
		s->unit = w[i].unit;
		s->removed = !w[i].version;
	}
}

static void find_overwritten(struct check *c, const struct all *all)
{
	struct source *sources = xcalloc(c->s.nfiles + 1ul, sizeof(*sources));
	const struct match_side *s = &c->s;

	for (uint32_t v = 1; v <= s->nversions; v++)
		if (s->versions[v].made == GRAPH_EXISTED && c->place[s->versions[v].file] == PLACE_TREE)
			sources[s->versions[v].file].old = v;
	for (size_t i = 0, n; i < all->n; i += n) {
		struct source *src = &sources[all->rows[i].file];

		for (n = 1; i + n < all->n && all->rows[i + n].file == all->rows[i].file; n++)
			;
		if (src->old)
			find_changes(c, &all->rows[i], n, src);
	}
	for (size_t i = 0; i < c->nreads; i++) {
		struct source *src = &sources[c->reads[i].file];

		if (!src->unit || c->reads[i].class != GRAPH_DATA ||
		    (c->step[src->unit] && c->step[src->unit] == c->reads[i].step) ||
		    src->unit == c->reads[i].unit)
			continue;
		src->read = true;
		src->read_old |= c->reads[i].version == src->old;
	}
	for (uint32_t file = 1; file <= s->nfiles; file++) {
		const struct source *src = &sources[file];
		const struct lists_node *node = &c->lists.nodes[c->node[file]];

		if (!src->unit || node->target || !(node->input ? src->read : src->read_old))
			continue;
		check_add(c, (struct check_finding){
			.kind = CHECK_OVERWRITTEN, .file = file, .unit = src->unit,
			.what = src->removed ? "a source, removed" : "a source, changed",
		});
	}
	free(sources);
}

/* ---- elsewhere ---- */

static void find_outside(struct check *c, const struct all *all)
{
	static const char text[] =
		"SELECT c.file, c.exec FROM change AS c JOIN version AS v ON v.id = c.version\n"
		" WHERE c.what = ? AND coalesce(c.error, 0) = 0 AND v.made = 0 ORDER BY c.rowid";
	struct sqlite3_stmt *st;

	for (size_t i = 0; i < all->n; i++) {
		const struct written *w = &all->rows[i];

		/* lines of old modules do not say what was removed */
		if (c->place[w->file] == PLACE_TREE ||
		    (c->place[w->file] == PLACE_TEMPORARY && !c->s.db->uses))
			continue;
		if (w->version && c->s.there[w->file] &&
		    c->s.versions[w->version].made != GRAPH_EXISTED)
			check_add(c, (struct check_finding){
				.kind = CHECK_OUTSIDE, .writes = true, .file = w->file,
				.unit = w->unit, .what = "written",
			});
	}
	st = db_ask(c->s.db, text, "i", (int64_t)GRAPH_UNLINK);
	while (db_row(c->s.db, st)) {
		uint32_t file = db_id(c->s.db, st, 0, DB_FILES);
		uint32_t unit = c->s.unit_of[db_id(c->s.db, st, 1, DB_EXECS)];

		if (file && unit && c->place[file] != PLACE_TREE)
			check_add(c, (struct check_finding){
				.kind = CHECK_OUTSIDE, .writes = true, .file = file,
				.unit = unit, .what = "removed",
			});
	}
}

void check_writes(struct check *c)
{
	struct all all = { 0 };

	load(c, &all);
	for (size_t i = 0, n; i < all.n; i += n) {
		for (n = 1; i + n < all.n && all.rows[i + n].file == all.rows[i].file; n++)
			;
		if (c->place[all.rows[i].file] == PLACE_TREE ||
		    c->place[all.rows[i].file] == PLACE_TEMPORARY)
			find_writers(c, &all.rows[i], n);
	}
	find_overwritten(c, &all);
	find_outside(c, &all);
	free(all.rows);
}
