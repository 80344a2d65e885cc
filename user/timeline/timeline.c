// SPDX-License-Identifier: LGPL-2.1
/* Links processes and execs of a timeline, and counts how many worked.  See timeline.h. */
#include "timeline/timeline.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Only the base name of the program decides. */
bool timeline_schedules(const char *path, size_t len)
{
	static const char *const names[] = { "make", "gmake", "ninja", "samu", "bazel", "scons", NULL };
	const char *base = path_base_of(path, &len);

	for (const char *const *name = names; *name; name++)
		if (len && **name == *base && strlen(*name) == len && !memcmp(*name, base, len))
			return true;
	return false;
}

void timeline_add_exec(struct timeline *t, uint32_t id)
{
	struct timeline_exec *e = &t->execs[id];
	struct timeline_process *p = &t->processes[e->process];

	if (p->last)
		t->execs[p->last].next = id;
	else
		p->exec = id;
	p->last = id;
	p->until = e->until > p->until ? e->until : p->until;
}

static int by_end(const void *a, const void *b, void *ctx)
{
	const struct timeline *t = ctx;
	const struct timeline_process *x = &t->processes[*(const uint32_t *)a];
	const struct timeline_process *y = &t->processes[*(const uint32_t *)b];

	return (x->until > y->until) - (x->until < y->until);
}

/* List the children of each process, in the order of their ends. */
static void link_kids(struct timeline *t)
{
	uint32_t *order = xcalloc(t->nprocesses + 1, sizeof(*order)), at = 0;

	for (size_t i = 0; i < t->nprocesses; i++) {
		order[i] = (uint32_t)i + 1;
		t->processes[t->processes[i + 1].parent].nkids++;
	}
	for (size_t i = 0; i <= t->nprocesses; i++) {
		t->processes[i].kids = at;
		at += t->processes[i].nkids;
		t->processes[i].nkids = 0;
	}
	qsort_r(order, t->nprocesses, sizeof(*order), by_end, t);
	t->kids = xcalloc(t->nprocesses + 1, sizeof(*t->kids));
	for (size_t i = 0; i < t->nprocesses; i++) {
		struct timeline_process *p = &t->processes[t->processes[order[i]].parent];

		t->kids[p->kids + p->nkids++] = order[i];
	}
	free(order);
}

/* List the execs of each process, in time order. */
static void link_runs(struct timeline *t)
{
	uint32_t at = 0;

	t->runs = xcalloc(t->nexecs + 1, sizeof(*t->runs));
	for (size_t i = 1; i <= t->nprocesses; i++) {
		struct timeline_process *p = &t->processes[i];

		p->runs = at;
		for (uint32_t e = p->exec; e; e = t->execs[e].next)
			t->runs[at++] = e;
		p->nruns = at - p->runs;
	}
}

