// SPDX-License-Identifier: GPL-2.0
/* Keeping the last output of processes.  See printed.h. */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "printed.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)

/* Maximum output kept of all living processes together, in MiB. */
unsigned int etrace_output_memory = 64;
static atomic_long_t etrace_printed_rings = ATOMIC_LONG_INIT(0);

/* Probes cannot wait for memory. */
static char *etrace_ring_alloc(void)
{
	unsigned long most = READ_ONCE(etrace_output_memory) * (SZ_1M / ETRACE_PRINTED_MAX);
	char *ring = NULL;

	if (atomic_long_inc_return(&etrace_printed_rings) <= most)
		ring = kmalloc(ETRACE_PRINTED_MAX, ETRACE_GFP);
	if (!ring)
		atomic_long_dec(&etrace_printed_rings);
	return ring;
}

static void etrace_printed_free(struct etrace_printed *p)
{
	if (p && p->ring) {
		kfree(p->ring);
		atomic_long_dec(&etrace_printed_rings);
	}
	kfree(p);
}

/**
 * etrace_printed_make - get the output to a descriptor, allocated if needed
 * @prints: output of the current task's process
 * @fd: the descriptor, from 1 to ETRACE_PRINTED_FDS
 *
 * Return: the output, NULL if there is no memory.
 */
struct etrace_printed *etrace_printed_make(struct etrace_prints *prints, unsigned int fd)
{
	struct etrace_printed **at = &prints->of[fd - 1], *p = READ_ONCE(*at), *old;

	if (p)
		return p;
	p = kzalloc(sizeof(*p), ETRACE_GFP);
	if (!p)
		return NULL;
	raw_spin_lock_init(&p->lock);
	p->ring = etrace_ring_alloc();
	old = cmpxchg(at, NULL, p);
	if (old) {
		etrace_printed_free(p);
		p = old;
	}
	return p;
}

/**
 * etrace_printed_skip - count output whose bytes cannot be read
 * @p: output to the descriptor
 * @bytes: number of bytes
 * @unread: they should have been read
 *
 * Discards older output: only the end of the output is kept.
 */
void etrace_printed_skip(struct etrace_printed *p, u64 bytes, bool unread)
{
	raw_spin_lock(&p->lock);
	p->bytes += bytes;
	p->have = 0;
	p->unread |= unread;
	raw_spin_unlock(&p->lock);
}

/* Copies bytes into the ring, from @at on, wrapping at its end. */
static bool etrace_ring_copy(char *ring, u32 at, unsigned long from, u32 n)
{
	u32 first = min_t(u32, n, ETRACE_PRINTED_MAX - at);

	return !copy_from_user_nofault(ring + at, (const void __user *)from, first) &&
	       (n == first ||
		!copy_from_user_nofault(ring, (const void __user *)(from + first), n - first));
}

/**
 * etrace_printed_add - keep bytes that were written
 * @p: output to the descriptor
 * @from: user address of the bytes
 * @bytes: number of bytes; skipped if they cannot be read
 */
void etrace_printed_add(struct etrace_printed *p, unsigned long from, u64 bytes)
{
	u32 n = min_t(u64, bytes, ETRACE_PRINTED_MAX);
	bool good;

	raw_spin_lock(&p->lock);
	p->bytes += bytes;
	good = p->ring && etrace_ring_copy(p->ring, (p->bytes - n) % ETRACE_PRINTED_MAX,
					   from + (bytes - n), n);
	p->have = good ? min_t(u32, p->have + n, ETRACE_PRINTED_MAX) : 0;
	p->unread |= !good;
	/* Everything unread is older than the bytes that are kept. */
	if (p->have == ETRACE_PRINTED_MAX)
		p->unread = false;
	raw_spin_unlock(&p->lock);
}

/**
 * etrace_printed_text - copy the kept output in one piece
 * @p: output to a descriptor; no task writes to it any more
 * @to: room for @p->have bytes
 */
void etrace_printed_text(struct etrace_printed *p, char *to)
{
	u32 at = (p->bytes - p->have) % ETRACE_PRINTED_MAX;
	u32 first = min_t(u32, p->have, ETRACE_PRINTED_MAX - at);

	if (!p->have)
		return;
	memcpy(to, p->ring + at, first);
	memcpy(to + first, p->ring, p->have - first);
}

/**
 * etrace_prints_free - free the output of a process
 * @prints: the output; may be NULL
 */
void etrace_prints_free(struct etrace_prints *prints)
{
	unsigned int i;

	for (i = 0; prints && i < ETRACE_PRINTED_FDS; i++)
		etrace_printed_free(prints->of[i]);
	kfree(prints);
}
