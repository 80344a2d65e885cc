// SPDX-License-Identifier: LGPL-2.1
/* Merges the pages of all processors into one stream.  See rec_merge.h. */
#include "record/module/rec_merge.h"
#include "record/module/rec_page.h"
#include "base/xalloc.h"

#include <limits.h>
#include <stdlib.h>

struct lane {
	struct rec_page page;		/* the unread part of the first page */
	uint8_t **pages;		/* a ring of waiting pages */
	size_t cap, first, n;		/* size of @pages; index of the first one; their number */
	const void *data;		/* the next record, NULL if none */
	struct rec rec;			/* the next record, if @ours */
	bool ours;			/* it is a record of etrace */
	uint64_t time;			/* time of the next record, ns */
	uint64_t seen;			/* no record before this time will come, ns */
};

struct merge {
	unsigned int ncpus;
	size_t page;
	size_t limit, waiting, peak;	/* numbers of pages */
	uint8_t **spare;
	size_t nspare, spare_cap;
	const struct rec_formats *formats;
	struct rec_events *events;
	uint64_t missed;
	int err;
	struct lane lanes[];
};

struct merge *merge_new(unsigned int ncpus, size_t page, uint64_t limit,
			const struct rec_formats *formats, struct rec_events *events)
{
	struct merge *m = xcalloc(1, sizeof(*m) + ncpus * sizeof(struct lane));

	m->ncpus = ncpus;
	m->page = page;
	m->limit = (size_t)(limit / page);
	m->formats = formats;
	m->events = events;
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < m->ncpus; i++) {
		struct lane *l = &m->lanes[i];

		for (; l->n; l->n--)
			free(l->pages[l->first++ % l->cap]);
		free(l->pages);
	}
	while (m->nspare)
		free(m->spare[--m->nspare]);
	free(m->spare);
	free(m);
}

uint64_t merge_missed(const struct merge *m)
{
	return m->missed;
}

uint64_t merge_waiting(const struct merge *m)
{
	return (uint64_t)m->waiting * m->page;
}

uint64_t merge_peak(const struct merge *m)
{
	return (uint64_t)m->peak * m->page;
}

/* Double the size of the ring. */
static void widen_lane(struct lane *l)
{
	size_t cap = l->cap ? 2 * l->cap : MERGE_PAGES;
	uint8_t **pages = xcalloc(cap, sizeof(*pages));

	for (size_t i = 0; i < l->n; i++)
		pages[i] = l->pages[(l->first + i) % l->cap];
	free(l->pages);
	l->pages = pages;
	l->cap = cap;
	l->first = 0;
}

void *merge_room(struct merge *m, unsigned int cpu)
{
	struct lane *l = &m->lanes[cpu];

	if (l->n >= MERGE_PAGES && m->waiting >= m->limit)
		return NULL;
	if (!m->nspare) {
		m->spare = xgrow(m->spare, &m->spare_cap, 1, sizeof(*m->spare));
		m->spare[m->nspare++] = xmalloc(m->page);
	}
	return m->spare[m->nspare - 1];
}

/* Remove the first page of a lane, whose records have been passed on. */
static void drop_page(struct merge *m, struct lane *l)
{
	uint8_t *page = l->pages[l->first];

	l->pages[l->first] = NULL;
	l->first = (l->first + 1) % l->cap;
	l->n--;
	m->waiting--;
	/* free memory that a burst of pages needed */
	if (m->nspare >= (size_t)MERGE_PAGES * m->ncpus) {
		free(page);
		return;
	}
	m->spare = xgrow(m->spare, &m->spare_cap, m->nspare + 1, sizeof(*m->spare));
	m->spare[m->nspare++] = page;
}

/* Go to the next record of the first page. Return: whether there is one. */
static inline bool next_record(struct merge *m, struct lane *l)
{
	uint32_t size;

	l->data = rec_page_next(&l->page, &size);
	if (!l->data)
		return false;
	l->ours = rec_open(m->formats, &l->rec, l->data, size);
	/* a record that is not from etrace gets the time of the record before it */
	if (l->ours)
		l->time = (uint64_t)rec_num(&l->rec, REC_F_time);
	return true;
}

/* Go to the first record of the next page that has one. */
static void load_lane(struct merge *m, struct lane *l)
{
	bool missed;

	l->data = NULL;
	while (l->n && !l->data) {
		rec_page_begin(&l->page, l->pages[l->first], m->page, &missed);
		m->missed += missed;
		if (!next_record(m, l))
			drop_page(m, l);
	}
}

static void advance_lane(struct merge *m, struct lane *l)
{
	l->seen = l->time > l->seen ? l->time : l->seen;
	if (next_record(m, l))
		return;
	drop_page(m, l);
	load_lane(m, l);
}

void merge_page(struct merge *m, unsigned int cpu)
{
	struct lane *l = &m->lanes[cpu];

	if (l->n == l->cap)
		widen_lane(l);
	l->pages[(l->first + l->n++) % l->cap] = m->spare[--m->nspare];
	if (++m->waiting > m->peak)
		m->peak = m->waiting;
	if (!l->data)
		load_lane(m, l);
}

void merge_seen(struct merge *m, unsigned int cpu, uint64_t time)
{
	if (m->lanes[cpu].seen < time)
		m->lanes[cpu].seen = time;
}

bool merge_run(struct merge *m, unsigned int max)
{
	while (max) {
		struct lane *first = NULL;
		uint64_t stop = UINT64_MAX;	/* pass on records of @first up to this time */

		for (unsigned int i = 0; i < m->ncpus; i++) {
			struct lane *l = &m->lanes[i];

			if (!l->data) {
				stop = l->seen < stop ? l->seen : stop;
			} else if (!first) {
				first = l;
			} else if (l->time < first->time) {
				stop = first->time < stop ? first->time : stop;
				first = l;
			} else {
				stop = l->time < stop ? l->time : stop;
			}
		}
		if (!first || first->time > stop)
			return false;
		do {
			int err = rec_events_take(m->events, (uint32_t)(first - m->lanes),
						  first->ours ? &first->rec : NULL);

			if (!m->err)
				m->err = err;
			advance_lane(m, first);
		} while (--max && first->data && first->time <= stop);
	}
	return true;
}

int merge_end(struct merge *m)
{
	int err;

	for (unsigned int i = 0; i < m->ncpus; i++)
		m->lanes[i].seen = UINT64_MAX;
	while (merge_run(m, UINT_MAX))
		;
	err = rec_events_end(m->events);
	if (!m->err)
		m->err = err;
	return m->err;
}
