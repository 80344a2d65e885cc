/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From the module's records (kernel/events.h) to events of the model: strings
 * that go on in further records are put together, by task, and events leave in
 * the order of time.  Records must come in the order of time for each task;
 * see rec_merge.h.
 *
 * Memory: the events behind one that is not whole.
 */
#ifndef ETRACE_REC_EVENTS_H
#define ETRACE_REC_EVENTS_H

#include "event/event.h"
#include "record/rec_tally.h"
#include "io/formats.h"
#include "record/module/rec_format.h"

struct rec_events;

/**
 * rec_events_new - nothing has come yet
 * @formats: outlives it
 * @sink: takes struct et_event; stays the caller's
 */
struct rec_events *rec_events_new(const struct rec_formats *formats,
				  struct sink *sink);
void rec_events_free(struct rec_events *e);

/**
 * rec_events_take - one record
 * @cpu: whose buffer it comes from
 * @r: from rec_open(), or NULL if it is none of etrace's
 *
 * Return: 0 or the sink's negative errno.
 */
int rec_events_take(struct rec_events *e, uint32_t cpu, const struct rec *r);

/** rec_events_end - nothing more will come: let everything out */
int rec_events_end(struct rec_events *e);

const struct rec_tally *rec_events_tally(const struct rec_events *e);

#endif