static int by_begin(const void *a, const void *b, void *ctx)
{
	const struct timeline_moment *x = a, *y = b;
	int64_t from = timeline_moment_at(ctx, *x), to = timeline_moment_at(ctx, *y);

	if (from != to)
		return from < to ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

/* By time; at the same time, children before their parents. */
static int by_last(const void *a, const void *b, void *ctx)
{
	const struct timeline_moment *x = a, *y = b;
	int64_t from = timeline_moment_at(ctx, *x), to = timeline_moment_at(ctx, *y);

	if (from != to)
		return from < to ? -1 : 1;
	return (x->process < y->process) - (x->process > y->process);
}

/* Sort a list that is often sorted already: processes mostly come in the order of their begin. */
static void sort_moments(const struct timeline *t, struct timeline_moment *list, size_t n,
			 int (*by)(const void *, const void *, void *))
{
	bool sorted = true;
	void *ctx = (void *)(uintptr_t)t;

	for (size_t i = 1; i < n && sorted; i++)
		sorted = by(&list[i - 1], &list[i], ctx) < 0;
	if (!sorted)
		qsort_r(list, n, sizeof(*list), by, ctx);
}

static void link_moments(struct timeline *t)
{
	size_t b = 0, e = 0, all = t->nprocesses;
	struct timeline_moment *begins = xcalloc(2 * all + 1, sizeof(*begins)), *ends = begins + all;

	for (uint32_t i = 1; i <= all; i++) {
		begins[i - 1] = (struct timeline_moment){ i, false };
		ends[i - 1] = (struct timeline_moment){ i, true };
	}
	sort_moments(t, begins, all, by_begin);
	sort_moments(t, ends, all, by_last);
	t->moments = xcalloc(2 * all + 1, sizeof(*t->moments));
	while (t->nmoments < 2 * all) {
		bool begun = b < all && (e == all || timeline_moment_at(t, begins[b]) <=
						     timeline_moment_at(t, ends[e]));

		t->moments[t->nmoments++] = begun ? begins[b++] : ends[e++];
	}
	free(begins);
}

void timeline_link(struct timeline *t)
{
	link_kids(t);
	link_runs(t);
	/* parents have lower numbers */
	for (uint32_t i = 1; i <= t->nprocesses; i++) {
		struct timeline_process *p = &t->processes[i];

		const struct timeline_process *parent = &t->processes[p->parent];

		p->job = p->parent && parent->schedules ? i : parent->job;
		p->tool = parent->tool || !p->schedules ? parent->tool : i;
	}
	link_moments(t);
	timeline_find_full(t);
	timeline_work(t);
}

/* Without recursion, because a damaged trace may nest processes arbitrarily. */
void timeline_below(const struct timeline *t, uint32_t process,
		    bool (*fn)(void *ctx, uint32_t process), void *ctx)
{
	size_t n = 1, cap = 0;
	uint32_t *stack = xgrow(NULL, &cap, 1, sizeof(*stack));

	stack[0] = process;
	while (n) {
		const struct timeline_process *p = &t->processes[stack[--n]];

		if (!fn(ctx, stack[n]))
			break;
		stack = xgrow(stack, &cap, n + p->nkids + 1, sizeof(*stack));
		for (uint32_t i = p->nkids; i--;)
			stack[n++] = t->kids[p->kids + i];
	}
	free(stack);
}

/* ---- parallelism ---- */

static void add_step(struct timeline *t, int64_t from, int64_t to, uint32_t working)
{
	if (to <= from)
		return;
	if (working >= t->nwidths) {
		size_t old = t->nwidths;

		t->width = xgrow(t->width, &t->nwidths, working + 1, sizeof(*t->width));
		memset(t->width + old, 0, (t->nwidths - old) * sizeof(*t->width));
	}
	t->width[working] += to - from;
	if (t->nsteps && t->steps[t->nsteps - 1].working == working)
		return;
	t->steps = xgrow(t->steps, &t->steps_cap, t->nsteps + 1, sizeof(*t->steps));
	t->steps[t->nsteps++] = (struct timeline_step){ from, working };
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Counts the slices at each time, by merging beginnings and ends in time order. */
static void count_working(struct timeline *t)
{
	int64_t *ends = xcalloc(t->nslices + 1, sizeof(*ends)), before = 0;
	size_t begun = 0, ended = 0, n = t->nslices;

	for (size_t i = 0; i < n; i++)
		ends[i] = t->slices[i].to;
	qsort(ends, n, sizeof(*ends), by_time);
	while (ended < n) {
		bool begins = begun < n && t->slices[begun].from <= ends[ended];
		int64_t at = begins ? t->slices[begun].from : ends[ended];

		add_step(t, before, at, (uint32_t)(begun - ended));
		before = at > before ? at : before;
		begun += begins;
		ended += !begins;
	}
	add_step(t, before, t->wall, 0);
	free(ends);
}

double timeline_average(const struct timeline *t)
{
	double sum = 0, time = 0;

	for (size_t i = 1; i < t->nwidths; i++) {
		sum += (double)t->width[i] * (double)i;
		time += (double)t->width[i];
	}
	return time > 0 ? sum / time : 0;
}

void timeline_complete(struct timeline *t)
{
	timeline_link(t);
	count_working(t);
}

void timeline_free(struct timeline *t)
{
	free(t->processes);
	free(t->kids);
	free(t->runs);
	free(t->execs);
	free(t->waits);
	free(t->slices);
	free(t->outputs);
	free(t->edges);
	free(t->moments);
	free(t->full);
	free(t->width);
	free(t->steps);
}
