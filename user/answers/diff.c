// SPDX-License-Identifier: LGPL-2.1
/* Finds where two builds begin to differ.  See diff.h. */
#include "answers/diff.h"
#include "base/map64.h"
#include "base/partition.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX
#define A(d) (&(d)->m.side[0])
#define B(d) (&(d)->m.side[1])

/* ---- roots and their consequences ---- */

static int32_t add_root(struct diff *d, struct diff_root root)
{
	d->roots = xgrow(d->roots, &d->cap, d->nroots + 1, sizeof(*d->roots));
	d->roots[d->nroots] = root;
	return (int32_t)d->nroots++;
}

/* How an input of unit @b differs: what file_root() needs to find its root. */
struct differing {
	enum diff_input input;
	unsigned int side;	/* build that @file is from */
	uint8_t by;		/* enum match_by */
	uint32_t file, b;
	int64_t at;
};

/* The root for a file; all units that read the file share it. */
static int32_t file_root(struct diff *d, struct map64 *files, struct differing f)
{
	uint64_t key = d->m.side[f.side].names[f.file];
	uint64_t *there = map64_get(files, key);
	struct diff_root *r;

	if (!there) {
		map64_put(files, key, d->nroots);
		return add_root(d, (struct diff_root){
			.kind = DIFF_FILE, .input = (uint8_t)f.input, .side = (uint8_t)f.side,
			.by = f.by, .file = f.file, .a = B(d)->units[f.b].pair, .b = f.b,
			.at = f.at,
		});
	}
	r = &d->roots[*there];
	if (f.at < r->at) {
		r->at = f.at;
		r->b = f.b;
		r->a = B(d)->units[f.b].pair;
	}
	return (int32_t)*there;
}

static void mark_unit(struct diff *d, uint32_t unit, int64_t since, int32_t root)
{
	struct diff_unit *u = &d->units[unit];

	if (since >= u->since)
		return;
	u->since = since;
	u->root = root;
	d->queue = xgrow(d->queue, &d->queue_cap, d->nqueue + 1, sizeof(*d->queue));
	d->queue[d->nqueue++] = unit;
}

static bool called_otherwise(const struct diff *d, uint32_t unit)
{
	return !B(d)->units[unit].pair || d->units[unit].what & (DIFF_ARGS | DIFF_CWD | DIFF_TOOL);
}

static size_t first_edge(const struct diff *d, uint32_t from)
{
	return partition_point(i, 0, d->nedges, d->edges[i].from < from);
}

/* From each marked unit, mark the readers of its later writes, and its calls that differ. */
static void spread_causes(struct diff *d)
{
	while (d->nqueue) {
		uint32_t unit = d->queue[--d->nqueue];
		int64_t since = d->units[unit].since;
		int32_t root = d->units[unit].root;

		for (size_t i = first_edge(d, unit); i < d->nedges && d->edges[i].from == unit; i++) {
			const struct diff_edge *e = &d->edges[i];

			if (since < e->until)
				mark_unit(d, e->to, e->at > since ? e->at : since, root);
		}
		for (uint32_t c = d->units[unit].child; c; c = d->units[c].sibling)
			if (called_otherwise(d, c) && since < B(d)->units[c].at)
				mark_unit(d, c, B(d)->units[c].at, root);
	}
}

