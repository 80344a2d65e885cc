// SPDX-License-Identifier: LGPL-2.1
/* Table of live blocks, open addressing with linear probing: sprt_live.h. */
#include "format/sprtrace/sprt_live.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"

static size_t home(const struct sprt_live *live, uint32_t resource,
		   uint64_t id)
{
	return hash_two(id, resource) & (live->nslots - 1);
}

static size_t find(const struct sprt_live *live, uint32_t resource,
		   uint64_t id)
{
	size_t i = home(live, resource, id);

	while (live->slots[i].refs && (live->slots[i].id != id ||
				       live->slots[i].resource != resource))
		i = (i + 1) & (live->nslots - 1);
	return i;
}

static void grow(struct sprt_live *live)
{
	struct sprt_live bigger = {
		.nslots = live->nslots ? live->nslots * 2 : 64,
		.used = live->used,
	};

	bigger.slots = xcalloc(bigger.nslots, sizeof(*bigger.slots));
	for (size_t i = 0; i < live->nslots; i++) {
		const struct sprt_block *b = &live->slots[i];

		if (b->refs)
			bigger.slots[find(&bigger, b->resource, b->id)] = *b;
	}
	free(live->slots);
	*live = bigger;
}

bool sprt_live_alloc(struct sprt_live *live, const struct sprt_block *block,
		     bool refcounted)
{
	struct sprt_block *b;

	if (live->used * 3 >= live->nslots * 2)
		grow(live);
	b = &live->slots[find(live, block->resource, block->id)];
	if (b->refs && refcounted) {
		b->refs++;
		return false;
	}
	if (!b->refs)
		live->used++;
	*b = *block;
	b->refs = 1;
	return true;
}

bool sprt_live_release(struct sprt_live *live, uint32_t resource, uint64_t id,
		       bool refcounted, struct sprt_block *ended)
{
	size_t hole, i, mask = live->nslots - 1;

	if (!live->nslots)
		return false;
	hole = find(live, resource, id);
	if (!live->slots[hole].refs)
		return false;
	if (refcounted && --live->slots[hole].refs)
		return false;
	*ended = live->slots[hole];
	live->slots[hole].refs = 0;
	live->used--;
	/* Move up what would not be found behind an empty slot. */
	for (i = (hole + 1) & mask; live->slots[i].refs; i = (i + 1) & mask) {
		size_t h = home(live, live->slots[i].resource,
				live->slots[i].id);

		if (((i - h) & mask) >= ((i - hole) & mask)) {
			live->slots[hole] = live->slots[i];
			live->slots[i].refs = 0;
			hole = i;
		}
	}
	return true;
}

void sprt_live_free(struct sprt_live *live)
{
	free(live->slots);
	*live = (struct sprt_live){ 0 };
}
