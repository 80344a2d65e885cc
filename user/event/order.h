/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What waits for its turn, in the order of time: events that are made of lines,
 * of the module's records or of those of BPF.  They come nearly in order, so
 * that the place of a new one is at the end or near it.
 */
#ifndef ETRACE_ORDER_H
#define ETRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_row {
	uint64_t time;		/* ns */
	uint64_t arrival;	/* of equal times, the first that came is first */
	void *what;		/* the owner's */
};

/* Begins with all 0; order_free() ends it. */
struct order {
	struct order_row *rows;	/* from @first on */
	size_t first, n, cap;
	uint64_t arrivals;	/* given so far */
};

void order_free(struct order *o);

/** order_arrives - the number of what comes now */
static inline uint64_t order_arrives(struct order *o)
{
	return o->arrivals++;
}

/* order_put() of what is not the last, or has no room there. */
void order_insert(struct order *o, struct order_row row);

/* Whether one comes before the other. */
static inline bool order_before(const struct order_row *x, const struct order_row *y)
{
	return x->time != y->time ? x->time < y->time : x->arrival < y->arrival;
}

/**
 * order_put - what waits from now on
 * @arrival: from order_arrives(), perhaps long ago
 */
static inline void order_put(struct order *o, uint64_t time, uint64_t arrival, void *what)
{
	struct order_row row = { time, arrival, what };
	size_t end = o->first + o->n;

	if (end == o->cap || (o->n && !order_before(&o->rows[end - 1], &row))) {
		order_insert(o, row);
		return;
	}
	o->rows[end] = row;
	o->n++;
}

/** order_first - the next one, which stays; NULL if nothing waits */
static inline void *order_first(const struct order *o)
{
	return o->n ? o->rows[o->first].what : NULL;
}

/** order_first_time - its time; something waits */
static inline uint64_t order_first_time(const struct order *o)
{
	return o->rows[o->first].time;
}

/** order_take - what comes next, which waits no longer; something waits */
static inline void *order_take(struct order *o)
{
	void *what = o->rows[o->first++].what;

	if (!--o->n)
		o->first = 0;
	return what;
}

#endif
