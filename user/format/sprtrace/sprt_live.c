// SPDX-License-Identifier: LGPL-2.1
/*
 * Keeps live blocks by a 64-bit hash of resource and id.  Collisions are too unlikely
 * to compare the two as well.  See sprt_live.h.
 */
#include "format/sprtrace/sprt_live.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"

bool sprt_live_alloc(struct sprt_live *live, const struct sprt_block *block,
		     bool refcounted)
{
	uint64_t key = hash_two(block->id, block->resource);
	struct sprt_block *b = map64_pointer(&live->blocks, key);

	if (b && refcounted) {
		b->refs++;
		return false;
	}
	if (!b) {
		b = xmalloc(sizeof(*b));
		map64_put(&live->blocks, key, (uintptr_t)b);
	}
	*b = *block;
	b->refs = 1;
	return true;
}

bool sprt_live_release(struct sprt_live *live, uint32_t resource, uint64_t id,
		       bool refcounted, struct sprt_block *ended)
{
	uint64_t key = hash_two(id, resource);
	struct sprt_block *b = map64_pointer(&live->blocks, key);

	if (!b || (refcounted && --b->refs))
		return false;
	*ended = *b;
	free(b);
	map64_remove(&live->blocks, key);
	return true;
}

void sprt_live_free(struct sprt_live *live)
{
	struct map64_slot *slot;

	for (size_t i = 0; (slot = map64_each(&live->blocks, &i));)
		free((struct sprt_block *)(uintptr_t)slot->value);
	map64_clear(&live->blocks);
}
