/* SPDX-License-Identifier: GPL-2.0 */
/* Hashes for tables in memory.  Not for anything that is stored. */
#ifndef ETRACE_HASH_H
#define ETRACE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Mix all bits of a word into the low ones. */
static inline uint64_t hash_word(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15ull;
	return v ^ v >> 32;
}

static inline uint64_t hash_two(uint64_t a, uint64_t b)
{
	return hash_word(hash_word(a) + b);
}

/* 8 bytes a step; the rest by two reads that overlap. */
static inline uint32_t hash_bytes(const void *data, size_t len)
{
	const char *s = data;
	uint64_t h = len * 0xff51afd7ed558ccdull, v = 0, last = 0;

	if (len >= 8) {
		for (const char *end = s + len - 8; s < end; s += 8) {
			memcpy(&v, s, 8);
			h = (h ^ v) * 0x9e3779b97f4a7c15ull;
			h ^= h >> 29;
		}
		memcpy(&v, (const char *)data + len - 8, 8);
	} else if (len >= 4) {
		memcpy(&v, s, 4);
		memcpy(&last, s + len - 4, 4);
		v |= last << 32;
	} else {
		for (size_t i = 0; i < len; i++)
			v = v << 8 | (unsigned char)s[i];
	}
	h = (h ^ v) * 0xc4ceb9fe1a85ec53ull;
	return (uint32_t)(h ^ h >> 32);
}

#endif
