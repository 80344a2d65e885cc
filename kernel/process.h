/* SPDX-License-Identifier: GPL-2.0 */
/* State that the threads of a traced process share. */
#ifndef ETRACE_PROCESS_H
#define ETRACE_PROCESS_H

#include <linux/refcount.h>
#include <linux/types.h>

struct etrace_prints;

/**
 * struct etrace_process - state shared by the slots of a process's threads
 * @refs: number of slots that use it
 * @upid: upid of the first thread
 * @cost_emitted: 1 once the cost of the process has been recorded
 * @prints: output of the process, NULL if none
 * @rcu: for freeing
 */
struct etrace_process {
	refcount_t refs;
	u64 upid;
	unsigned long cost_emitted;
	struct etrace_prints *prints;
	struct rcu_head rcu;
};

struct etrace_process *etrace_process_get(struct etrace_process **of, u64 upid);
void etrace_process_put(struct etrace_process *p);
void etrace_process_alone(struct etrace_process **of, u64 upid);
struct etrace_prints *etrace_process_prints(struct etrace_process **of, u64 upid);

#endif /* ETRACE_PROCESS_H */