static int by_from(const void *a, const void *b)
{
	const struct diff_edge *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void add_edges(struct diff *d, uint32_t version, uint32_t to, int64_t at)
{
	size_t n;
	const struct match_write *w = match_writes(B(d), version, &n);

	/* versions known to be equal pass no difference on */
	if (map64_get(&d->equal, (uint64_t)to << 32 | version))
		return;
	for (size_t i = 0; i < n; i++) {
		if (w[i].unit == to)
			continue;
		d->edges = xgrow(d->edges, &d->edges_cap, d->nedges + 1, sizeof(*d->edges));
		d->edges[d->nedges++] = (struct diff_edge){ w[i].unit, to, at, w[i].until };
	}
}

static void load_edges(struct diff *d)
{
	struct match_side *s = B(d);

	for (size_t i = 0; i < s->b->naccesses; i++) {
		const struct build_access *a = &s->b->accesses[i];

		if (build_is_use(a) && s->unit_of[a->exec])
			add_edges(d, s->versions[a->version].holds, s->unit_of[a->exec],
				  build_began(s->b, a));
	}
	/* a unit that changes a file depends on its previous content */
	for (size_t i = 0; i < s->nwrites; i++) {
		uint32_t base = s->versions[s->writes[i].version].base;

		if (base)
			add_edges(d, s->versions[base].holds, s->writes[i].unit, 0);
	}
	if (d->nedges)
		qsort(d->edges, d->nedges, sizeof(*d->edges), by_from);
}

static void link_calls(struct diff *d)
{
	struct match_side *s = B(d);

	for (uint32_t i = s->nunits; i; i--) {
		struct diff_unit *up = &d->units[s->units[i].caller];

		d->units[i].sibling = up->child;
		up->child = i;
	}
}

/* ---- how each unit differs ---- */

struct look {
	struct diff *d;
	struct map64 *files;
	uint32_t unit;
	bool calls;		/* the unit only runs others */
	struct seed {
		uint32_t unit;
		int32_t root;
		int64_t at;
	} *seeds;
	size_t n, cap;
};

static void look_at(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct look *l = ctx;
	struct diff *d = l->d;
	struct diff_unit *u = &d->units[l->unit];
	/* at least one of the two exists; both do if they are compared */
	const struct match_input *in = b ? b : a;
	uint8_t by;
	enum diff_input input = diff_input_of(d, a, b, &by);

	u->by |= by;
	if (input == DIFF_SAME && in && by & MATCH_BY_CONTENT)
		map64_put(&d->equal, (uint64_t)l->unit << 32 | in->version, 1);
	if (input == DIFF_SAME || !in)
		return;
	if (a && b && a->made && b->made && by & MATCH_BY_CONTENT)
		diff_held_add(d, a->version, b->version, b->file);
	/*
	 * A unit that only runs others shows a difference in its calls: a file that
	 * differs only in time counts only if the calls differ, too.
	 */
	if (input == DIFF_TIME_ONLY && l->calls && in->class == GRAPH_DATA) {
		u->weak = u->weak ? u->weak : in->file;
		u->weak_at = in->at;
		return;
	}
	u->what |= DIFF_INPUTS;
	if (input == DIFF_SIZE || input == DIFF_TIME_ONLY || input == DIFF_HELD) {
		int32_t root = file_root(d, l->files, (struct differing){
			.input = input, .side = 1, .by = by, .file = in->file, .b = l->unit,
			.at = in->at,
		});

		l->seeds = xgrow(l->seeds, &l->cap, l->n + 1, sizeof(*l->seeds));
		l->seeds[l->n++] = (struct seed){ l->unit, root, in->at };
	} else if (!u->input) {
		u->input = (uint8_t)input;
		u->side = input == DIFF_ONLY_FIRST ? 0 : 1;
		u->file = in->file;
		u->version = in->version;
	}
}

#define SHORT 100000000		/* times below this, in ns, are not compared */

static bool other_time(const struct diff *d, const struct match_unit *a, const struct match_unit *b)
{
	double x = (double)(a->until - a->at), y = (double)(b->until - b->at);

	return d->times > 0 && (x > SHORT || y > SHORT) && (x > y * d->times || y > x * d->times);
}

static void look_at_all(struct look *l)
{
	struct diff *d = l->d;
	struct match_inputs inputs[2] = { 0 };

	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		const struct match_unit *b = &B(d)->units[i], *a = &A(d)->units[b->pair];
		struct diff_unit *u = &d->units[i];

		if (!b->pair)
			continue;
		l->unit = i;
		l->calls = match_schedules(B(d), i) || (u->child && !B(d)->keys[i].outs);
		u->what |= match_same_args(&d->m, b->pair, i) ? 0 : DIFF_ARGS;
		u->what |= match_cwd(A(d), b->pair) == match_cwd(B(d), i) ? 0 : DIFF_CWD;
		u->what |= match_same_program(&d->m, b->pair, i) ? 0 : DIFF_TOOL;
		u->what |= a->status != b->status ? DIFF_STATUS : 0;
		u->what |= other_time(d, a, b) ? DIFF_TIME : 0;
		match_inputs(A(d), b->pair, &inputs[0]);
		match_inputs(B(d), i, &inputs[1]);
		diff_pairs(&inputs[0], &inputs[1], look_at, l);
	}
	free(inputs[0].rows);
	free(inputs[1].rows);
}

