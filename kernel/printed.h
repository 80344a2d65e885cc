/* SPDX-License-Identifier: GPL-2.0 */
/* The last bytes that a process has written to descriptors 1 and 2. */
#ifndef ETRACE_PRINTED_H
#define ETRACE_PRINTED_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define ETRACE_PRINTED_FDS	2	/* descriptors 1 and 2 */
#define ETRACE_PRINTED_MAX	4096	/* bytes kept of each; a power of two */

/**
 * struct etrace_printed - output of a process to one descriptor
 * @lock: guards all fields: threads may write at the same time
 * @bytes: number of bytes written, whether seen or not
 * @have: number of bytes in @ring, the last ones before position @bytes
 * @unread: some bytes that should be kept could not be read
 * @ring: ETRACE_PRINTED_MAX bytes, NULL if there was no memory
 */
struct etrace_printed {
	raw_spinlock_t lock;
	u64 bytes;
	u32 have;
	bool unread;
	char *ring;
};

/**
 * struct etrace_prints - output of a process, for one session
 * @of: for each descriptor from 1 on, NULL if nothing was written
 * @emitted: 1 once it has been recorded
 */
struct etrace_prints {
	struct etrace_printed *of[ETRACE_PRINTED_FDS];
	unsigned long emitted;
};

extern unsigned int etrace_output_memory;	/* module parameter, MiB */

struct etrace_printed *etrace_printed_make(struct etrace_prints *prints, unsigned int fd);
void etrace_printed_skip(struct etrace_printed *p, u64 bytes, bool unread);
void etrace_printed_add(struct etrace_printed *p, unsigned long from, u64 bytes);
void etrace_printed_text(struct etrace_printed *p, char *to);
void etrace_prints_free(struct etrace_prints *prints);

#endif /* ETRACE_PRINTED_H */
