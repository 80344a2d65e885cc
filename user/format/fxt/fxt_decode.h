/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shared by the decoder's files: fxt_read.c finds the records, fxt_decode.c decodes
 * one, and fxt_plain.h is a fast path for the most frequent kinds.  See fxt_read.h.
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
	bool magic, any;	/* whether a magic number, or any record, was found */
	bool plain;		/* the last record was not large, and in this machine's byte order */
	struct fxt_tables *tables;
	uint64_t offset;	/* offset of the last record returned, bytes */
	size_t pending;		/* bytes of that record in the window, to be skipped */
	uint64_t data, rest;	/* remaining bytes of a large record: data, total */
};

static inline void fxt_problem(struct fxt_reader *r, enum fxt_problem p, uint64_t offset)
{
	if (r->fn)
		r->fn(r->ctx, p, offset);
}

/* Mask of bits @lo to @hi of a word, to test reserved ones. */
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

/** fxt_fill_string - make a struct fxt_sref from an entry of the table */
static inline void fxt_fill_string(struct fxt_sref *s, uint16_t ref, const struct fxt_string *e)
{
	*s = (struct fxt_sref){ .ref = ref, .len = e->len, .tag = e->tag, .s = e->s };
}

/**
 * fxt_decode - decode a record, but not a large one
 * @rec: has offset, header, type, words, swap and raw set; the rest is filled
 */
void fxt_decode(struct fxt_reader *r, struct fxt_rec *rec);

/** fxt_reserved - whether bits are set that the document reserves in its header */
bool fxt_reserved(const struct fxt_rec *rec);

/*
 * Maximum words before the payload of a large record: two strings, 15 arguments and a
 * few words.  The rest of the record is not examined.
 */
#define FXT_LARGE_HEAD_WORDS (2u * 4096 + FXT_MAX_ARGS * 4095 + 6)

/** fxt_decode_large - decode the parts before the payload.  Return: bytes of the payload. */
uint64_t fxt_decode_large(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c);

#endif
