// SPDX-License-Identifier: GPL-2.0
/* Allocating the uses of descriptors.  See uses.h. */
#include <linux/slab.h>

#include "uses.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)

/**
 * etrace_uses_new - allocate empty uses for a descriptor table
 * @files: the table of descriptors
 *
 * Return: the uses, with one reference; NULL if there is no memory.
 */
struct etrace_uses *etrace_uses_new(struct files_struct *files)
{
	struct etrace_uses *u = kzalloc(sizeof(*u), ETRACE_GFP);

	if (!u)
		return NULL;
	refcount_set(&u->refs, 1);
	u->files = files;
	return u;
}

static void etrace_uses_free_rcu(struct rcu_head *rcu)
{
	struct etrace_uses *u = container_of(rcu, struct etrace_uses, rcu);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(u->chunk); i++)
		kfree(u->chunk[i]);
	kfree(u);
}

/**
 * etrace_uses_free - free the uses of a descriptor table
 * @u: the uses, whose last reference has been dropped
 *
 * Freed after an RCU grace period, since other tasks may be looking at them.
 */
void etrace_uses_free(struct etrace_uses *u)
{
	call_rcu(&u->rcu, etrace_uses_free_rcu);
}

/**
 * etrace_uses_put - drop a reference; unrecorded uses may be lost
 * @u: the uses; NULL does nothing
 */
void etrace_uses_put(struct etrace_uses *u)
{
	if (u && refcount_dec_and_test(&u->refs))
		etrace_uses_free(u);
}

/**
 * etrace_uses_make - get the uses of a descriptor, allocated if needed
 * @u: the uses of its table
 * @fd: any number
 *
 * Return: the descriptor's uses; NULL if its number is too high or there is no memory.
 */
struct etrace_use *etrace_uses_make(struct etrace_uses *u, unsigned int fd)
{
	struct etrace_use *chunk, **at;

	if (fd >= ETRACE_USES_MAX)
		return NULL;
	at = &u->chunk[fd / ETRACE_USES_CHUNK];
	if (!READ_ONCE(*at)) {
		chunk = kcalloc(ETRACE_USES_CHUNK, sizeof(*chunk), ETRACE_GFP);
		if (!chunk)
			return NULL;
		/* Another thread may have allocated it first. */
		if (cmpxchg(at, NULL, chunk))
			kfree(chunk);
	}
	return etrace_uses_at(u, fd);
}
