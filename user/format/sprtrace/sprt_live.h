/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Which blocks are allocated at the moment, by the rules of sp-rtrace: a block
 * is known by its resource and its id; a reference counted one lives until as
 * many frees as allocations have come; an allocation of a block that is live
 * already replaces it, and the older one has leaked.
 */
#ifndef SPRT_LIVE_H
#define SPRT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"

struct sprt_block {
	uint64_t id;
	uint32_t resource;
	uint32_t refs;
	uint64_t amount;	/* bytes or units */
	/* The user's, not looked at: */
	uint64_t cookie;
	uint64_t time;
	const char *label;
	uint32_t kind;
};

/* All zero at first. */
struct sprt_live {
	struct map64 blocks;	/* struct sprt_block * */
};

/**
 * sprt_live_alloc - a block was allocated
 * @block: its id and resource, and what else the user wants back
 * @refcounted: of its resource
 *
 * Return: true if a block began; false if this is one more reference to a
 * live one.
 */
bool sprt_live_alloc(struct sprt_live *live, const struct sprt_block *block,
		     bool refcounted);

/**
 * sprt_live_release - a block was freed
 * @ended: set to the block if it ended
 *
 * Return: true if it ended; false if references are left or nobody knows it.
 */
bool sprt_live_release(struct sprt_live *live, uint32_t resource, uint64_t id,
		       bool refcounted, struct sprt_block *ended);

void sprt_live_free(struct sprt_live *live);

#endif
