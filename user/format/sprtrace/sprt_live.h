/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tracks which blocks are allocated, by the rules of sp-rtrace: a block is
 * identified by its resource and its id.  A reference-counted block lives until it
 * has been freed as often as it was allocated.  Any other block is replaced, and has
 * leaked, if its id is allocated again while it is live.
 */
#ifndef SPRT_LIVE_H
#define SPRT_LIVE_H

#include "base/map64.h"
#include "format/sprtrace/sprt_model.h"

struct sprt_block {
	uint32_t refs;
	/* For the caller, not used here: */
	uint32_t kind;
	uint64_t amount;	/* bytes or units */
	uint64_t cookie;
	uint64_t time;
	const char *label;
};

/* Initialize with zeros. */
struct sprt_live {
	struct map64 blocks;	/* struct sprt_block * */
};

/**
 * sprt_live_call - record a call
 * @refcounted: whether blocks of its resource are reference-counted
 * @block: the fields that the caller wants back; set to them if the block ended
 *
 * Return: 1 if the call allocated a new block; -1 if it freed the last reference to a block;
 * 0 if it did neither: blocks can have several references, be unknown, or no block is concerned.
 */
int sprt_live_call(struct sprt_live *live, const struct sprt_call *call, bool refcounted,
		   struct sprt_block *block);

void sprt_live_free(struct sprt_live *live);

#endif
