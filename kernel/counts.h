/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of recorded and lost records, one set for each CPU. */
#ifndef ETRACE_COUNTS_H
#define ETRACE_COUNTS_H

#include <linux/percpu.h>

#include "etrace.h"

/* The counters; see counts.c. */
#define ETRACE_COUNTERS(X)		\
	X(records)			\
	X(lost_records)			\
	X(lost_disabled)		\
	X(lost_tasks)			\
	X(lost_fds)			\
	X(rings_unseen)			\
	X(strings_joined)		\
	X(strings_unread)		\
	X(strings_cut)			\
	X(strings_untold)

enum etrace_counter {
#define X(name)	ETRACE_CNT_##name,
	ETRACE_COUNTERS(X)
#undef X
	ETRACE_NR_CNT,
};

/**
 * struct etrace_counts - counters of one processor
 * @n: the counters
 * @full: only for a session: records that its buffer on this CPU had dropped when last checked
 */
struct etrace_counts {
	u64 n[ETRACE_NR_CNT];
	unsigned long full;
};

DECLARE_PER_CPU(struct etrace_counts, etrace_counts);

/* Adds to a session's counter, and to the sum of all sessions. */
#define etrace_count(session, name, add)				\
	do {								\
		this_cpu_add(etrace_counts.n[ETRACE_CNT_##name], add);	\
		this_cpu_add((session)->counts->n[ETRACE_CNT_##name], add); \
	} while (0)

u64 etrace_counts_sum(struct etrace_counts __percpu *counts,
		      enum etrace_counter i);

#endif /* ETRACE_COUNTS_H */
