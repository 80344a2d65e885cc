/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Sorts SWAP messages by sequence number, and finds missing ones.
 *
 * One counter numbers all messages, also those that the target drops, so a gap shows
 * how many were lost (Documentation/swap.md, "Sequence").  Messages of different
 * processors can arrive a little out of order: a gap is a loss only if it is not filled
 * for a while.
 */
#ifndef ETRACE_SWAP_ORDER_H
#define ETRACE_SWAP_ORDER_H

#include "format/swap/swap_frame.h"

/* A gap is a loss after this many later messages, or this many bytes of their payloads. */
#define SWAP_ORDER_MESSAGES	256u
#define SWAP_ORDER_BYTES	(1u << 20)

/* What can be odd about a message. */
enum swap_odd {
	SWAP_AGAIN,	/* its number was used before, or it comes too late */
	SWAP_MISPLACED,	/* its number cannot be right, and its real number is missing elsewhere */
	SWAP_RESTART,	/* the numbers began anew shortly before it, and how many messages were
			 * lost in between is unknown
			 */
};

/**
 * struct swap_order_ops - callbacks, in order of sequence numbers
 * @message: the next message; a non-zero return value stops
 * @lost:    @count messages from number @first on are missing; @before is the
 *           message that follows; a non-zero return value stops
 * @odd:     something is odd about @m, which is passed to @message after this
 */
struct swap_order_ops {
	int (*message)(void *ctx, const struct swap_message *m);
	int (*lost)(void *ctx, uint32_t first, uint32_t count,
		    const struct swap_message *before);
	void (*odd)(void *ctx, enum swap_odd odd, const struct swap_message *m);
};

struct swap_order;

/** swap_order_new - start; @ctx is passed to @ops */
struct swap_order *swap_order_new(const struct swap_order_ops *ops, void *ctx);
void swap_order_free(struct swap_order *o);

/**
 * swap_order_add - process the next message of the stream; copied if it must wait
 *
 * Return: 0, or what one of the callbacks returned.
 */
int swap_order_add(struct swap_order *o, const struct swap_message *m);

/** swap_order_end - report the remaining gaps as losses; returns as swap_order_add() */
int swap_order_end(struct swap_order *o);

#endif
