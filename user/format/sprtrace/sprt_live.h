/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tracks which blocks are allocated, by the rules of sp-rtrace: a block is
 * identified by its resource and its id.  A reference-counted block lives until it
 * has been freed as often as it was allocated.  Any other block is replaced, and has
 * leaked, if its id is allocated again while it is live.
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
	/* For the caller, not used here: */
	uint64_t cookie;
	uint64_t time;
	const char *label;
	uint32_t kind;
};

/* Initialize with zeros. */
struct sprt_live {
	struct map64 blocks;	/* struct sprt_block * */
};

/**
 * sprt_live_alloc - record an allocation
 * @block: its id and resource, and the fields that the caller wants back
 * @refcounted: whether blocks of its resource are reference-counted
 *
 * Return: true if the block is new; false if this is one more reference to a
 * live block.
 */
bool sprt_live_alloc(struct sprt_live *live, const struct sprt_block *block,
		     bool refcounted);

/**
 * sprt_live_release - record a free
 * @ended: set to the block if this was its last reference
 *
 * Return: true if the block ended; false if references are left or the block is unknown.
 */
bool sprt_live_release(struct sprt_live *live, uint32_t resource, uint64_t id,
		       bool refcounted, struct sprt_block *ended);

void sprt_live_free(struct sprt_live *live);

#endif
