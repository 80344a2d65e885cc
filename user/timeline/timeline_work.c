// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds when each program worked itself, by the rules in timeline.h.
 *
 * Processes are handled from the last to the first, so a process's turn comes when it
 * is known when its children waited for it.
 */
#include "timeline/timeline.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct spans {
	struct timeline_wait *rows;	/* in the order of their beginnings */
	size_t n, cap;
};

struct work {
	struct timeline *t;
	struct timeline_wait *may;	/* the waits that the owner added, sorted by process */
	size_t left;		/* number of these that belong to processes still to be handled */
	/* for the current process: */
	struct spans busy;	/* when children live and do not wait for it; may overlap */
	/* when no such child lives; these and all following spans are sorted, without overlap */
	struct spans free;
	struct spans held;	/* when at least one such child lives */
	struct spans may_here;	/* the part of @may that is in @free */
	struct spans full;	/* the part of @may_here when it may have waited for a reader */
	struct spans doubt;	/* when it worked or waited for another process */
};

static void add_span(struct spans *s, struct timeline_wait row, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	s->rows = xgrow(s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	row.from = from;
	row.to = to;
	s->rows[s->n++] = row;
}

static int by_from(const void *a, const void *b)
{
	const struct timeline_wait *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void sort_spans(struct spans *s)
{
	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), by_from);
}

static int64_t min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- children ---- */

static void find_busy(struct work *w, uint32_t process)
{
	const struct timeline *t = w->t;
	const struct timeline_process *p = &t->processes[process];
	const struct timeline_wait none = { 0 };

	w->busy.n = 0;
	for (uint32_t i = 0; i < p->nkids; i++) {
		const struct timeline_process *kid = &t->processes[t->kids[p->kids + i]];
		int64_t from = kid->at;

		for (uint32_t k = 0; k < kid->nwaits; k++) {
			const struct timeline_wait *wait = &t->waits[kid->waits + k];

			if (wait->other != process)
				continue;
			add_span(&w->busy, none, from, wait->from);
			from = wait->to;
		}
		add_span(&w->busy, none, from, kid->until);
	}
	sort_spans(&w->busy);
}

static void find_free(struct work *w, uint32_t process)
{
	const struct timeline_process *p = &w->t->processes[process];
	const struct timeline_wait none = { 0 };
	int64_t at = p->at;

	w->free.n = w->held.n = 0;
	for (size_t i = 0; i < w->busy.n; i++) {
		const struct timeline_wait *busy = &w->busy.rows[i];

		add_span(&w->free, none, at, min_ns(busy->from, p->until));
		add_span(&w->held, none, max_ns(at, busy->from), min_ns(busy->to, p->until));
		at = max_ns(at, busy->to);
	}
	add_span(&w->free, none, at, p->until);
}

/* ---- waits ---- */

