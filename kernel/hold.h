/* SPDX-License-Identifier: GPL-2.0 */
/* Data that a hook keeps until the end of the system call in progress. */
#ifndef ETRACE_HOLD_H
#define ETRACE_HOLD_H

#include "etrace.h"

struct etrace_work;

/**
 * struct etrace_hold - names that the kernel resolved in the middle of a call
 * @hook: the hook that left it
 * @outside: bits as in etrace_rec.outside
 * @first: the first descriptor of @fds
 * @nr_fds: number of bits in @fds
 * @fds: bitmap of the descriptors that close_range or execve is about to close;
 *	allocated
 * @fds_lost: there are such descriptors, but there was no memory for @fds
 * @str: the names, each allocated; NULL if none
 * @work: work item for the return to user space, NULL if none
 */
struct etrace_hold {
	u8 hook;
	u8 outside;
	bool fds_lost;
	u32 first;
	u32 nr_fds;
	unsigned long *fds;
	struct etrace_str str[ETRACE_NR_STR];
	struct etrace_work *work;
};

struct etrace_hold *etrace_hold_new(struct etrace_hold **at, u8 hook);
void etrace_hold_keep(struct etrace_hold **at, u8 hook, const struct etrace_rec *r, int nr);
void etrace_hold_drop(struct etrace_hold **at);
void etrace_hold_free(struct etrace_hold *hold);
void etrace_hold_give(struct etrace_work *l, struct etrace_hold *hold);

#endif /* ETRACE_HOLD_H */
