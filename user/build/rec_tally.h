/* SPDX-License-Identifier: LGPL-2.1 */
/* What came of a recording, whichever backend recorded it. */
#ifndef ETRACE_REC_TALLY_H
#define ETRACE_REC_TALLY_H

#include <stdint.h>

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

#endif
