/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The items of MODEL_SWAP, passed from the SWAP source to the SWAP sinks.  For the
 * protocol's messages and fields see swap_layout.h and swap_walk.h.
 */
#ifndef ETRACE_SWAP_MODEL_H
#define ETRACE_SWAP_MODEL_H

#include "format/swap/swap_frame.h"

enum swap_item_kind {
	SWAP_ITEM_MESSAGE,	/* a message, of a known or unknown kind */
	SWAP_ITEM_LOST,		/* missing messages */
};

/* A message or a gap; items come in order of sequence number. */
struct swap_item {
	enum swap_item_kind kind;
	/* For SWAP_ITEM_LOST the one after the gap, for its time and offset. */
	const struct swap_message *message;
	uint32_t lost;		/* number of missing messages, 0 for SWAP_ITEM_MESSAGE */
	uint32_t first;		/* sequence number of the first missing message */
	/*
	 * Name of a probe message's function from --swap-api-map, NULL if none; valid as
	 * long as the source.
	 */
	const char *api;
};

/* Time of a message: nanoseconds of wall clock since 1970, below 2^63. */
static inline uint64_t swap_time(const struct swap_message *m)
{
	return m->header.sec * 1000000000ull +
	       (m->header.nsec < 1000000000u ? m->header.nsec : 0);
}

#endif
