// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the files that steps made, the files that their rules name, and which step waits for
 * which.  See check.h.
 */
#include "answers/check.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>

static void add_out(struct check *c, uint32_t step, uint32_t file)
{
	if (!step || !file)
		return;
	c->outs = xgrow(c->outs, &c->outs_cap, c->nouts + 1, sizeof(*c->outs));
	c->outs[c->nouts++] = (struct check_out){ step, file };
}

static int by_step(const void *a, const void *b)
{
	const struct check_out *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	return (x->file > y->file) - (x->file < y->file);
}

/* Count steps whose rules are unknown because make -np did not consider them. */
static void count_open(struct check *c)
{
	uint32_t last = 0;

	for (size_t i = 0; i < c->nouts; i++) {
		const struct check_out *o = &c->outs[i];

		if (o->step == last || !lists_is_open(&c->lists.nodes[c->node[o->file]]))
			continue;
		last = o->step;
		c->nopen++;
	}
}

void check_load_outs(struct check *c)
{
	const struct match_side *s = &c->s;
	const struct build *b = s->b;
	size_t n = 0;

	for (size_t i = 0; i < s->nwrites; i++)
		add_out(c, c->step[s->writes[i].unit], s->versions[s->writes[i].version].file);
	for (size_t i = 0; i < b->nnames; i++) {
		const struct build_name *name = &b->names[i];
		const struct match_write *w;
		size_t writes;

		if (!name->version)
			continue;
		add_out(c, c->step[s->unit_of[name->exec]], name->file);
		w = match_writes(s, name->version, &writes);
		for (size_t k = 0; k < writes; k++)
			add_out(c, c->step[w[k].unit], name->file);
	}
	if (c->nouts)
		qsort(c->outs, c->nouts, sizeof(*c->outs), by_step);
	for (size_t i = 0; i < c->nouts; i++)
		if (!n || by_step(&c->outs[n - 1], &c->outs[i]))
			c->outs[n++] = c->outs[i];
	c->nouts = n;
	count_open(c);
}

const struct check_out *check_outs(const struct check *c, uint32_t step, size_t *n)
{
	size_t first = partition_point(i, 0, c->nouts, c->outs[i].step < step);

	*n = partition_point(i, first, c->nouts, c->outs[i].step == step) - first;
	return c->outs + first;
}

bool check_made(const struct check *c, uint32_t step, uint32_t file)
{
	const struct check_out key = { step, file };

	return c->nouts && bsearch(&key, c->outs, c->nouts, sizeof(key), by_step);
}

uint32_t check_apart(const struct check *c, uint32_t *a, uint32_t *b)
{
	const struct match_unit *units = c->s.units;
	uint32_t x = *a, y = *b, below_x = 0, below_y = 0;

	/* callers have lower numbers than their calls */
	while (x != y) {
		if (x > y) {
			below_x = x;
			x = units[x].caller;
		} else {
			below_y = y;
			y = units[y].caller;
		}
	}
	if (!below_x || !below_y)
		return 0;
	*a = below_x;
	*b = below_y;
	return x;
}

/* ---- what is declared ---- */

static void reach_node(struct check_around *r, uint32_t node, enum check_reached how)
{
	if (!r->in[node])
		r->list[r->n++] = node;
	r->in[node] = (uint8_t)how;
}

