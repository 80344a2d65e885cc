/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Turns the module's records (kernel/events.h) into events of the model: joins strings
 * that continue in further records of a task, and emits events in time order. The
 * records of each task must come in time order; see rec_merge.h.
 *
 * Memory: the events that wait for an incomplete one.
 */
#ifndef ETRACE_REC_EVENTS_H
#define ETRACE_REC_EVENTS_H

#include "event/event.h"
#include "record/rec_tally.h"
#include "io/formats.h"
#include "record/module/rec_format.h"

struct rec_events;

/**
 * rec_events_new - start joining records to events; the module's records follow with
 *	rec_events_take()
 * @formats: must stay valid until rec_events_free()
 * @sink: gets each struct et_event; the caller frees it
 */
struct rec_events *rec_events_new(const struct rec_formats *formats,
				  struct sink *sink);
void rec_events_free(struct rec_events *e);

/**
 * rec_events_take - take one record
 * @cpu: the CPU whose buffer it comes from
 * @r: from rec_open(), NULL if it is not a record of etrace
 *
 * Return: 0 or the sink's negative errno.
 */
int rec_events_take(struct rec_events *e, uint32_t cpu, const struct rec *r);

/** rec_events_end - emit all waiting events, since no more records will come */
int rec_events_end(struct rec_events *e);

const struct rec_tally *rec_events_tally(const struct rec_events *e);

#endif
