// SPDX-License-Identifier: LGPL-2.1
/* What was read that nobody declared, before it was made, or elsewhere.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>

static int by_step(const void *a, const void *b)
{
	const struct check_read *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	if (x->version != y->version)
		return (x->version > y->version) - (x->version < y->version);
	return (x->at > y->at) - (x->at < y->at);
}

/* What make or ninja looked at and read by itself. */
static void load_reads(struct check *c, bool *looked)
{
	static const char text[] =
		"SELECT exec, version, file, how, class, at FROM access WHERE how IN (1, 3, 4)";
	struct match_side *s = &c->s;
	struct sqlite3_stmt *st = db_ask(s->db, text, "");
	size_t n = 0;

	while (db_row(s->db, st)) {
		uint32_t unit = s->unit_of[db_id(s->db, st, 0, DB_EXECS)];
		uint32_t version = db_id(s->db, st, 1, DB_VERSIONS);
		uint32_t file = db_id(s->db, st, 2, DB_FILES);
		const struct build_version *v;
		struct check_read r;

		version = s->versions[version].holds;
		v = &s->versions[version];
		file = file ? file : v->file;
		if (!unit || !file)
			continue;
		if (match_schedules(s, unit))
			looked[file] = true;
		if (db_int(st, 3) == GRAPH_LOOK || !version || !build_is_file(v))
			continue;
		r = (struct check_read){
			.step = c->step[unit], .unit = unit, .version = version, .file = file,
			.class = db_class(s->db, st, 4), .at = db_int(st, 5),
		};
		if (v->made == GRAPH_EXISTED && c->place[file] != PLACE_TREE) {
			if (c->place[file] != PLACE_SYSTEM)
				check_add(c, (struct check_finding){
					.kind = CHECK_OUTSIDE, .class = r.class, .file = file,
					.unit = unit,
					.what = r.class == GRAPH_DATA ? "read" : "used",
				});
			continue;
		}
		c->reads = xgrow(c->reads, &c->reads_cap, c->nreads + 1, sizeof(*c->reads));
		c->reads[c->nreads++] = r;
	}
	if (c->nreads)
		qsort(c->reads, c->nreads, sizeof(*c->reads), by_step);
	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i], *last = n ? &c->reads[n - 1] : NULL;

		if (!last || last->step != r->step || last->unit != r->unit ||
		    last->file != r->file || last->version != r->version)
			c->reads[n++] = *r;
	}
	c->nreads = n;
}

/* A file that a step made and that is there in the end: a declared one, if any is. */
static uint32_t output_of(const struct check *c, uint32_t step)
{
	const struct check_out *outs;
	uint32_t any = 0;
	size_t n;

	outs = check_outs(c, step, &n);
	for (size_t i = 0; i < n; i++) {
		if (c->lists.nodes[c->node[outs[i].file]].rule)
			return outs[i].file;
		if (!any && c->s.there[outs[i].file] && c->place[outs[i].file] != PLACE_TEMPORARY)
			any = outs[i].file;
	}
	return any;
}

static void find_undeclared(struct check *c, const struct check_read *r, const bool *looked)
{
	const struct lists_node *node = &c->lists.nodes[c->node[r->file]];
	int declared;

	if (!c->lists.n || r->class != GRAPH_DATA || (c->steps && !r->step))
		return;
	declared = check_declares(c, r->step, c->node[r->file]);
	if (declared < 0)
		declared = node->input || node->target || looked[r->file];
	if (declared)
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_UNDECLARED, .class = r->class, .file = r->file, .unit = r->unit,
		.output = output_of(c, r->step),
		.what = node->input ? "read, declared for others only" : "read, in nobody's list",
	});
}

/* Whether the user was under way when the maker still wrote. */
static bool began_before(const struct check *c, uint32_t user, uint32_t maker, int64_t until)
{
	uint32_t a = maker, b = user, both = check_apart(c, &a, &b);

	return both && (match_schedules(&c->s, both) || match_is_shell(&c->s, both)) &&
	       c->s.units[b].at < until;
}

static void find_race(struct check *c, const struct check_read *r, const struct match_write *w)
{
	uint32_t maker = c->step[w->unit];
	int ordered;

	if (!maker || !r->step || maker == r->step)
		return;
	ordered = check_ordered(c, maker, r->step, r->file);
	if (ordered > 0)
		return;
	if (ordered < 0 && !began_before(c, r->unit, w->unit, w->until))
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_RACE, .class = r->class, .file = r->file, .unit = r->unit,
		.other = w->unit, .output = output_of(c, r->step),
		.what = ordered ? "its user was started before it was made" :
			"no rule makes its user wait for it",
	});
}

void check_reads(struct check *c)
{
	bool *looked = xcalloc(c->s.nfiles + 1ul, sizeof(*looked));

	load_reads(c, looked);
	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i];
		const struct match_write *w;
		size_t n;

		if (c->place[r->file] != PLACE_TREE)
			continue;
		if (c->s.versions[r->version].made == GRAPH_EXISTED)
			find_undeclared(c, r, looked);
		w = match_writes(&c->s, r->version, &n);
		for (size_t j = 0; j < n; j++)
			find_race(c, r, &w[j]);
	}
	free(looked);
}
