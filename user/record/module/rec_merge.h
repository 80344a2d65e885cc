/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Merges the ring buffer pages of all CPUs into one stream of records in time order. A record is
 * passed on when no CPU can deliver an earlier one any more: each has a later record waiting, or
 * its buffer was empty at a later time.
 *
 * Pages that arrive faster than their records are passed on wait in memory, up to a limit.
 */
#ifndef ETRACE_REC_MERGE_H
#define ETRACE_REC_MERGE_H

#include "record/module/rec_events.h"

/* Pages of each processor that may always wait: with fewer, merging could get stuck. */
#define MERGE_PAGES 64u

struct merge;

/**
 * merge_new - start merging
 * @ncpus: number of processors, which are numbered from 0
 * @page: size of a page of the ring buffer in bytes
 * @limit: upper limit of all waiting pages in bytes
 * @formats, @events: must stay valid until merge_free()
 */
struct merge *merge_new(unsigned int ncpus, size_t page, uint64_t limit,
			const struct rec_formats *formats, struct rec_events *events);
void merge_free(struct merge *m);

/** merge_room - get memory for the next page of a processor, NULL if the limit is reached */
void *merge_room(struct merge *m, unsigned int cpu);

/** merge_page - add the page that the caller has read into merge_room() */
void merge_page(struct merge *m, unsigned int cpu);

/**
 * merge_seen - note that all records of a processor up to a time have been added
 * @time: CLOCK_MONOTONIC, ns
 */
void merge_seen(struct merge *m, unsigned int cpu, uint64_t time);

/**
 * merge_run - pass on the records that can be passed on
 * @max: maximum number of records, for callers that have other work, too
 *
 * Return: true if it stopped because of @max.
 */
bool merge_run(struct merge *m, unsigned int max);

/**
 * merge_end - pass on all records, since no more pages will come
 *
 * Return: 0, or the first negative errno of the sink.
 */
int merge_end(struct merge *m);

/** merge_waiting - bytes of waiting pages; merge_peak - their maximum so far */
uint64_t merge_waiting(const struct merge *m);
uint64_t merge_peak(const struct merge *m);

/** merge_missed - number of pages that report missing records before them */
uint64_t merge_missed(const struct merge *m);

#endif
