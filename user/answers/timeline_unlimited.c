// SPDX-License-Identifier: LGPL-2.1
/*
 * Computes how long the build would take without waiting for job slots, and if some of its
 * processes took no time. See timeline_load.h. Below, "that build" is the
 * imagined one.
 */
#include "answers/timeline_load.h"
#include "base/map64.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct endless {
	const struct timeline *t;
	int64_t since;		/* before this time, everything is as in the real build */
	const bool *gone;	/* by process: it takes no time; NULL if none */
	struct endless_process {
		int64_t now;	/* its current time in that build */
		int64_t last;	/* time of its last processed event in the real build */
		int64_t children;	/* latest end of a child in that build */
		uint32_t slice;	/* its first slice that is not fully counted */
		/* child that ended last, unless its end freed the only slot; else 0 */
		uint32_t waited_for : 31;
		bool ended : 1;
	} *p;
	/* lists of the processes that must end before a process can begin */
	struct need {
		uint32_t maker, next;
	} *needs;
	size_t nneeds, needs_cap;
	uint32_t *first;	/* by process: its first row in @needs; 0 if none */
	struct map64 seen;	/* pairs that were added */
	/* indices of the timeline's slices, grouped by process; by process: end of its group */
	uint32_t *slices, *slices_at;
	/* by process: number of its ancestors; an ancestor to which ancestor_at() may jump */
	uint32_t *depth, *skip;
};

/* ---- needs ---- */

/*
 * Computes jump pointers, which find any ancestor in few steps (Myers, Applicative random access
 * stacks).
 */
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

/* The ancestor of @p, or @p itself, that has @depth. */
static uint32_t ancestor_at(const struct endless *e, uint32_t p, uint32_t depth)
{
	while (e->depth[p] > depth)
		p = e->depth[e->skip[p]] >= depth ? e->skip[p] : e->t->processes[p].parent;
	return p;
}

/*
 * Move both up to children of their nearest common ancestor. Return: false if one is
 * above the other.
 */
static bool find_siblings(const struct endless *e, uint32_t *a, uint32_t *b)
{
	const struct timeline *t = e->t;
	uint32_t depth = e->depth[*a] < e->depth[*b] ? e->depth[*a] : e->depth[*b];

	*a = ancestor_at(e, *a, depth);
	*b = ancestor_at(e, *b, depth);
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
	if (!find_siblings(e, &user, &maker))
		return;
	e->needs = xgrow(e->needs, &e->needs_cap, e->nneeds + 2, sizeof(*e->needs));
	e->needs[++e->nneeds] = (struct need){ maker, e->first[user] };
	e->first[user] = (uint32_t)e->nneeds;
}

/*
 * If a version has more writes than this, such as a log or a pipe without byte counts, a
 * reader waits only for that many writers, the last ones that began before it.
 */
#define MAKERS_MAX	16u

/* Number of writes by execs that began before the reader; writes are sorted by exec. */
static uint32_t writes_before(const struct build *b, const struct build_access *r)
{
	return (uint32_t)partition_point(i, 0, b->versions[r->version].writes,
					 build_use(b, r->version, (uint32_t)i)->exec < r->exec);
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
	const struct build *b = e->t->db ? build_of(e->t->db) : NULL;

	e->first = xcalloc(e->t->nprocesses + 1, sizeof(*e->first));
	/* row 0 is unused: 0 means none */
	e->needs = xgrow(e->needs, &e->needs_cap, 1, sizeof(*e->needs));
	for (size_t i = 0; b && i < b->naccesses; i++)
		if (b->accesses[i].how == GRAPH_READ || b->accesses[i].how == GRAPH_RUN)
			add_makers(e, b, &b->accesses[i]);
	for (size_t i = 0; i < e->t->nedges; i++)
		add_need(e, e->t->edges[i].user, e->t->edges[i].maker);
	map64_clear(&e->seen);
}

/* ---- replaying the build ---- */

static void load_slices(struct endless *e)
{
	const struct timeline *t = e->t;
	uint32_t *at = xcalloc(t->nprocesses + 2, sizeof(*at));

	e->slices = xcalloc(t->nslices + 1, sizeof(*e->slices));
	for (size_t i = 0; i < t->nslices; i++)
		at[t->execs[t->slices[i].exec].process + 1]++;
	for (size_t p = 1; p <= t->nprocesses + 1; p++)
		at[p] += at[p - 1];
	/* at[p] moves to the end of the slices of p, where those of p + 1 begin */
	for (size_t i = 0; i < t->nslices; i++)
		e->slices[at[t->execs[t->slices[i].exec].process]++] = (uint32_t)i;
	e->slices_at = at;
}

