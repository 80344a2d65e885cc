// SPDX-License-Identifier: LGPL-2.1
/* What the build would take without waiting for job slots.  See line.h. */
#include "answers/line.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct endless {
	const struct timeline *t;
	bool *full;		/* timeline_full() */
	struct {
		int64_t now;	/* its time there */
		int64_t last;	/* when something happened to it last, in the build */
		int64_t children;	/* the latest end of a child there */
		uint32_t live;	/* children */
		/* who ended last, if a slot was free before: nobody waited for his */
		uint32_t waited_for;
		bool ended;
	} *p;
	/* who must have ended before a process can begin */
	struct need {
		uint32_t maker, next;
	} *needs;
	size_t nneeds, needs_cap;
	uint32_t *first;	/* of each process */
	struct map64 seen;	/* pairs that were looked at */
	/* by process: how many are above it, and one of these, to skip those in between */
	uint32_t *depth, *skip;
};

/* ---- needs ---- */

/* So that to find one above another takes only some steps (Myers, Applicative random access). */
static void find_depths(struct endless *e)
{
	const struct timeline *t = e->t;

	e->depth = xcalloc(t->nprocesses + 1, sizeof(*e->depth));
	e->skip = xcalloc(t->nprocesses + 1, sizeof(*e->skip));
	for (uint32_t i = 1; i <= t->nprocesses; i++) {
		uint32_t p = t->processes[i].parent, far = e->skip[p];

		e->depth[i] = e->depth[p] + 1;
		e->skip[i] = e->depth[p] - e->depth[far] == e->depth[far] - e->depth[e->skip[far]] ?
			e->skip[far] : p;
	}
}

/* The one above @p, or itself, that has @depth. */
static uint32_t up(const struct endless *e, uint32_t p, uint32_t depth)
{
	while (e->depth[p] > depth)
		p = e->depth[e->skip[p]] >= depth ? e->skip[p] : e->t->processes[p].parent;
	return p;
}

/* One below the process that both come from: those whose order is to be kept. */
static bool part(const struct endless *e, uint32_t *a, uint32_t *b)
{
	const struct timeline *t = e->t;
	uint32_t depth = e->depth[*a] < e->depth[*b] ? e->depth[*a] : e->depth[*b];

	*a = up(e, *a, depth);
	*b = up(e, *b, depth);
	if (*a == *b)
		return false;
	while (t->processes[*a].parent != t->processes[*b].parent) {
		bool skips = e->skip[*a] != e->skip[*b];

		*a = skips ? e->skip[*a] : t->processes[*a].parent;
		*b = skips ? e->skip[*b] : t->processes[*b].parent;
	}
	return true;
}

static void add_need(struct endless *e, uint32_t user, uint32_t maker)
{
	uint64_t key = (uint64_t)user << 32 | maker;

	if (!user || !maker || user == maker || map64_get(&e->seen, key))
		return;
	map64_put(&e->seen, key, 1);
	if (!part(e, &user, &maker))
		return;
	e->needs = xgrow(e->needs, &e->needs_cap, e->nneeds + 2, sizeof(*e->needs));
	e->needs[++e->nneeds] = (struct need){ maker, e->first[user] };
	e->first[user] = (uint32_t)e->nneeds;
}

/*
 * Of what many wrote and many read, each waits for the last of those that began before it:
 * that is a log, or a pipe of which nothing more is known.
 */
#define MAKERS_MAX	16u

/* Those of each exec stand together. */
static uint32_t writes_before(const struct build *b, const struct build_access *r)
{
	uint32_t low = 0, high = b->versions[r->version].writes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (build_use(b, r->version, middle)->exec < r->exec)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_makers(struct endless *e, const struct build *b, const struct build_access *r)
{
	uint32_t end = b->versions[r->version].writes, i = 0;

	if (end > MAKERS_MAX) {
		end = writes_before(b, r);
		i = end > MAKERS_MAX ? end - MAKERS_MAX : 0;
	}
	for (; i < end && !b->versions[r->version].token; i++)
		add_need(e, b->execs[r->exec].process,
			 b->execs[build_use(b, r->version, i)->exec].process);
}

static void load_needs(struct endless *e)
{
	const struct build *b = build_of(e->t->db);

	e->first = xcalloc(e->t->nprocesses + 1, sizeof(*e->first));
	/* row 0 is none */
	e->needs = xgrow(e->needs, &e->needs_cap, 1, sizeof(*e->needs));
	for (size_t i = 0; i < b->naccesses; i++)
		if (b->accesses[i].how == GRAPH_READ || b->accesses[i].how == GRAPH_RUN)
			add_makers(e, b, &b->accesses[i]);
	for (size_t i = 0; i < e->t->nedges; i++)
		add_need(e, e->t->edges[i].user, e->t->edges[i].maker);
	map64_clear(&e->seen);
}

/* ---- the build once more ---- */

/* Time in which it had no children was its own work. */
static void pass(struct endless *e, uint32_t p, int64_t at)
{
	if (!e->p[p].live)
		e->p[p].now += at - e->p[p].last;
	e->p[p].last = at;
}

static void begins(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent, order = e->p[parent].waited_for;
	int64_t now = at;

	if (parent && !e->p[parent].ended) {
		pass(e, parent, at);
		e->p[parent].live++;
		now = e->p[parent].now;
	}
	for (uint32_t i = e->first[p]; i; i = e->needs[i].next)
		if (e->p[e->needs[i].maker].ended && e->p[e->needs[i].maker].now > now)
			now = e->p[e->needs[i].maker].now;
	if (parent && order && e->p[order].now > now)
		now = e->p[order].now;
	e->p[p].now = now;
	e->p[p].last = at;
}

static void ends(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent;

	pass(e, p, at);
	if (e->p[p].children > e->p[p].now)
		e->p[p].now = e->p[p].children;
	e->p[p].ended = true;
	e->p[parent].waited_for = e->t->processes[parent].schedules && !e->full[p] ? p : 0;
	if (!parent || e->p[parent].ended)
		return;
	pass(e, parent, at);
	e->p[parent].live--;
	if (e->p[p].now > e->p[parent].children)
		e->p[parent].children = e->p[p].now;
	/* what does not only schedule goes on when its child has ended */
	if (!e->t->processes[parent].schedules && e->p[p].now > e->p[parent].now)
		e->p[parent].now = e->p[p].now;
}

int64_t timeline_endless(const struct timeline *t)
{
	struct endless e = { .t = t, .full = timeline_full(t) };
	struct line_moment *list;
	int64_t most = 0;
	size_t n;

	find_depths(&e);
	load_needs(&e);
	free(e.depth);
	free(e.skip);
	list = timeline_moments(t, &n);
	e.p = xcalloc(t->nprocesses + 1, sizeof(*e.p));
	for (size_t i = 0; i < n; i++) {
		int64_t at = timeline_moment_at(t, list[i]);

		if (list[i].ends)
			ends(&e, list[i].process, at);
		else
			begins(&e, list[i].process, at);
	}
	for (uint32_t i = 1; i <= t->nprocesses; i++)
		most = e.p[i].now > most ? e.p[i].now : most;
	free(list);
	free(e.full);
	free(e.p);
	free(e.needs);
	free(e.first);
	return most;
}
