// SPDX-License-Identifier: LGPL-2.1
/*
 * How long each program worked itself: the rule stands in timeline.h.
 *
 * Processes are looked at from the last one on, so that it is known when children waited
 * for their parent before that is looked at.
 */
#include "build/timeline.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct span {
	int64_t from, to;
	uint32_t writer;	/* of doubt */
};

struct spans {
	struct span *rows;
	size_t n, cap;
};

struct work {
	struct timeline *t;
	struct line_wait *may;	/* what the timeline's owner had added, by process */
	size_t left;		/* of these, those of processes that are still to come */
	/* of one process: */
	struct spans busy;	/* its children live; in the order of their beginnings */
	struct spans free;	/* none does; one behind the other */
	struct spans doubt;	/* of this, when it worked or waited for a writer */
};

static void add_span(struct spans *s, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	s->rows = xgrow(s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n++] = (struct span){ .from = from, .to = to };
}

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- children ---- */

static void find_busy(struct work *w, uint32_t process)
{
	const struct timeline *t = w->t;
	const struct line_process *p = &t->processes[process];

	w->busy.n = 0;
	for (uint32_t i = 0; i < p->nkids; i++) {
		const struct line_process *kid = &t->processes[t->kids[p->kids + i]];
		int64_t from = kid->at;

		for (uint32_t k = 0; k < kid->nwaits; k++) {
			const struct line_wait *wait = &t->waits[kid->waits + k];

			if (wait->writer != process)
				continue;
			add_span(&w->busy, from, wait->from);
			from = wait->to;
		}
		add_span(&w->busy, from, kid->until);
	}
	if (w->busy.n)
		qsort(w->busy.rows, w->busy.n, sizeof(*w->busy.rows), by_from);
}

static void find_free(struct work *w, uint32_t process)
{
	const struct line_process *p = &w->t->processes[process];
	int64_t at = p->at;

	w->free.n = 0;
	for (size_t i = 0; i < w->busy.n; i++) {
		add_span(&w->free, at, least(w->busy.rows[i].from, p->until));
		at = most(at, w->busy.rows[i].to);
	}
	add_span(&w->free, at, p->until);
}

/* ---- waits ---- */

static int by_process(const void *a, const void *b)
{
	const struct line_wait *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Those of a process, which come last of those that are left. */
static void take_waits(struct work *w, uint32_t process)
{
	int64_t until = 0;
	size_t first = w->left;

	w->doubt.n = 0;
	while (first && w->may[first - 1].process == process)
		first--;
	for (size_t i = first, k = 0; i < w->left && k < w->free.n;) {
		const struct line_wait *may = &w->may[i];
		const struct span *free = &w->free.rows[k];
		int64_t from = most(most(may->from, until), free->from), to = least(may->to, free->to);

		if (to > from) {
			add_span(&w->doubt, from, to);
			w->doubt.rows[w->doubt.n - 1].writer = may->writer;
			until = to;
		}
		if (may->to <= free->to)
			i++;
		else
			k++;
	}
	w->left = first;
}

static int64_t sum_of(const struct spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->rows[i].to - s->rows[i].from;
	return sum;
}

/*
 * It waited for all of the time in doubt but the end: what it used of the processor, and had
 * no other time for.
 */
static void add_waits(struct work *w, uint32_t process)
{
	struct timeline *t = w->t;
	struct line_process *p = &t->processes[process];
	int64_t cpu = p->last ? t->execs[p->last].cpu : -1, doubt = sum_of(&w->doubt);
	int64_t used = cpu < 0 ? 0 : most(cpu - (sum_of(&w->free) - doubt), 0);
	int64_t left = doubt - used;

	p->waits = (uint32_t)t->nwaits;
	for (size_t i = 0; i < w->doubt.n && left > 0; i++) {
		const struct span *s = &w->doubt.rows[i];
		int64_t to = least(s->to, s->from + left);

		t->waits = xgrow(t->waits, &t->waits_cap, t->nwaits + 1, sizeof(*t->waits));
		t->waits[t->nwaits++] = (struct line_wait){ process, s->writer, s->from, to };
		left -= to - s->from;
	}
	p->nwaits = (uint32_t)t->nwaits - p->waits;
}

/* ---- slices ---- */

static void add_slice(struct timeline *t, uint32_t exec, int64_t from, int64_t to)
{
	t->slices = xgrow(t->slices, &t->slices_cap, t->nslices + 1, sizeof(*t->slices));
	t->slices[t->nslices++] = (struct line_slice){ .exec = exec, .from = from, .to = to };
	t->execs[exec].worked += to - from;
	t->worked += to - from;
}

/*
 * A process worked, with a slice for each of the programs that it ran then.  What a
 * child does until it runs a program belongs to that.
 */
static void add_work(struct timeline *t, uint32_t process, int64_t from, int64_t to)
{
	for (uint32_t e = timeline_exec_at(t, process, from); e && from < to; e = t->execs[e].next) {
		uint32_t next = t->execs[e].next;
		int64_t until = next ? least(t->execs[next].at, to) : to;

		if (until <= from || (until < to && t->execs[e].forked))
			continue;
		add_slice(t, e, from, until);
		from = until;
	}
}

static void add_slices(struct work *w, uint32_t process)
{
	const struct line_process *p = &w->t->processes[process];
	const struct line_wait *wait = w->t->waits + p->waits, *end = wait + p->nwaits;

	for (size_t i = 0; i < w->free.n; i++) {
		int64_t from = w->free.rows[i].from, to = w->free.rows[i].to;

		for (; wait < end && wait->from < to; wait++) {
			add_work(w->t, process, from, wait->from);
			from = wait->to;
		}
		add_work(w->t, process, from, to);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct line_slice *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->exec > y->exec) - (x->exec < y->exec);
}

void timeline_work(struct timeline *t)
{
	struct work w = { .t = t, .may = t->waits, .left = t->nwaits };

	if (w.left)
		qsort(w.may, w.left, sizeof(*w.may), by_process);
	t->nwaits = t->waits_cap = 0;
	t->waits = xgrow(NULL, &t->waits_cap, 1, sizeof(*t->waits));
	for (uint32_t p = (uint32_t)t->nprocesses; p; p--) {
		find_busy(&w, p);
		find_free(&w, p);
		take_waits(&w, p);
		add_waits(&w, p);
		add_slices(&w, p);
	}
	if (t->nslices)
		qsort(t->slices, t->nslices, sizeof(*t->slices), by_begin);
	free(w.may);
	free(w.busy.rows);
	free(w.free.rows);
	free(w.doubt.rows);
}
