/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has written to descriptors 1 and 2: the last of it is kept. */
#ifndef ETRACE_PRINTED_H
#define ETRACE_PRINTED_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define ETRACE_PRINTED_FDS	2	/* descriptors 1 and 2 */
#define ETRACE_PRINTED_MAX	4096	/* bytes that are kept of each; a power of two */

/**
 * struct etrace_printed - what a process has written to one descriptor
 * @lock: guards all of it: threads may write at the same time
 * @bytes: all that was written, seen or not
 * @have: how many of the last of these are in @ring, which ends at @bytes
 * @unread: bytes that were to be kept could not be read
 * @ring: ETRACE_PRINTED_MAX bytes; NULL: there was no memory
 */
struct etrace_printed {
	raw_spinlock_t lock;
	u64 bytes;
	u32 have;
	bool unread;
	char *ring;
};

/**
 * struct etrace_prints - what a process has written, for one session
 * @of: by descriptor, from 1 on; NULL: nothing was written
 */
struct etrace_prints {
	struct etrace_printed *of[ETRACE_PRINTED_FDS];
};

extern unsigned int etrace_output_memory;	/* the parameter */

struct etrace_printed *etrace_printed_make(struct etrace_prints *prints, unsigned int fd);
void etrace_printed_skip(struct etrace_printed *p, u64 bytes, bool unread);
void etrace_printed_add(struct etrace_printed *p, unsigned long from, u64 bytes);
void etrace_printed_text(struct etrace_printed *p, char *to);
void etrace_prints_free(struct etrace_prints *prints);

#endif /* ETRACE_PRINTED_H */