/* Find all declared inputs of a step's outputs, direct or not; @listed: include depfiles. */
static void look_around(struct check *c, uint32_t step, bool listed)
{
	struct check_around *r = &c->around;
	const struct lists *l = &c->lists;
	const struct check_out *outs;
	size_t n;

	if (r->in && r->step == step && r->listed == listed)
		return;
	if (!r->in) {
		r->in = xcalloc(l->n + 1, sizeof(*r->in));
		r->list = xcalloc(l->n + 1, sizeof(*r->list));
	}
	while (r->n)
		r->in[r->list[--r->n]] = REACHED_NOT;
	r->step = step;
	r->listed = listed;
	outs = check_outs(c, step, &n);
	for (size_t i = 0; i < n; i++)
		if (l->nodes[c->node[outs[i].file]].rule)
			reach_node(r, c->node[outs[i].file], REACHED_MADE);
	r->any = r->n > 0;
	for (size_t i = 0; i < n; i++)
		r->any &= !lists_is_open(&l->nodes[c->node[outs[i].file]]);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t groups[] = { l->nodes[r->list[i]].rule,
				      listed ? l->nodes[r->list[i]].read : 0 };

		for (unsigned int k = 0; k < 2; k++)
			for (size_t j = 0; groups[k] && j < l->groups[groups[k]].n; j++)
				reach_node(r, l->groups[groups[k]].nodes[j], REACHED_NAMED);
	}
}

int check_declares(struct check *c, uint32_t step, uint32_t node)
{
	if (!c->lists.rules || !step)
		return -1;
	look_around(c, step, true);
	return c->around.any ? node && c->around.in[node] : -1;
}

/*
 * Whether the rules of step @then depend, directly or not, on @file, or on outputs of @first.
 * Return: 1 or 0; -1 if unknown.
 */
static int leads_to(struct check *c, uint32_t then, uint32_t first, uint32_t file)
{
	const struct lists *l = &c->lists;
	uint32_t node = file ? c->node[file] : 0;
	const struct check_out *outs;
	bool known = false;
	size_t n;

	look_around(c, then, false);
	if (!c->around.any)
		return -1;
	if (l->nodes[node].rule)
		return c->around.in[node];
	outs = check_outs(c, first, &n);
	for (size_t i = 0; i < n; i++) {
		node = c->node[outs[i].file];
		/* both steps made it, which proves nothing: they may be lines of one rule */
		if (!l->nodes[node].rule || c->around.in[node] == REACHED_MADE)
			continue;
		known = true;
		if (c->around.in[node])
			return 1;
	}
	return known ? 0 : -1;
}

/* Whether only some rules of a step are known. */
static bool is_partly(const struct check *c, uint32_t step)
{
	const struct lists *l = &c->lists;
	const struct check_out *outs;
	size_t n;

	outs = check_outs(c, step, &n);
	for (size_t i = 0; i < n; i++) {
		const struct lists_node *node = &l->nodes[c->node[outs[i].file]];

		if (lists_is_open(node) || (node->rule && l->groups[node->rule].partly))
			return true;
	}
	return false;
}

/* Whether the make that has the rule of a file ran in another directory than a step. */
static bool is_elsewhere(const struct check *c, uint32_t file, uint32_t step)
{
	const struct lists *l = &c->lists;
	uint32_t rule = l->nodes[c->node[file]].rule, dir = rule ? l->groups[rule].dir : 0;

	return dir && dir != c->node[c->s.b->execs[c->s.units[step].exec].cwd];
}

int check_ordered(struct check *c, uint32_t first, uint32_t then, uint32_t file)
{
	uint32_t step = c->step[first], waits = c->step[then], a = first, b = then, both;
	int ordered;

	if (!c->lists.rules || !step || !waits)
		return -1;
	ordered = leads_to(c, waits, step, file);
	if (ordered)
		return ordered;
	/*
	 * The absence of such a rule means something only if the same make or ninja ran
	 * both steps: steps of different makes may be ordered because the makes are.
	 */
	both = check_apart(c, &a, &b);
	if (!both || !match_schedules(&c->s, both) || a != step || b != waits || c->late[both] ||
	    is_partly(c, step) || is_partly(c, waits) || is_elsewhere(c, file, waits))
		return -1;
	return 0;
}

/* ---- what make waits for ---- */

/* A pipe that a make read, such as that of $(shell). */
struct asked {
	uint32_t make;		/* unit of the make */
	int64_t at, until;
};

static int by_time(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->make != y->make)
		return (x->make > y->make) - (x->make < y->make);
	return (x->at > y->at) - (x->at < y->at);
}

