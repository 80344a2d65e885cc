/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Hashes for tables in memory.  Not for anything that is stored or shown: they
 * differ from run to run, because traces can come from anybody, and nobody shall
 * be able to choose keys that all fall on one slot.
 *
 * Whatever two keys somebody chose without knowing the seed, their hashes are
 * as good as drawn at random: numbers by multiplication and addition modulo
 * 2^128, of which the upper half is taken; bytes as a polynomial modulo 2^61 - 1
 * at a random point.  64 bits of it can stand for the key itself.
 */
#ifndef ETRACE_HASH_H
#define ETRACE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 hash_wide;

/* Drawn when the program starts. */
extern struct hash_key {
	hash_wide add, first, second;	/* of numbers */
	uint64_t point, square;			/* of bytes; below 2^61 - 1 */
} hash_key;

/** hash_seed - the same hashes in each run, for tests; before any table is made */
void hash_seed(uint64_t seed);

/** hash_two - a hash of two numbers; all bits are equally good */
static inline uint64_t hash_two(uint64_t a, uint64_t b)
{
	uint64_t h = (uint64_t)((hash_key.add + hash_key.first * a + hash_key.second * b) >> 64);

	/* Numbers in a row stand no longer at equal distances. */
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

/** hash_word - a hash of one number */
static inline uint64_t hash_word(uint64_t v)
{
	return hash_two(v, 0);
}

/* Two more coefficients of the polynomial, modulo 2^61 - 1; @h below 2^61 + 8. */
static inline uint64_t hash_step(uint64_t h, uint64_t v)
{
	const uint64_t prime = (1ull << 61) - 1;
	hash_wide x = (hash_wide)h * hash_key.square +
			      (hash_wide)(v >> 32) * hash_key.point + (uint32_t)v;

	h = ((uint64_t)x & prime) + (uint64_t)(x >> 61);
	return (h & prime) + (h >> 61);
}

/** hash_bytes - a hash of bytes; equal for equal contents, wherever they stand */
static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const char *s = data, *end = s + len;
	uint64_t h = len, v = 0, last = 0;

	/* 8 bytes a step; the rest by reads that overlap */
	for (; end - s > 8; s += 8) {
		memcpy(&v, s, 8);
		h = hash_step(h, v);
	}
	if (len >= 8) {
		memcpy(&v, end - 8, 8);
	} else if (len >= 4) {
		memcpy(&v, s, 4);
		memcpy(&last, end - 4, 4);
		v |= last << 32;
	} else {
		for (; s < end; s++)
			v = v << 8 | (unsigned char)*s;
	}
	return hash_word(hash_step(h, v));
}

#endif
