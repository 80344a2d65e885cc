// SPDX-License-Identifier: LGPL-2.1
/* Packs slices of work into lanes.  See lanes.h. */
#include "timeline/lanes.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- lanes of slices ---- */

/* A heap of lanes, smallest key first. */
struct heap {
	struct place {
		int64_t key;
		uint32_t lane;
	} *rows;
	size_t n, cap;
};

static void heap_put(struct heap *h, int64_t key, uint32_t lane)
{
	size_t i = h->n++;

	h->rows = xgrow(h->rows, &h->cap, h->n, sizeof(*h->rows));
	for (; i && h->rows[(i - 1) / 2].key > key; i = (i - 1) / 2)
		h->rows[i] = h->rows[(i - 1) / 2];
	h->rows[i] = (struct place){ key, lane };
}

static uint32_t heap_take(struct heap *h)
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
	struct heap busy;	/* keyed by the time when they become free */
	struct heap free;	/* keyed by number; also contains some that are no longer free */
	bool *is_free;
	size_t cap;
};

static uint32_t find_lane(struct packing *p, struct lanes *l, uint32_t wanted)
{
	uint32_t lane;

	if (wanted && p->is_free[wanted - 1])
		return wanted - 1;
	while (p->free.n) {
		lane = heap_take(&p->free);
		if (p->is_free[lane])
			return lane;
	}
	p->is_free = xgrow(p->is_free, &p->cap, l->count + 1, sizeof(*p->is_free));
	return l->count++;
}

static void pack_lanes(const struct timeline *t, struct lanes *l)
{
	/* by job: 1 + its last lane, 0 if none */
	uint32_t *last = xcalloc(t->nprocesses + 1, sizeof(*last));
	struct packing p = { 0 };

	p.is_free = xgrow(NULL, &p.cap, 1, sizeof(*p.is_free));
	for (size_t i = 0; i < l->n; i++) {
		struct timeline_slice *s = &l->rows[i];
		uint32_t process = t->execs[s->exec].process, job = t->processes[process].job;

		while (p.busy.n && p.busy.rows[0].key <= s->from) {
			uint32_t lane = heap_take(&p.busy);

			p.is_free[lane] = true;
			heap_put(&p.free, lane, lane);
		}
		job = job ? job : process;
		s->lane = find_lane(&p, l, last[job]);
		p.is_free[s->lane] = false;
		heap_put(&p.busy, s->to, s->lane);
		last[job] = s->lane + 1;
	}
	free(p.busy.rows);
	free(p.free.rows);
	free(p.is_free);
	free(last);
}

void lanes_find(const struct timeline *t, struct lanes *l)
{
	*l = (struct lanes){ .rows = t->slices, .n = t->nslices };
	pack_lanes(t, l);
}

/* ---- programs of each class ---- */

struct counting {
	uint32_t working[WORK_CLASSES], reported[WORK_CLASSES];
	void (*fn)(void *ctx, int64_t at, const uint32_t *working);
	void *ctx;
	int64_t at;
};

/* All changes at one time are reported together. */
static void change_count(struct counting *c, int64_t at, uint8_t class, uint32_t by)
{
	if (at != c->at && memcmp(c->working, c->reported, sizeof(c->reported))) {
		c->fn(c->ctx, c->at, c->working);
		memcpy(c->reported, c->working, sizeof(c->reported));
	}
	c->at = at;
	c->working[class] += by;
}

void lanes_steps(const struct lanes *l, const uint8_t *classes,
		 void (*fn)(void *ctx, int64_t at, const uint32_t *working), void *ctx)
{
	struct counting c = { .fn = fn, .ctx = ctx, .at = -1 };
	struct heap busy = { 0 };	/* classes by their ends */

	for (size_t i = 0; i <= l->n; i++) {
		while (busy.n && (i == l->n || busy.rows[0].key <= l->rows[i].from)) {
			int64_t at = busy.rows[0].key;

			change_count(&c, at, (uint8_t)heap_take(&busy), -1u);
		}
		if (i == l->n)
			break;
		change_count(&c, l->rows[i].from, classes[l->rows[i].exec], 1);
		heap_put(&busy, l->rows[i].to, classes[l->rows[i].exec]);
	}
	/* report the last change, which nothing follows */
	change_count(&c, INT64_MAX, 0, 0);
	free(busy.rows);
}
