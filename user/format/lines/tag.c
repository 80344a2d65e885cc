// SPDX-License-Identifier: LGPL-2.1
/* Finds tags by their names.  See tag.h. */
#include "format/lines/tag.h"

#include "base/bytes.h"

#include <string.h>

/* Hash table with open addressing, by the first 8 bytes of a name; at most half full. */
#define SLOT_BITS 9
static struct {
	uint64_t word;
	uint8_t tag, len;
} name_table[1u << SLOT_BITS];

_Static_assert(2 * LT_COUNT <= 1 << SLOT_BITS, "the table of names is too small");

static unsigned int slot_of(uint64_t word)
{
	return (unsigned int)(word * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS));
}

static unsigned int next_slot(unsigned int i)
{
	return (i + 1) & ((1u << SLOT_BITS) - 1);
}

/* The first 8 bytes of a name, the first one lowest, padded with zeros. */
static uint64_t word_of(const char *s, size_t len)
{
	uint64_t word = 0;

	if (len >= 8)
		return bytes_first_low(s);
	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)s[i] << 8 * i;
	return word;
}

__attribute__((constructor))
static void make_name_table(void)
{
	for (unsigned int t = LT_NONE + 1; t < LT_OTHER; t++) {
		uint64_t word = word_of(lt_tags[t].name, lt_tags[t].name_len);
		unsigned int i = slot_of(word);

		while (name_table[i].tag)
			i = next_slot(i);
		name_table[i].word = word;
		name_table[i].tag = (uint8_t)t;
		name_table[i].len = lt_tags[t].name_len;
	}
}

enum lt_tag tag_find(const char *s, size_t len)
{
	uint64_t word = word_of(s, len);

	for (unsigned int i = slot_of(word); name_table[i].tag; i = next_slot(i))
		if (name_table[i].word == word && name_table[i].len == len &&
		    (len <= 8 || !memcmp(lt_tags[name_table[i].tag].name, s, len)))
			return name_table[i].tag;
	return LT_NONE;
}

/* Finds the tag whose name is followed by @c, if the name has fewer than 8 bytes. */
static inline enum lt_tag short_tag(uint64_t word, char c, size_t *len)
{
	uint64_t x = word ^ 0x0101010101010101ull * (unsigned char)c, stop;

	/* the highest bit of each byte equal to @c; bytes after the first such may be wrong */
	stop = (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;
	if (!stop)
		return LT_NONE;
	/* keep the bytes before that one */
	word &= (stop ^ (stop - 1)) >> 8;
	*len = (unsigned int)__builtin_ctzll(stop) / 8;
	for (unsigned int i = slot_of(word); name_table[i].tag; i = next_slot(i))
		if (name_table[i].word == word && name_table[i].len == *len)
			return name_table[i].tag;
	return LT_NONE;
}

enum lt_tag tag_begins(const char *s, const char *end, size_t *len)
{
	size_t left = (size_t)(end - s);
	uint64_t word = 0;
	enum lt_tag tag;

	if (left >= 8)
		word = bytes_first_low(s);
	else if (left)
		word = bytes_first_low(end - 8) >> (64 - 8 * left);
	tag = short_tag(word, '|', len);
	return tag ? tag : short_tag(word, '[', len);
}
