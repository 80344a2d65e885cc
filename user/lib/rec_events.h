/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the module's records (kernel/events.h) to events of the model: strings
 * that go on in further records are put together, by task, and events leave in
 * the order of time.  Records must come in the order of time for each task;
 * see rec_merge.h.
 *
 * Memory: the live tasks' names and the events behind one that is not whole.
 */
#ifndef ETRACE_REC_EVENTS_H
#define ETRACE_REC_EVENTS_H

#include "event.h"
#include "formats.h"
#include "rec_format.h"

/* Losses that a trace tells in full; further ones are only counted. */
#define REC_LOSSES_MAX	16u

/* Records of a task that did not reach the ring buffer. */
struct rec_loss {
	uint64_t upid;
	uint64_t since;		/* time of the first of them, ns */
	uint64_t until;		/* time at which the task said so, ns */
	uint64_t count;
	char program[32];	/* base name of what it ran, "" if not known */
};

/* What has come so far. */
struct rec_tally {
	uint64_t records;	/* of etrace, of all kinds */
	uint64_t foreign;	/* others in the same buffer */
	uint64_t events;	/* handed to the sink */
	uint64_t incomplete;	/* of them, events that are not whole */
	uint64_t late;		/* of them, not in the order of time */
	uint64_t processes;	/* that were seen, not counting threads */
	uint64_t processes_now;	/* of them, alive */
	uint64_t lost;		/* records that tasks said they lost */
	uint64_t nlosses;	/* how often they said so */
	struct rec_loss losses[REC_LOSSES_MAX];
	uint64_t last_time;	/* of the latest record, ns */
};

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
 * @data, @size: its bytes; may be anything
 *
 * Return: 0 or the sink's negative errno.
 */
int rec_events_take(struct rec_events *e, uint32_t cpu, const void *data,
		    uint32_t size);

/** rec_events_end - nothing more will come: let everything out */
int rec_events_end(struct rec_events *e);

/** rec_events_present - a task that was there before tracing began
 * @program: base name of what it runs, bytes
 * @process: it is a process, not one of its threads
 */
void rec_events_present(struct rec_events *e, uint64_t upid, const char *program,
			bool process);

const struct rec_tally *rec_events_tally(const struct rec_events *e);

#endif