/* ---- differences that no earlier one explains ---- */

/* The root for an environment that differs in a unit or one of its callers; -1 if none. */
static int32_t env_root(struct diff *d, uint32_t unit)
{
	uint32_t first = diff_env_unit(d, unit);
	const struct match_unit *b = &B(d)->units[first];
	const struct diff_unit *caller = &d->units[b->caller];

	if (!first)
		return -1;
	/* its caller set the variables, and already differed */
	if (b->caller && caller->since <= b->at)
		return caller->root;
	for (size_t i = 0; i < d->nroots; i++)
		if (d->roots[i].kind == DIFF_ENV && d->roots[i].b == first)
			return (int32_t)i;
	return add_root(d, (struct diff_root){ .kind = DIFF_ENV, .a = b->pair, .b = first,
					       .at = b->at });
}

/* The one root of all different calls of a caller that itself saw no difference. */
static int32_t caller_root(struct diff *d, struct map64 *files, uint32_t caller,
			   struct diff_root root)
{
	struct diff_unit *up = &d->units[caller];

	if (caller && up->since != NEVER)
		return up->root;
	if (caller && up->calls >= 0)
		return up->calls;
	if (caller && up->weak) {
		int32_t r = file_root(d, files, (struct differing){
			.input = DIFF_TIME_ONLY, .side = 1, .by = MATCH_BY_TIME, .file = up->weak,
			.b = caller, .at = up->weak_at,
		});

		mark_unit(d, caller, up->weak_at, r);
		spread_causes(d);
		return r;
	}
	up->calls = env_root(d, caller);
	if (up->calls < 0)
		up->calls = add_root(d, root);
	return up->calls;
}

static void explain_calls(struct diff *d, struct map64 *files)
{
	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		const struct match_unit *b = &B(d)->units[i];
		int32_t root;

		if (!called_otherwise(d, i) || d->units[i].since != NEVER ||
		    diff_failed_before(d, 1, i))
			continue;
		root = caller_root(d, files, b->caller, (struct diff_root){
			.kind = b->pair ? DIFF_COMMAND : DIFF_ADDED, .a = b->pair, .b = i, .at = b->at,
		});
		mark_unit(d, i, b->at, root);
		spread_causes(d);
	}
	for (uint32_t i = 1; i <= A(d)->nunits; i++) {
		const struct match_unit *a = &A(d)->units[i];

		if (a->pair || diff_failed_before(d, 0, i))
			continue;
		d->removed[i] = a->caller && !A(d)->units[a->caller].pair ? d->removed[a->caller] :
			caller_root(d, files, A(d)->units[a->caller].pair, (struct diff_root){
				.kind = DIFF_REMOVED, .a = i, .at = a->at });
	}
}

/* The root of the program that made the input and ran in the first build only; -1 if none. */
static int32_t removed_maker(const struct diff *d, const struct diff_unit *u)
{
	size_t n;
	const struct match_write *w = u->side ? NULL : match_writes(A(d), u->version, &n);

	return w && n ? d->removed[w->unit] : -1;
}

static uint32_t last_writer(const struct match_side *s, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	return n ? w[n - 1].unit : 0;
}

/*
 * The root for a program whose output differs although its inputs are equal. One root per program,
 * but a shell counts as a different program for each script.
 */