/* How long a process worked from @from to @to; successive calls must be in time order. */
static int64_t time_worked(struct endless *e, uint32_t p, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (; e->p[p].slice < e->slices_at[p]; e->p[p].slice++) {
		const struct timeline_slice *s = &e->t->slices[e->slices[e->p[p].slice]];
		int64_t begin = s->from > from ? s->from : from, end = s->to < to ? s->to : to;

		if (s->from >= to)
			break;
		sum += end > begin ? end - begin : 0;
		if (s->to > to)
			break;
	}
	return sum;
}

/* Advance a process to a time: only its work counts, not waiting for children or at pipes. */
static void advance_process(struct endless *e, uint32_t p, int64_t at)
{
	struct endless_process *x = &e->p[p];
	int64_t from = x->last < e->since ? e->since : x->last, work;

	if (x->last < e->since) {
		from = at < e->since ? at : e->since;
		x->now = from > x->now ? from : x->now;
	}
	work = time_worked(e, p, from, at);
	if (!e->gone || !e->gone[p])
		x->now += work;
	x->last = at;
}

/* When a process begins in that build, if its parent starts it at @now. */
static int64_t begin_of(const struct endless *e, uint32_t p, int64_t now)
{
	uint32_t parent = e->t->processes[p].parent, order = e->p[parent].waited_for;

	for (uint32_t i = e->first[p]; i; i = e->needs[i].next)
		if (e->p[e->needs[i].maker].ended && e->p[e->needs[i].maker].now > now)
			now = e->p[e->needs[i].maker].now;
	/*
	 * for a bound, do not rely on slots: if several jobs ended at once, a free slot is
	 * uncertain
	 */
	if (e->gone || !parent || !order)
		return now;
	return e->p[order].now > now ? e->p[order].now : now;
}

static void process_begins(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent;
	int64_t now = at;

	if (parent && !e->p[parent].ended) {
		advance_process(e, parent, at);
		now = e->p[parent].now;
	}
	e->p[p].now = at <= e->since ? at : begin_of(e, p, now);
	e->p[p].last = at;
}

static void process_ends(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent;

	advance_process(e, p, at);
	if (e->p[p].children > e->p[p].now)
		e->p[p].now = e->p[p].children;
	e->p[p].ended = true;
	e->p[parent].waited_for = e->t->processes[parent].schedules && !e->t->full[p] ? p : 0;
	if (!parent || e->p[parent].ended)
		return;
	advance_process(e, parent, at);
	if (e->p[p].now > e->p[parent].children)
		e->p[parent].children = e->p[p].now;
	/* a program that is not a build tool continues when its child has ended */
	if (!e->t->processes[parent].schedules && e->p[p].now > e->p[parent].now)
		e->p[parent].now = e->p[p].now;
}

struct endless *endless_new(const struct timeline *t)
{
	struct endless *e = xcalloc(1, sizeof(*e));

	*e = (struct endless){ .t = t };
	find_depths(e);
	load_needs(e);
	load_slices(e);
	free(e->depth);
	free(e->skip);
	e->p = xcalloc(t->nprocesses + 1, sizeof(*e->p));
	return e;
}

int64_t endless_without(struct endless *e, const bool *gone, int64_t since)
{
	const struct timeline *t = e->t;
	int64_t most = 0;

	e->gone = gone;
	e->since = since;
	memset(e->p, 0, (t->nprocesses + 1) * sizeof(*e->p));
	for (uint32_t i = 1; i <= t->nprocesses; i++)
		e->p[i].slice = e->slices_at[i - 1];
	for (size_t i = 0; i < t->nmoments; i++) {
		int64_t at = timeline_moment_at(t, t->moments[i]);

		if (t->moments[i].ends)
			process_ends(e, t->moments[i].process, at);
		else
			process_begins(e, t->moments[i].process, at);
	}
	for (uint32_t i = 1; i <= t->nprocesses; i++)
		most = e->p[i].now > most ? e->p[i].now : most;
	return most;
}

void endless_free(struct endless *e)
{
	free(e->p);
	free(e->needs);
	free(e->first);
	free(e->slices);
	free(e->slices_at);
	free(e);
}
