/* SPDX-License-Identifier: GPL-2.0 */
/* What a hook leaves for the end of the system call in progress. */
#ifndef ETRACE_HOLD_H
#define ETRACE_HOLD_H

#include "etrace.h"

struct etrace_work;

/**
 * struct etrace_hold - names that the kernel resolved in the middle of a call
 * @hook: which hook left it
 * @outside: as etrace_rec.outside
 * @first: the first descriptor of @fds
 * @nr_fds: bits in @fds
 * @fds: the descriptors that close_range or execve is about to close, a bitmap;
 *	kfree
 * @fds_lost: there are some, but no memory for @fds
 * @str: the names; each is allocated, NULL where there is none
 * @work: for what is still to be found out; NULL: nothing
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
