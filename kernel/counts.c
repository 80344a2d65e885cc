// SPDX-License-Identifier: GPL-2.0
/* Counters of recorded and lost records.  See counts.h. */
#include "counts.h"

/*
 * records		written to the ring buffer
 * lost_records		refused by the buffer: full and not overwriting
 * lost_disabled	not written because their event is disabled, the buffer
 *			is switched off (tracing_on), or a filter keeps them out
 * lost_tasks		tasks that could not be traced: no memory, or the session's
 *			owner may not see them
 * lost_fds		calls whose descriptors are not all known: close_range,
 *			recvmsg, io_submit
 * rings_unseen		io_uring operations of recorded kinds that could not be seen
 * strings_joined	user's string joined to a directory's path, where the
 *			kernel did not show the name that it resolved
 * strings_unread	could not be read from the program's memory
 * strings_cut		paths longer than there is room for
 * strings_untold	targets of symbolic links whose existence is unknown without
 *			asking a file system; not a loss
 */
DEFINE_PER_CPU(struct etrace_counts, etrace_counts);

/**
 * etrace_counts_sum - sum a counter over all CPUs
 * @counts: the counters
 * @i: the counter
 */
u64 etrace_counts_sum(struct etrace_counts __percpu *counts,
		      enum etrace_counter i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(counts, cpu)->n[i]);
	return sum;
}