static int32_t output_root(struct diff *d, struct map64 *programs, uint32_t maker,
			   struct diff_root made)
{
	const struct match_unit *b = &B(d)->units[maker];
	uint64_t program = match_program(B(d), maker);
	const uint64_t *there = made.stops && b->shell ? NULL : map64_get(programs, program);
	int32_t root = env_root(d, maker);

	made.kind = DIFF_OUTPUT;
	made.side = 1;
	made.b = made.b ? made.b : maker;
	made.a = B(d)->units[made.b].pair;
	made.at = B(d)->units[made.b].at;
	if (root < 0 && there)
		root = (int32_t)*there;
	if (root < 0) {
		root = add_root(d, made);
		map64_put(programs, program, (uint64_t)root);
	}
	mark_unit(d, maker, b->at, root);
	return root;
}

/*
 * Make each program that saw no difference but made one a root, unless an earlier root explains
 * it.
 */
static void explain_held(struct diff *d, struct map64 *programs)
{
	size_t n;
	struct diff_maker *makers = diff_held_makers(d, &n);

	for (size_t i = 0; i < n; i++) {
		const struct diff_maker *m = &makers[i];

		if (d->units[m->unit].since != NEVER) {
			struct diff_root *r = &d->roots[d->units[m->unit].root];

			r->stops |= diff_stops_by_call(d, r);
			continue;
		}
		if (!m->named)
			continue;
		output_root(d, programs, m->unit, (struct diff_root){
			.stops = true, .input = DIFF_MADE, .by = MATCH_BY_CONTENT, .file = m->file,
			.b = m->named,
		});
		spread_causes(d);
	}
	free(makers);
}

static int32_t own_root(struct diff *d, struct map64 *files, struct map64 *programs, uint32_t unit)
{
	const struct diff_unit *u = &d->units[unit];
	const struct match_unit *b = &B(d)->units[unit];
	int32_t root = u->what & DIFF_INPUTS ? -1 : env_root(d, unit);

	if (root >= 0)
		return root;
	if (!(u->what & DIFF_INPUTS))
		return add_root(d, (struct diff_root){
			.kind = DIFF_ENDED, .a = b->pair, .b = unit, .at = b->until });
	root = removed_maker(d, u);
	if (root >= 0)
		return root;
	if (u->input == DIFF_CONTENT || u->input == DIFF_MADE)
		return output_root(d, programs, last_writer(B(d), u->version),
				   (struct diff_root){ .input = u->input, .file = u->file });
	return file_root(d, files, (struct differing){
		.input = u->input, .side = u->side, .file = u->file, .b = unit, .at = b->at,
	});
}

/*
 * The root for a file of the first build only: the root of its maker, which did not run in
 * the second build, or differs there; -1 if unknown.
 */
static int32_t root_of_gone(const struct diff *d, uint32_t file)
{
	size_t n;
	const struct match_write *w = match_writes(A(d), A(d)->there[file], &n);
	uint32_t maker = n ? w[n - 1].unit : 0, pair = A(d)->units[maker].pair;

	return !maker ? -1 : pair ? d->units[pair].root : d->removed[maker];
}

/* Find the root of each different output: its maker's root, or itself. */
static void explain_outputs(struct diff *d, struct map64 *programs)
{
	for (size_t i = 0; i < d->noutputs; i++) {
		struct diff_output *o = &d->outputs[i];
		uint32_t maker = o->second ? last_writer(B(d), B(d)->there[o->second]) : 0;

		o->root = -1;
		if (!o->second)
			o->root = root_of_gone(d, o->first);
		if (!maker)
			continue;
		if (d->units[maker].since == NEVER && B(d)->units[maker].pair) {
			output_root(d, programs, maker, (struct diff_root){
				.input = o->how == DIFF_LEFT_CONTENT ? DIFF_MADE : DIFF_CONTENT,
				.file = o->second,
			});
			spread_causes(d);
		}
		o->root = d->units[maker].root;
	}
}