static int by_process(const void *a, const void *b)
{
	const struct timeline_wait *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Set w->may_here to the parts of @n possible waits, for a reader if @full, in w->free. */
static void find_here(struct work *w, const struct timeline_wait *may, size_t n, bool full)
{
	int64_t until = 0;

	w->may_here.n = 0;
	for (size_t i = 0, k = 0; i < n && k < w->free.n;) {
		const struct timeline_wait *free = &w->free.rows[k];
		int64_t from = max_ns(max_ns(may[i].from, until), free->from);
		int64_t to = min_ns(may[i].to, free->to);

		if (may[i].full == full && to > from) {
			add_span(&w->may_here, may[i], from, to);
			until = to;
		}
		if (may[i].full != full || may[i].to <= free->to)
			i++;
		else
			k++;
	}
}

/* Index of the first row that ends after a time; rows are sorted, without overlap. */
static size_t ends_after(const struct timeline_wait *rows, size_t n, int64_t at)
{
	return partition_point(i, 0, n, rows[i].to <= at);
}

/* Add the parts of a span outside all rows whose member full is @full. */
static void add_rest(struct spans *to, struct timeline_wait span, const struct timeline_wait *rows,
		     size_t n,
		     bool full)
{
	int64_t from = span.from;

	for (size_t i = ends_after(rows, n, from); i < n && rows[i].from < span.to; i++) {
		if (rows[i].full != full)
			continue;
		add_span(to, span, from, rows[i].from);
		from = max_ns(from, rows[i].to);
	}
	add_span(to, span, from, span.to);
}

/*
 * Take the possible waits of a process, which are the last remaining ones. A process that has
 * filled a pipe waits for the reader, except while the reader waits for more data. While it waits
 * for the reader, it does not also wait for its own input.
 */
static void take_waits(struct work *w, uint32_t process)
{
	const struct timeline *t = w->t;
	size_t first = w->left, n;

	while (first && w->may[first - 1].process == process)
		first--;
	n = w->left - first;
	w->left = first;
	w->full.n = w->doubt.n = 0;
	find_here(w, w->may + first, n, true);
	for (size_t i = 0; i < w->may_here.n; i++) {
		const struct timeline_process *reader = &t->processes[w->may_here.rows[i].other];

		add_rest(&w->full, w->may_here.rows[i], t->waits + reader->waits, reader->nwaits, false);
	}
	find_here(w, w->may + first, n, false);
	for (size_t i = 0; i < w->may_here.n; i++)
		add_rest(&w->doubt, w->may_here.rows[i], w->full.rows, w->full.n, true);
	for (size_t i = 0; i < w->full.n; i++)
		add_span(&w->doubt, w->full.rows[i], w->full.rows[i].from, w->full.rows[i].to);
	if (w->full.n)
		sort_spans(&w->doubt);
}

static int64_t sum_of(const struct spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->rows[i].to - s->rows[i].from;
	return sum;
}

/* CPU time of a process in ns, -1 if unknown. */
static int64_t cpu_of(const struct timeline *t, uint32_t process)
{
	const struct timeline_process *p = &t->processes[process];

	return p->last ? t->execs[p->last].cpu : -1;
}

/*
 * Assume that a process waited in the doubtful periods, except at their end: there it used the CPU
 * time that does not fit into the rest of its life.
 */
static void add_waits(struct work *w, uint32_t process)
{
	struct timeline *t = w->t;
	struct timeline_process *p = &t->processes[process];
	int64_t doubt = sum_of(&w->doubt);
	int64_t used = max_ns(cpu_of(t, process) - (sum_of(&w->free) - doubt), 0);
	bool sure = cpu_of(t, process) >= 0;
	int64_t left = doubt - used;

	p->waits = (uint32_t)t->nwaits;
	for (size_t i = 0; i < w->doubt.n && left > 0; i++) {
		struct timeline_wait wait = w->doubt.rows[i];

		wait.to = min_ns(wait.to, wait.from + left);
		t->waits = xgrow(t->waits, &t->waits_cap, t->nwaits + 1, sizeof(*t->waits));
		t->waits[t->nwaits++] = wait;
		left -= wait.to - wait.from;
		t->unsure += sure ? 0 : wait.to - wait.from;
	}
	p->nwaits = (uint32_t)t->nwaits - p->waits;
}

/* ---- slices ---- */

static void add_slice(struct timeline *t, uint32_t exec, int64_t from, int64_t to)
{
	t->slices = xgrow(t->slices, &t->slices_cap, t->nslices + 1, sizeof(*t->slices));
	t->slices[t->nslices++] = (struct timeline_slice){ .exec = exec, .from = from, .to = to };
	t->execs[exec].worked += to - from;
	t->worked += to - from;
}

/*
 * A process worked: add a slice for each program that it ran then.  What a child does
 * before its first execve counts for the program that it runs then.
 */
static void add_work(struct timeline *t, uint32_t process, int64_t from, int64_t to)
{
	for (uint32_t e = timeline_exec_at(t, process, from); e && from < to; e = t->execs[e].next) {
		uint32_t next = t->execs[e].next;
		int64_t until = next ? min_ns(t->execs[next].at, to) : to;

		if (until <= from || (until < to && t->execs[e].forked))
			continue;
		add_slice(t, e, from, until);
		from = until;
	}
}

static void add_slices(struct work *w, uint32_t process)
{
	const struct timeline_process *p = &w->t->processes[process];
	const struct timeline_wait *wait = w->t->waits + p->waits, *end = wait + p->nwaits;

	for (size_t i = 0; i < w->free.n; i++) {
		int64_t from = w->free.rows[i].from, to = w->free.rows[i].to;

		for (; wait < end && wait->from < to; wait++) {
			add_work(w->t, process, from, wait->from);
			from = wait->to;
		}
		add_work(w->t, process, from, to);
	}
}

/*
 * If the CPU time of a process exceeds its time without children to wait for, it also worked while
 * they lived. But not if it exceeds its life: then its threads may have used all of it in parallel
 * while it had no children to wait for.
 */
static void add_besides(struct work *w, uint32_t process)
{
	const struct timeline_process *p = &w->t->processes[process];
	int64_t cpu = cpu_of(w->t, process);
	int64_t left = cpu <= p->until - p->at ? cpu - sum_of(&w->free) : 0;

	for (size_t i = w->held.n; i-- && left > 0;) {
		const struct timeline_wait *held = &w->held.rows[i];
		int64_t from = max_ns(held->from, held->to - left);

		add_work(w->t, process, from, held->to);
		left -= held->to - from;
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct timeline_slice *x = a, *y = b;

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
		add_besides(&w, p);
	}
	if (t->nslices)
		qsort(t->slices, t->nslices, sizeof(*t->slices), by_begin);
	free(w.may);
	free(w.busy.rows);
	free(w.free.rows);
	free(w.held.rows);
	free(w.may_here.rows);
	free(w.full.rows);
	free(w.doubt.rows);
}
