/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Sections of a page: zlib streams, which are kept until it is known what goes into
 * the page, and columns of numbers in them.
 */
#ifndef ETRACE_PAGE_SECTION_H
#define ETRACE_PAGE_SECTION_H

#include "io/out.h"

struct page_section;

/* Starts as all zeros. */
struct page_sections {
	struct page_section **rows;
	size_t n, cap;
	uint64_t packed;	/* bytes in the page that all of them take */
};

/** page_section - a new one.  Return: what takes its content; out_close() ends it. */
struct out *page_section(struct page_sections *s, const char *name);

/** page_section_of - one block of a section: "NAME-BLOCK" */
struct out *page_section_of(struct page_sections *s, const char *name, size_t block);

/** page_sections_forget - all but the first @n of them, none of which is still open */
void page_sections_forget(struct page_sections *s, size_t n);

/** page_sections_put - as elements of the page */
void page_sections_put(const struct page_sections *s, struct out *out);

void page_sections_free(struct page_sections *s);

/* ---- numbers ---- */

#define PAGE_NUMBER_ROOM 10u

/** page_number - in LEB128 */
static inline void page_number(struct out *o, uint64_t v)
{
	uint8_t *to = out_reserve(o, PAGE_NUMBER_ROOM);
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	out_commit(o, n);
}

/** page_signed - in zigzag code */
static inline void page_signed(struct out *o, int64_t v)
{
	page_number(o, (uint64_t)v << 1 ^ (v < 0 ? ~0ull : 0));
}

/** page_text - bytes, in UTF-8 whatever they are, and a NUL */
void page_text(struct out *o, const char *s, size_t len);

#endif
