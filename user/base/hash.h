/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Hashes for tables in memory.  Not for anything that is stored or shown: they differ from run to
 * run, because traces can come from anybody, who must not be able to choose keys that all fall
 * into one slot.
 *
 * Without knowledge of the random key, two chosen keys collide no more often than at random:
 *
 * - numbers: multiplied and added modulo 2^128; the upper half is the hash;
 * - bytes: a random word is added to each word, and products of these are summed up (NH of
 *   UMAC, RFC 4418);
 * - more than HASH_BLOCK bytes: the sums of the blocks are the coefficients of a polynomial,
 *   taken modulo 2^61 - 1 at a random point.
 *
 * The 64 bits of a hash can therefore stand for the key itself.
 */
#ifndef ETRACE_HASH_H
#define ETRACE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"

typedef unsigned __int128 hash_wide;

/* Number of bytes that are hashed as one sum. */
#define HASH_BLOCK 128u

/* The key of all hashes: random numbers, drawn when the program starts. */
extern struct hash_key {
	hash_wide add, first, second;	/* key for numbers */
	uint64_t point, square;		/* key for more than HASH_BLOCK bytes; below 2^61 - 1 */
	uint64_t block[HASH_BLOCK / 8];	/* key for bytes */
} hash_key;

/** hash_seed - make hashes the same in each run, for tests; call it before creating any table */
void hash_seed(uint64_t seed);

/** hash_two - a hash of two numbers; any of its bits can be used as an index */
static inline uint64_t hash_two(uint64_t a, uint64_t b)
{
	uint64_t h = (uint64_t)((hash_key.add + hash_key.first * a + hash_key.second * b) >> 64);

	/* otherwise hashes of consecutive numbers would be equally far apart */
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

/** hash_word - a hash of one number */
static inline uint64_t hash_word(uint64_t v)
{
	return hash_two(v, 0);
}

/* The product for words @at and @at + 1 of a block, which are @a and @b. */
static inline hash_wide hash_pair(unsigned int at, uint64_t a, uint64_t b)
{
	return (hash_wide)(a + hash_key.block[at]) * (b + hash_key.block[at + 1]);
}

/* The sum of products of at most HASH_BLOCK bytes. */
static inline hash_wide hash_block(const char *s, size_t len)
{
	unsigned int at = 0;
	hash_wide sum = 0;
	uint64_t a = 0, b = 0;

	for (; len > 16; s += 16, len -= 16, at += 2)
		sum += hash_pair(at, bytes_8(s), bytes_8(s + 8));
	/* read the rest in words that may overlap; with the length, they determine all bytes */
	if (len >= 8) {
		a = bytes_8(s);
		b = bytes_8(s + (len - 8));
	} else if (len >= 4) {
		a = bytes_4(s);
		b = bytes_4(s + (len - 4));
	} else if (len) {
		a = (unsigned char)s[0] | (uint64_t)(unsigned char)s[len / 2] << 8;
		b = (unsigned char)s[len - 1];
	}
	return sum + hash_pair(at, a, b);
}

/* Does the work of hash_bytes() for more than HASH_BLOCK bytes. */
uint64_t hash_long(const char *s, size_t len);

/** hash_bytes - a hash of bytes; depends on their contents only, not on their address */
static inline uint64_t hash_bytes(const void *data, size_t len)
{
	hash_wide sum;

	if (len > HASH_BLOCK)
		return hash_long(data, len);
	sum = hash_block(data, len) + len;
	return hash_two((uint64_t)sum, (uint64_t)(sum >> 64));
}

#endif
