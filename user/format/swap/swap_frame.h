/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The items of MODEL_SWAP, passed from the SWAP source to the SWAP sinks, and the reader
 * that splits a byte stream into messages and finds the next message after damage.  For
 * the protocol's messages and fields see swap_layout.h and swap_walk.h.
 *
 * Implements section 1 of the SWAP data protocol (Documentation/swap.md): 20-byte
 * headers and payloads, back to back, without synchronisation marks.  After damage,
 * a header is recognised by its values, which must be possible, and by a sequence
 * number and time close to those of its neighbours.
 */
#ifndef ETRACE_SWAP_FRAME_H
#define ETRACE_SWAP_FRAME_H

#include "format/swap/swap_walk.h"
#include "io/in.h"

/* A message or a gap; items come in order of sequence number. */
struct swap_item {
	uint32_t lost;		/* number of missing messages, 0 for a message */
	/* For a gap, the message after it, which has its time and offset. */
	const struct swap_message *message;
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

/* ---- queued items ---- */

/* Each item has a copy of its message.  Initialize with zeros. */
struct swap_queue {
	struct swap_item *items;
	size_t n, cap;
	size_t bytes;		/* total size of payloads */
};

void swap_queue_add(struct swap_queue *q, const struct swap_item *item);

/** swap_queue_free - forget all items, and free the memory */
void swap_queue_free(struct swap_queue *q);

/** swap_message_copy - copy a message and its payload, to be freed with free() */
struct swap_message *swap_message_copy(const struct swap_message *m);

/* ---- messages of a stream ---- */

/* Initialize all but @in with zeros. */
struct swap_frame {
	struct in *in;
	/*
	 * Number of bytes before the message, or before the end, that belong to no
	 * message.  Bytes of a damaged message are not among them.
	 */
	uint64_t garbage;

	/* For swap_frame.c: */
	size_t used;		/* bytes of the last message, not yet skipped */
	size_t unused;		/* bytes after it that belong to no message, not yet skipped */
	bool near_known;	/* near_seq and near_sec are set */
	unsigned int near_misses;	/* headers in a row that were no neighbours of it */
	uint32_t near_seq;	/* sequence number of the last credible header */
	uint32_t near_sec;	/* time of the last credible header, s */
	uint64_t wasted;	/* payload bytes read only to judge a header */
};

/** swap_frame_next - find the next message.  Return: false at the end of the input. */
bool swap_frame_next(struct swap_frame *s, struct swap_message *m);

#endif
