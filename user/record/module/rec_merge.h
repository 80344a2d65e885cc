/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The ring buffer's pages of all processors into one stream of records in the
 * order of time.  A record is passed on when no processor can still bring an
 * earlier one: each has a younger one at hand, or was seen empty later.
 *
 * What comes faster than it is passed on waits here, up to a limit.
 */
#ifndef ETRACE_REC_MERGE_H
#define ETRACE_REC_MERGE_H

#include "record/module/rec_events.h"

/* So many pages of each processor may always wait, or it could not go on. */
#define MERGE_PAGES 64u

struct merge;

/**
 * merge_new - nothing has come yet
 * @ncpus: processors, counted from 0
 * @page: bytes of a page of the ring buffer
 * @limit: bytes of pages that may wait in all
 * @formats, @events: outlive it
 */
struct merge *merge_new(unsigned int ncpus, size_t page, uint64_t limit,
			const struct rec_formats *formats, struct rec_events *events);
void merge_free(struct merge *m);

/** merge_room - where to put the next page of a processor; NULL: no room */
void *merge_room(struct merge *m, unsigned int cpu);

/** merge_page - there is a page in the room that merge_room() gave */
void merge_page(struct merge *m, unsigned int cpu);

/**
 * merge_seen - all records of a processor up to a time have been given
 * @time: CLOCK_MONOTONIC, ns
 */
void merge_seen(struct merge *m, unsigned int cpu, uint64_t time);

/**
 * merge_run - pass on what can be
 * @max: so many records at most, for a caller with other things to do
 *
 * Return: whether that was the reason to stop.
 */
bool merge_run(struct merge *m, unsigned int max);

/**
 * merge_end - nothing more will come: pass on all
 *
 * Return: 0, or the first negative errno that the sink gave.
 */
int merge_end(struct merge *m);

/** merge_waiting - bytes of pages that wait now; merge_peak - that did at most */
uint64_t merge_waiting(const struct merge *m);
uint64_t merge_peak(const struct merge *m);

/** merge_missed - how often the pages say that records before them are missing */
uint64_t merge_missed(const struct merge *m);

#endif
