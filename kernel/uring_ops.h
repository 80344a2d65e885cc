/* SPDX-License-Identifier: GPL-2.0 */
/* The operations of io_uring that are recorded, each as the system call that it stands for. */
#ifndef ETRACE_URING_OPS_H
#define ETRACE_URING_OPS_H

#include <linux/types.h>

#include "compat.h"

#if ETRACE_RINGS
#include <linux/kprobes.h>

struct etrace_call;
struct etrace_task;
struct io_kiocb;

#define ETRACE_NR_RING_OPS	15

/**
 * struct etrace_ring_op - an operation of io_uring
 * @symbol: the kernel function that performs it
 * @nr: number of the system call that it stands for
 * @begin: fills in the arguments; returns false if it is not recorded
 * @done: records it
 * @probe: return probe at the function
 * @live: @probe is registered
 */
struct etrace_ring_op {
	const char *symbol;
	int nr;
	bool (*begin)(struct etrace_task *t, const void *cmd, unsigned long *args);
	void (*done)(struct etrace_call *c);
	struct kretprobe probe;
	bool live;
};

extern struct etrace_ring_op etrace_ring_ops[ETRACE_NR_RING_OPS];

bool etrace_ring_is_direct(const struct io_kiocb *req, unsigned int number);
#else
static inline bool etrace_ring_is_direct(const void *req, unsigned int number)
{
	return false;
}
#endif

#endif /* ETRACE_URING_OPS_H */
