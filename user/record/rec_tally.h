/* SPDX-License-Identifier: LGPL-2.1 */
/* Counts of what a recording has received, from any backend. */
#ifndef ETRACE_REC_TALLY_H
#define ETRACE_REC_TALLY_H

#include <stdint.h>

/* Counts so far.  For what the events say about tasks see record/notable.h. */
struct rec_tally {
	uint64_t records;	/* records of etrace, of all kinds */
	uint64_t foreign;	/* other records in the same buffer */
	uint64_t events;	/* events passed to the sink */
	uint64_t incomplete;	/* number of @events that are incomplete */
	uint64_t late;		/* number of @events that were out of time order */
	uint64_t last_time;	/* time of the latest record, ns */
};

#endif
