// SPDX-License-Identifier: GPL-2.0
/* The memory of what programs did with their descriptors.  See uses.h. */
#include <linux/slab.h>

#include "uses.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)

/**
 * etrace_uses_new - nothing was used yet
 * @files: the table of descriptors
 *
 * Return: it, with one reference; NULL without memory.
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
 * etrace_uses_free - nobody has it any more
 * @u: the memory, whose last reference has been given back
 *
 * Who looks for it in another task's slot does so under RCU.
 */
void etrace_uses_free(struct etrace_uses *u)
{
	call_rcu(&u->rcu, etrace_uses_free_rcu);
}

/**
 * etrace_uses_put - give a reference back; what is remembered may be lost
 * @u: the memory; NULL: does nothing
 */
void etrace_uses_put(struct etrace_uses *u)
{
	if (u && refcount_dec_and_test(&u->refs))
		etrace_uses_free(u);
}

/**
 * etrace_uses_make - memory for a descriptor
 * @u: the memory
 * @fd: any number
 *
 * Return: as etrace_uses_at(), NULL also without memory.
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
		/* Another thread may have come first. */
		if (cmpxchg(at, NULL, chunk))
			kfree(chunk);
	}
	return etrace_uses_at(u, fd);
}
