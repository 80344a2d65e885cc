// SPDX-License-Identifier: LGPL-2.1
/*
 * Keeps live blocks by a 64-bit hash of resource and id.  Collisions are too unlikely
 * to compare the two as well.  See sprt_live.h.
 */
#include "format/sprtrace/sprt_live.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"

int sprt_live_call(struct sprt_live *live, const struct sprt_call *call, bool refcounted,
		   struct sprt_block *block)
{
	uint64_t key = hash_two(call->id, call->resource);
	struct sprt_block *b = map64_pointer(&live->blocks, key);

	if (call->type == SPRT_CALL_ALLOC) {
		if (b && refcounted) {
			b->refs++;
			return 0;
		}
		if (!b)
			b = xmalloc(sizeof(*b));
		map64_put(&live->blocks, key, (uintptr_t)b);
		*b = *block;
		b->refs = 1;
		return 1;
	}
	if (call->type != SPRT_CALL_FREE || !b || (refcounted && --b->refs))
		return 0;
	*block = *b;
	free(b);
	map64_remove(&live->blocks, key);
	return -1;
}

void sprt_live_free(struct sprt_live *live)
{
	struct map64_slot *slot;

	for (size_t i = 0; (slot = map64_each(&live->blocks, &i));)
		free((struct sprt_block *)(uintptr_t)slot->value);
	map64_clear(&live->blocks);
}
