/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes the sections of a page, and columns of numbers in them.  A section is a zlib stream
 * that stays in memory until it is decided which sections go into the page.
 */
#ifndef ETRACE_PAGE_SECTION_H
#define ETRACE_PAGE_SECTION_H

#include "io/out.h"

struct page_section;

/* Initialize with zeros. */
struct page_sections {
	struct page_section **rows;
	size_t n, cap;
	uint64_t packed;	/* number of bytes that all sections take in the page */
};

/** page_section - begin a section.  Return: a stream for its content; out_close() ends it. */
struct out *page_section(struct page_sections *s, const char *name);

/** page_section_of - begin one block of a section, named "NAME-BLOCK" */
struct out *page_section_of(struct page_sections *s, const char *name, size_t block);

/** page_sections_forget - drop all but the first @n sections; none may be open */
void page_sections_forget(struct page_sections *s, size_t n);

/** page_sections_put - write the sections as elements of the page */
void page_sections_put(const struct page_sections *s, struct out *out);

void page_sections_free(struct page_sections *s);

/* ---- numbers ---- */

#define PAGE_NUMBER_ROOM 10u

/** page_number - write a number in LEB128 */
static inline void page_number(struct out *o, uint64_t v)
{
	uint8_t *to = out_reserve(o, PAGE_NUMBER_ROOM);
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	out_commit(o, n);
}

/** page_signed - write a signed number in LEB128 with zigzag code */
static inline void page_signed(struct out *o, int64_t v)
{
	page_number(o, (uint64_t)v << 1 ^ (v < 0 ? ~0ull : 0));
}

/** page_text - write a text, made valid UTF-8, and a NUL */
void page_text(struct out *o, const char *s, size_t len);

#endif
