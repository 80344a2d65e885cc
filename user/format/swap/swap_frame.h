/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Splits a byte stream into SWAP messages, and finds the next message after
 * damage.
 *
 * Implements section 1 of the SWAP data protocol (Documentation/swap.md): 20-byte
 * headers and payloads, back to back, without synchronisation marks.  After damage,
 * a header is recognised by its values, which must be possible, and by a sequence
 * number and time close to those of its neighbours.
 */
#ifndef ETRACE_SWAP_FRAME_H
#define ETRACE_SWAP_FRAME_H

#include "format/swap/swap_walk.h"

/* Bit mask of what is wrong with a message. */
#define SWAP_DAMAGE_TIME	0x01u	/* nanoseconds of 10^9 or more */
#define SWAP_DAMAGE_LENGTH	0x02u	/* the length in the header is wrong, the real one was found */
#define SWAP_DAMAGE_FIELDS	0x04u	/* a field of the payload cannot be read */
#define SWAP_DAMAGE_CUT		0x08u	/* the input ends within the message */

/* One message. */
struct swap_message {
	struct swap_header header;	/* as read, damaged or not */
	uint64_t offset;	/* of the header, bytes from the start of the stream */
	const uint8_t *payload;	/* valid during the call */
	uint32_t len;		/* of @payload; other than header.len only when damaged */
	const struct swap_row *row;	/* its type, NULL if unknown */
	const struct swap_field *layout;	/* of the payload, NULL if unknown */
	struct swap_counts counts;	/* for a walk by @layout (SYSTEM only) */
	enum swap_certainty certainty;	/* how sure @counts are (SYSTEM only) */
	struct swap_end end;	/* how a walk by @layout ends */
	uint32_t damage;	/* what is wrong with it */
};

/**
 * struct swap_frame_ops - callbacks for messages and garbage
 * @message: called for each message; a non-zero return value stops
 * @garbage: called for @bytes bytes at @offset that belong to no message
 *
 * Bytes of a damaged message that is passed to @message are not garbage.
 */
struct swap_frame_ops {
	int (*message)(void *ctx, const struct swap_message *m);
	void (*garbage)(void *ctx, uint64_t offset, uint64_t bytes);
};

/** swap_message_copy - copy a message and its payload, to be freed with free() */
struct swap_message *swap_message_copy(const struct swap_message *m);

struct swap_frame;

/** swap_frame_new - start; @ctx is passed to @ops */
struct swap_frame *swap_frame_new(const struct swap_frame_ops *ops, void *ctx);
void swap_frame_free(struct swap_frame *s);

/**
 * swap_frame_feed - process the next bytes of the stream, any number of them
 *
 * Return: 0, or what @ops.message returned.
 */
int swap_frame_feed(struct swap_frame *s, const uint8_t *p, size_t len);

/** swap_frame_end - process what is left at the end of the stream; like swap_frame_feed() */
int swap_frame_end(struct swap_frame *s);

/**
 * swap_detect - whether bytes are the start of a SWAP stream
 *
 * Return: true if they begin with messages whose headers fit each other, and enough
 * of these messages are of known kinds and can be read to their ends.
 */
bool swap_detect(const uint8_t *p, size_t len);

#endif
