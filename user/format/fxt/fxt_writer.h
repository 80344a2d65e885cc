/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The state of the FXT encoder, and functions to write words. Shared by fxt_write.c,
 * which writes records, and fxt_strings.c, which keeps the table of strings.
 */
#ifndef ETRACE_FXT_WRITER_H
#define ETRACE_FXT_WRITER_H

#include "format/fxt/fxt_write.h"

#include <stdlib.h>
#include <string.h>

#define STRING_SLOTS	(FXT_MAX_STRING_INDEX + 1)	/* slot 0 is not used */
#define STRING_HEADS	32768u
#define GUESS_BITS	13	/* bits of an index into the table of guesses */
#define THREAD_SLOTS	(FXT_MAX_THREAD_INDEX + 1)
#define THREAD_HEADS	256u

/*
 * Strings up to this many bytes are stored in the slot itself, so that a look-up, which
 * touches one random slot, usually loads only one line of the processor's cache.
 */
#define INLINE_MAX	48u

struct string_slot {
	uint32_t hash;
	uint32_t record;	/* the record that used it last */
	uint16_t len;
	uint16_t next;		/* the next slot in the chain of its hash; 0 ends it */
	uint8_t chained;	/* it is in a chain, and can be found by its content */
	uint8_t recent;		/* used since the clock's hand last passed it */
	uint8_t pinned;
	uint8_t own : 1;	/* @copy was allocated */
	uint8_t marked : 1;	/* set by fxt_mark() */
	union {
		char text[INLINE_MAX];
		char *copy;	/* copy of a longer string */
	};
};

struct thread_slot {
	uint64_t process, thread;
	uint8_t next;
	bool recent;
	uint32_t record;
};

struct fxt_writer {
	struct out *out;
	uint32_t record;	/* number of the current record, or of the
				 * next; if it wraps, a slot may be kept
				 * longer than necessary, once
				 */
	uint8_t last_thread;	/* slot of the thread used last, 0 if none */
	unsigned int string_hand, strings_used, pins;
	unsigned int thread_hand, threads_used;
	uint16_t string_head[STRING_HEADS];
	uint16_t guess[1u << GUESS_BITS];	/* see guess_of() */
	uint8_t thread_head[THREAD_HEADS];
	struct string_slot *strings;	/* STRING_SLOTS, each in one line of cache */
	void *string_memory;
	struct thread_slot threads[THREAD_SLOTS];
};

/* Frees the text of a string that is not stored in its slot. */
static inline void drop_copy(struct string_slot *slot)
{
	if (slot->own)
		free(slot->copy);
	slot->own = 0;
}

/* Format document: "Record Header" */
static inline uint64_t record_header(enum fxt_record_type type, unsigned int words)
{
	return (uint64_t)type | (uint64_t)words << 4;
}

/* "Atoms": a stream, padded with zeros; returns what follows it. */
static inline uint64_t *put_stream(uint64_t *at, const void *data, size_t len)
{
	unsigned int n = fxt_stream_words(len);

	if (!n)
		return at;
	at[n - 1] = 0;
	memcpy(at, data, len);
	return at + n;
}

/* Reserves space for a record of @words words in the output. */
static inline uint64_t *begin_record(struct fxt_writer *w, unsigned int words)
{
	/* aligned, because only whole words are ever written to this stream */
	return out_reserve(w->out, words * 8);
}

/* Ends a String or Thread record, which comes before the record that needs it. */
static inline void finish_part(struct fxt_writer *w, unsigned int words)
{
	out_commit(w->out, words * 8);
}

/* Ends any other record: the slots that it refers to may be recycled now. */
static inline int end_record(struct fxt_writer *w, unsigned int words)
{
	out_commit(w->out, words * 8);
	w->record++;
	return out_error(w->out);
}

#endif