/* Callers of a failed unit fail, too, and make no further calls. */
static void explain_failed(struct diff *d)
{
	/* from calls to their callers, which have lower numbers */
	for (uint32_t i = B(d)->nunits; i; i--) {
		uint32_t failed = d->units[i].since == NEVER ? diff_failed_call(d, i) : 0;

		if (failed && d->units[failed].root >= 0)
			mark_unit(d, i, B(d)->units[failed].until, d->units[failed].root);
	}
	spread_causes(d);
	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		uint32_t failed = d->after[1][i];

		if (failed)
			mark_unit(d, i, B(d)->units[i].at, d->units[failed].root);
	}
	spread_causes(d);
	for (uint32_t i = 1; i <= A(d)->nunits; i++) {
		const struct match_unit *a = &A(d)->units[i];

		if (d->after[0][i])
			d->removed[i] = d->units[d->after[0][i]].root;
		else if (!a->pair && d->removed[i] < 0)
			d->removed[i] = d->removed[a->caller];
	}
}

static void explain_rest(struct diff *d, struct map64 *files)
{
	struct map64 programs = { 0 };

	explain_held(d, &programs);
	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		const struct diff_unit *u = &d->units[i];

		if (!(u->what & (DIFF_INPUTS | DIFF_STATUS)) || u->since != NEVER ||
		    (!(u->what & DIFF_INPUTS) && diff_failed_call(d, i)))
			continue;
		/* differs from its start: a unit may have failed before it wrote anything */
		mark_unit(d, i, B(d)->units[i].at, own_root(d, files, &programs, i));
		spread_causes(d);
	}
	explain_failed(d);
	/* last, because the trace does not show whether a unit used a variable that differs */
	for (uint32_t i = 1; i <= B(d)->nunits; i++) {
		int32_t root = d->units[i].since == NEVER ? env_root(d, i) : -1;

		if (root >= 0) {
			mark_unit(d, i, B(d)->units[i].at, root);
			spread_causes(d);
		}
	}
	explain_outputs(d, &programs);
	map64_clear(&programs);
}

static void count_unit(const struct diff *d, struct diff_root *r, uint32_t unit)
{
	r->units++;
	if (diff_failed_in(d, unit) < 0 || diff_failed_call(d, unit))
		return;
	r->failed = r->failed ? r->failed : unit;
	r->nfailed++;
}

void diff_builds(struct diff *d)
{
	struct map64 files = { 0 };
	struct look l = { .d = d, .files = &files };

	d->units = xcalloc(B(d)->nunits + 1ul, sizeof(*d->units));
	d->removed = xcalloc(A(d)->nunits + 1ul, sizeof(*d->removed));
	for (uint32_t i = 0; i <= B(d)->nunits; i++) {
		d->units[i].since = NEVER;
		d->units[i].root = d->units[i].calls = -1;
	}
	for (uint32_t i = 0; i <= A(d)->nunits; i++)
		d->removed[i] = -1;
	link_calls(d);
	diff_env_load(d);
	diff_outputs(d);
	look_at_all(&l);
	load_edges(d);
	diff_failed_load(d);
	for (size_t i = 0; i < l.n; i++)
		mark_unit(d, l.seeds[i].unit, l.seeds[i].at, l.seeds[i].root);
	free(l.seeds);
	spread_causes(d);
	explain_calls(d, &files);
	explain_rest(d, &files);
	map64_clear(&files);
	for (uint32_t i = 1; i <= B(d)->nunits; i++)
		if (d->units[i].root >= 0)
			count_unit(d, &d->roots[d->units[i].root], i);
	for (uint32_t i = 1; i <= A(d)->nunits; i++)
		if (d->removed[i] >= 0)
			d->roots[d->removed[i]].units++;
}

void diff_free(struct diff *d)
{
	free(d->units);
	free(d->removed);
	for (unsigned int i = 0; i < 2; i++) {
		free(d->failed[i]);
		free(d->after[i]);
	}
	free(d->roots);
	free(d->edges);
	free(d->queue);
	free(d->env[0].rows);
	free(d->env[1].rows);
	free(d->outputs);
	free(d->held);
	map64_clear(&d->equal);
	match_free(&d->m);
}
