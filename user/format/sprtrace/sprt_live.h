/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tracks which blocks are allocated, by the rules of sp-rtrace: a block is
 * identified by its resource and its id.  A reference-counted block lives until it
 * was freed as often as allocated.  For any other block, an allocation with the id
 * of a live block replaces that block, which has leaked.
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

/* All zero at first. */
struct sprt_live {
	struct map64 blocks;	/* struct sprt_block * */
};

/**
 * sprt_live_alloc - record an allocation
 * @block: its id and resource, and the fields that the caller wants back
 * @refcounted: whether blocks of its resource are reference-counted
 *
 * Return: true if a block began; false if this is one more reference to a
 * live one.
 */
bool sprt_live_alloc(struct sprt_live *live, const struct sprt_block *block,
		     bool refcounted);

/**
 * sprt_live_release - record a free
 * @ended: set to the block if it ended
 *
 * Return: true if it ended; false if references are left or the block is unknown.
 */
bool sprt_live_release(struct sprt_live *live, uint32_t resource, uint64_t id,
		       bool refcounted, struct sprt_block *ended);

void sprt_live_free(struct sprt_live *live);

#endif
