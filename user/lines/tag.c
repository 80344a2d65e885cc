// SPDX-License-Identifier: LGPL-2.1
/* Names of tags.  See tag.h. */
#include "lines/tag.h"

#include "base/bytes.h"

#include <string.h>

/* Open addressing, by the first 8 bytes of a name; more than half is never used. */
#define SLOT_BITS 7
static struct {
	uint64_t word;
	uint8_t tag;
} names[1u << SLOT_BITS];

_Static_assert(2 * LT_COUNT <= 1 << SLOT_BITS, "the table of names is too small");

static unsigned int slot_of(uint64_t word)
{
	return (unsigned int)(word * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS));
}

static unsigned int next_slot(unsigned int i)
{
	return (i + 1) & ((1u << SLOT_BITS) - 1);
}

/* The bytes of a name, the first one lowest, zeros behind them. */
static uint64_t word_of(const char *s, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len && i < 8; i++)
		word |= (uint64_t)(unsigned char)s[i] << 8 * i;
	return word;
}

__attribute__((constructor))
static void make_names(void)
{
	for (unsigned int t = LT_NONE + 1; t < LT_OTHER; t++) {
		uint64_t word = word_of(lt_tags[t].name, lt_tags[t].name_len);
		unsigned int i = slot_of(word);

		while (names[i].tag)
			i = next_slot(i);
		names[i].word = word;
		names[i].tag = (uint8_t)t;
	}
}

/* @word: the name's first 8 bytes */
static inline enum lt_tag look_up(uint64_t word, const char *s, size_t len)
{
	for (unsigned int i = slot_of(word); names[i].tag; i = next_slot(i)) {
		const struct lt_tag_row *row = &lt_tags[names[i].tag];

		if (names[i].word == word && row->name_len == len &&
		    (len <= 8 || !memcmp(row->name, s, len)))
			return names[i].tag;
	}
	return LT_NONE;
}

enum lt_tag tag_find(const char *s, size_t len)
{
	return look_up(word_of(s, len), s, len);
}

/* The highest bit of each byte that is @c, and perhaps of some behind the first. */
static inline uint64_t bytes_that_are(uint64_t word, char c)
{
	uint64_t x = word ^ 0x0101010101010101ull * (unsigned char)c;

	return (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;
}

enum lt_tag tag_begins(const char *s, const char *end, size_t *len)
{
	size_t left = (size_t)(end - s), n;
	uint64_t word, stop;

	if (left >= 8)
		word = bytes_first_low(s);
	else
		word = left ? bytes_first_low(end - 8) >> (64 - 8 * left) : 0;
	stop = bytes_that_are(word, '|') | bytes_that_are(word, '[');
	if (!stop)
		return LT_NONE;
	n = (unsigned int)__builtin_ctzll(stop) / 8;
	*len = n;
	return look_up(word & (((stop & -stop) >> 7) - 1), s, n);
}
