// SPDX-License-Identifier: LGPL-2.1
/* Programs at work, in lanes.  See lanes.h. */
#include "build/lanes.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- who worked when ---- */

/*
 * A process worked, with a slice for each of the programs that it ran then.  What a
 * child does until it runs a program belongs to that.
 */
static void worked(struct lanes *l, const struct timeline *t, uint32_t process, int64_t from,
		   int64_t to)
{
	for (uint32_t e = timeline_exec_at(t, process, from); e && from < to; e = t->execs[e].next) {
		uint32_t next = t->execs[e].next;
		int64_t until = next && t->execs[next].at < to ? t->execs[next].at : to;

		if (until <= from || (until < to && t->execs[e].forked))
			continue;
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n++] = (struct lane_slice){ .exec = e, .from = from, .to = until };
		from = until;
	}
}

static void find_work(const struct timeline *t, struct lanes *l)
{
	uint32_t *children = xcalloc(t->nprocesses + 1, sizeof(*children));
	int64_t *since = xcalloc(t->nprocesses + 1, sizeof(*since));
	bool *lives = xcalloc(t->nprocesses + 1, sizeof(*lives));
	size_t n;
	struct line_moment *list = timeline_moments(t, &n);

	for (size_t i = 0; i < n; i++) {
		const struct line_moment *m = &list[i];
		uint32_t parent = t->processes[m->process].parent;
		bool waits = parent && lives[parent];

		if (!m->ends) {
			if (waits && !children[parent])
				worked(l, t, parent, since[parent], m->at);
			children[parent]++;
			lives[m->process] = true;
			since[m->process] = m->at;
			continue;
		}
		if (!children[m->process])
			worked(l, t, m->process, since[m->process], m->at);
		lives[m->process] = false;
		children[parent]--;
		if (waits && !children[parent])
			since[parent] = m->at;
	}
	free(list);
	free(children);
	free(since);
	free(lives);
}

static int by_begin(const void *a, const void *b)
{
	const struct lane_slice *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->exec > y->exec) - (x->exec < y->exec);
}

/* ---- in which lane ---- */

/* A heap of lanes: those with the least key first. */
struct heap {
	struct place {
		int64_t key;
		uint32_t lane;
	} *rows;
	size_t n, cap;
};

static void put(struct heap *h, int64_t key, uint32_t lane)
{
	size_t i = h->n++;

	h->rows = xgrow(h->rows, &h->cap, h->n, sizeof(*h->rows));
	for (; i && h->rows[(i - 1) / 2].key > key; i = (i - 1) / 2)
		h->rows[i] = h->rows[(i - 1) / 2];
	h->rows[i] = (struct place){ key, lane };
}

static uint32_t take(struct heap *h)
{
	struct place first = h->rows[0], last = h->rows[--h->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && h->rows[child + 1].key < h->rows[child].key)
			child++;
		if (h->rows[child].key >= last.key)
			break;
		h->rows[i] = h->rows[child];
		i = child;
	}
	h->rows[i] = last;
	return first.lane;
}

struct packing {
	struct heap busy;	/* by when they become free */
	struct heap free;	/* by number; also some that are not free any more */
	bool *is_free;
	size_t cap;
};

static uint32_t find_lane(struct packing *p, struct lanes *l, uint32_t wanted)
{
	uint32_t lane;

	if (wanted && p->is_free[wanted - 1])
		return wanted - 1;
	while (p->free.n) {
		lane = take(&p->free);
		if (p->is_free[lane])
			return lane;
	}
	p->is_free = xgrow(p->is_free, &p->cap, l->count + 1, sizeof(*p->is_free));
	return l->count++;
}

static void pack(const struct timeline *t, struct lanes *l)
{
	/* of each job, its last lane + 1 */
	uint32_t *last = xcalloc(t->nprocesses + 1, sizeof(*last));
	struct packing p = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		struct lane_slice *s = &l->rows[i];
		uint32_t process = t->execs[s->exec].process, job = t->processes[process].job;

		while (p.busy.n && p.busy.rows[0].key <= s->from) {
			uint32_t lane = take(&p.busy);

			p.is_free[lane] = true;
			put(&p.free, lane, lane);
		}
		job = job ? job : process;
		s->lane = find_lane(&p, l, last[job]);
		p.is_free[s->lane] = false;
		put(&p.busy, s->to, s->lane);
		last[job] = s->lane + 1;
	}
	free(p.busy.rows);
	free(p.free.rows);
	free(p.is_free);
	free(last);
}

void lanes_find(const struct timeline *t, struct lanes *l)
{
	*l = (struct lanes){ 0 };
	find_work(t, l);
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_begin);
	pack(t, l);
}

void lanes_free(struct lanes *l)
{
	free(l->rows);
	*l = (struct lanes){ 0 };
}

/* ---- how many of each class ---- */

struct change {
	int64_t at;
	uint8_t class;
	bool ends;
};

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

void lanes_steps(const struct lanes *l, const uint8_t *classes,
		 void (*fn)(void *ctx, int64_t at, const uint32_t *working), void *ctx)
{
	struct change *list = xcalloc(2 * l->n + 1, sizeof(*list));
	uint32_t working[WORK_CLASSES] = { 0 }, told[WORK_CLASSES] = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		uint8_t class = classes[l->rows[i].exec];

		list[2 * i] = (struct change){ l->rows[i].from, class, false };
		list[2 * i + 1] = (struct change){ l->rows[i].to, class, true };
	}
	qsort(list, 2 * l->n, sizeof(*list), by_time);
	for (size_t i = 0; i < 2 * l->n; i++) {
		working[list[i].class] += list[i].ends ? -1u : 1u;
		if (i + 1 < 2 * l->n && list[i + 1].at == list[i].at)
			continue;
		if (memcmp(working, told, sizeof(told)))
			fn(ctx, list[i].at, working);
		memcpy(told, working, sizeof(told));
	}
	free(list);
}
