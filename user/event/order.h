/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A queue in time order, for events that are made from lines, from the module's records
 * or from BPF records. They arrive almost in order, so a new one goes at the end or
 * near it.
 */
#ifndef ETRACE_ORDER_H
#define ETRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_row {
	uint64_t time;		/* ns */
	uint64_t arrival;	/* at equal times, the first to arrive is first */
	void *what;		/* the owner's */
};

/* Initialize with zeros; order_free() frees its memory. */
struct order {
	struct order_row *rows;	/* the rows begin at @first */
	size_t first, n, cap;
	uint64_t arrivals;	/* numbers assigned so far */
};

void order_free(struct order *o);

/** order_arrives - number the next arrival */
static inline uint64_t order_arrives(struct order *o)
{
	return o->arrivals++;
}

/* Slow path of order_put(), if the row is not the last, or there is no room at the end. */
void order_insert(struct order *o, struct order_row row);

/* Whether @x comes before @y. */
static inline bool order_before(const struct order_row *x, const struct order_row *y)
{
	return x->time != y->time ? x->time < y->time : x->arrival < y->arrival;
}

/**
 * order_put - add a row to the queue
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

/** order_first - the next row's @what, which stays in the queue; NULL if the queue is empty */
static inline void *order_first(const struct order *o)
{
	return o->n ? o->rows[o->first].what : NULL;
}

/** order_first_time - the time of the next row; the queue must not be empty */
static inline uint64_t order_first_time(const struct order *o)
{
	return o->rows[o->first].time;
}

/** order_take - remove the next row and return its @what; the queue must not be empty */
static inline void *order_take(struct order *o)
{
	void *what = o->rows[o->first++].what;

	if (!--o->n)
		o->first = 0;
	return what;
}

#endif
