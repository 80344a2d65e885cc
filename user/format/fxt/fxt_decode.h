/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the decoder's files share: the walk from record to record, fxt_read.c, what
 * is inside of one, fxt_decode.c, and the most frequent of that, fxt_plain.h.  See
 * fxt_read.h.
 */
#ifndef ETRACE_FXT_DECODE_H
#define ETRACE_FXT_DECODE_H

#include <byteswap.h>
#include <string.h>

#include "format/fxt/fxt_read.h"
#include "format/fxt/fxt_tables.h"

struct fxt_reader {
	struct in *in;
	fxt_problem_fn fn;
	void *ctx;
	bool begun, swap, ended;
	bool magic, any;	/* there was a magic number; a record */
	bool plain;		/* the last record was not large, and in this machine's byte order */
	struct fxt_tables *tables;
	uint64_t offset;	/* of the record handed out last */
	size_t pending;		/* its bytes that are in the window and used up */
	uint64_t data, rest;	/* bytes of a large one that follow: data, all */
};

static inline void fxt_problem(struct fxt_reader *r, enum fxt_problem p, uint64_t offset)
{
	if (r->fn)
		r->fn(r->ctx, p, offset);
}

/* Bits @lo to @hi of a word, to look at reserved ones. */
#define FXT_BITS(lo, hi)	((~0ull >> (63 - ((hi) - (lo)))) << (lo))

static inline uint64_t fxt_word_at(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swap ? bswap_64(v) : v;
}

/* A cursor over the words of a record. */
struct fxt_cursor {
	const uint8_t *at;
	unsigned int left;	/* words */
	bool swap;
	bool bad;		/* something did not fit */
};

/** fxt_fill_string - a ref to an entry of the table */
static inline void fxt_fill_string(struct fxt_sref *s, uint16_t ref, const struct fxt_string *e)
{
	*s = (struct fxt_sref){ .ref = ref, .len = e->len, .tag = e->tag, .s = e->s };
}

/**
 * fxt_decode - all of a record but a large one
 * @rec: with its offset, header, type, words, swap and raw; the rest is filled
 */
void fxt_decode(struct fxt_reader *r, struct fxt_rec *rec);

/** fxt_reserved - whether bits are set that the document reserves in its header */
bool fxt_reserved(const struct fxt_rec *rec);

/*
 * What stands before the payload of a large record: two strings, 15 arguments and
 * a few words.  So much of it is looked at, and no more.
 */
#define FXT_LARGE_HEAD_WORDS (2u * 4096 + FXT_MAX_ARGS * 4095 + 6)

/** fxt_decode_large - these parts.  Return: bytes of the payload. */
uint64_t fxt_decode_large(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c);

#endif
