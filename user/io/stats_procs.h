/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The processes of a trace for its summary: their names, and the number of events or messages of
 * each.
 */
#ifndef ETRACE_STATS_PROCS_H
#define ETRACE_STATS_PROCS_H

#include "base/buf.h"
#include "io/stats_out.h"

struct stats_proc {
	uint64_t id;
	uint64_t n;		/* events or messages */
	struct buf name;	/* its latest name in the trace */
};

/* Initialize with zeros; stats_procs_free() frees its memory. */
struct stats_procs {
	struct stats_proc *rows;
	size_t n, cap;
	struct map64 by_id;	/* index into rows */
};

/** stats_proc - find or add a process; valid until the next call */
struct stats_proc *stats_proc(struct stats_procs *p, uint64_t id);

/** stats_proc_name - give a process another name */
void stats_proc_name(struct stats_proc *p, const char *name, size_t len);

/** stats_procs_put - write the table of the first STATS_TOP by n; @cols: n, id, name */
void stats_procs_put(struct stats_procs *p, struct stats *st, const char *key,
		     const struct stats_col cols[3]);

void stats_procs_free(struct stats_procs *p);

#endif