static bool is_asked(const struct asked *rows, size_t n, const struct match_unit *unit)
{
	const struct asked wanted = { unit->caller, unit->at, 0 };
	/* index of the row after the last pipe that its make had opened when the unit began */
	size_t next = partition_point(i, 0, n, by_time(&rows[i], &wanted) <= 0);

	return next && rows[next - 1].make == unit->caller && unit->at <= rows[next - 1].until;
}

/* Whether the reader of a version writes it, too. */
static bool reader_writes(const struct build *b, const struct build_access *a)
{
	const struct build_version *v = &b->versions[a->version];

	for (uint32_t i = 0; i < v->writes; i++)
		if (build_use(b, a->version, i)->exec == a->exec)
			return true;
	return false;
}

void check_find_asked(struct check *c)
{
	const struct build *b = c->s.b;
	struct asked *rows = NULL;
	size_t n = 0, cap = 0;

	c->asked = xcalloc(c->s.nunits + 1ul, sizeof(*c->asked));
	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		const struct build_version *v = &b->versions[a->version];
		uint32_t unit = c->s.unit_of[a->exec];

		/* a pipe that make also writes to is its job server */
		if (a->how != GRAPH_READ || v->made != GRAPH_PIPE || v->token ||
		    !match_is_make(&c->s, unit) || reader_writes(b, a))
			continue;
		rows = xgrow(rows, &cap, n + 1, sizeof(*rows));
		rows[n++] = (struct asked){ unit, a->at, a->until };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), by_time);
	for (uint32_t i = 1; i <= c->s.nunits; i++)
		c->asked[i] = is_asked(rows, n, &c->s.units[i]);
	free(rows);
}

/* ---- what was read ---- */

const struct check_read *check_step_reads(const struct check *c, uint32_t step, size_t *n)
{
	size_t first = partition_point(i, 0, c->nreads, c->reads[i].step < step);

	*n = partition_point(i, first, c->nreads, c->reads[i].step == step) - first;
	return c->reads + first;
}

static bool is_in(const struct check *c, uint32_t unit, uint32_t top)
{
	/* callers have lower numbers than their calls */
	while (unit > top)
		unit = c->s.units[unit].caller;
	return unit == top;
}

static bool is_made_in(const struct check *c, uint32_t version, uint32_t top)
{
	size_t n;
	const struct match_write *w = match_writes(&c->s, version, &n);

	while (n && !is_in(c, w[n - 1].unit, top))
		n--;
	return n;
}

bool check_goes_on(struct check *c, uint32_t then, uint32_t first)
{
	uint64_t pair = (uint64_t)then << 32 | first, *known = map64_get(&c->goes_on, pair);
	bool any = false;

	if (known)
		return *known;
	for (size_t i = 0; i < c->nreads && !any; i++)
		any = is_in(c, c->reads[i].unit, then) && is_made_in(c, c->reads[i].version, first);
	map64_put(&c->goes_on, pair, any);
	return any;
}

bool check_follows(const struct check *c, uint32_t then, uint32_t first)
{
	bool *seen, follows;
	uint32_t *list;
	size_t n = 1;

	if (!then || !first)
		return false;
	seen = xcalloc(c->s.nunits + 1ul, sizeof(*seen));
	list = xcalloc(c->s.nunits + 1ul, sizeof(*list));
	list[0] = then;
	seen[then] = true;
	for (size_t i = 0; i < n && !seen[first]; i++) {
		size_t reads, writes;
		const struct check_read *r = check_step_reads(c, list[i], &reads);

		for (size_t k = 0; k < reads; k++) {
			const struct match_write *w = match_writes(&c->s, r[k].version, &writes);

			for (size_t j = 0; j < writes; j++) {
				uint32_t maker = c->step[w[j].unit];

				if (!maker || seen[maker])
					continue;
				seen[maker] = true;
				list[n++] = maker;
			}
		}
	}
	follows = seen[first];
	free(list);
	free(seen);
	return follows;
}
