/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Walks over the records in a page of the ring buffer.  Their layout is that of
 * include/linux/ring_buffer.h.  The buffer's own times are ignored, since each record of
 * etrace contains its time.
 */
#ifndef ETRACE_REC_PAGE_H
#define ETRACE_REC_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

struct rec_page {
	const uint8_t *at, *end;	/* the unread part */
};

/* Bits of the word after a page's time: bytes of records, and whether records are missing. */
#define REC_PAGE_COMMIT		((1ul << 27) - 1)
#define REC_PAGE_MISSED		(1ul << 31)
#define REC_PAGE_COUNTED	(1ul << 30)	/* the number missing follows the records */
#define REC_PAGE_HEAD		(8u + sizeof(unsigned long))

/* The lowest 5 bits of a record's first word: 1 to 28 is the number of words of data. */
enum { REC_LONG = 0, REC_MAX_WORDS = 28, REC_PADDING = 29 };

/**
 * rec_page_begin - start a walk before the first record of a page
 * @page, @size: its bytes; damaged contents do no harm
 * @missed: set to whether the page says that records before it are missing
 */
static inline void rec_page_begin(struct rec_page *p, const uint8_t *page, size_t size,
				  bool *missed)
{
	unsigned long word, count = 1;
	size_t len;

	memcpy(&word, page + 8, sizeof(word));
	len = word & REC_PAGE_COMMIT;
	if (len > size - REC_PAGE_HEAD)
		len = size - REC_PAGE_HEAD;
	p->at = page + REC_PAGE_HEAD;
	p->end = p->at + len;
	if (word & REC_PAGE_COUNTED && (size_t)(page + size - p->end) >= sizeof(count))
		memcpy(&count, p->end, sizeof(count));
	*missed = word & REC_PAGE_MISSED && count;
}

/* Skip padding or a time stamp. Return: false if it is damaged. */
static inline bool rec_page_skip(struct rec_page *p)
{
	size_t left = (size_t)(p->end - p->at), n = 8;
	uint32_t head = bytes_4(p->at);

	/* padding whose first word has no time field fills the rest of the page */
	if (head == REC_PADDING)
		n = left;
	else if (left < n)
		return false;
	else if ((head & 31) == REC_PADDING)
		n = 4 + (size_t)bytes_4(p->at + 4);
	if (n > left)
		return false;
	p->at += n;
	return true;
}

/* Size of the data of a record of a type, 0 if damaged.  @data: set to where they begin. */
static inline size_t rec_page_data(const struct rec_page *p, uint32_t type, const uint8_t **data)
{
	size_t n = 4 * type;

	*data = p->at + 4;
	if (type == REC_LONG && p->end - *data >= 4) {
		n = ((size_t)bytes_4(*data) + 3) & ~(size_t)3;
		/* the size includes the word that contains it */
		n = n < 4 ? 0 : n - 4;
		*data += 4;
	}
	return n <= (size_t)(p->end - *data) ? n : 0;
}

/**
 * rec_page_next - get the next record
 * @size: set to its size in bytes; 0 if the page is damaged: its rest is skipped
 *
 * Return: its bytes, NULL after the last one.
 */
static inline const uint8_t *rec_page_next(struct rec_page *p, uint32_t *size)
{
	const uint8_t *data;

	while (p->end - p->at >= 4) {
		uint32_t type = bytes_4(p->at) & 31;
		size_t n = 0;

		if (type <= REC_MAX_WORDS)
			n = rec_page_data(p, type, &data);
		else if (rec_page_skip(p))
			continue;
		else
			data = p->at;
		*size = (uint32_t)n;
		p->at = n ? data + n : p->end;
		return data;
	}
	return NULL;
}

#endif
