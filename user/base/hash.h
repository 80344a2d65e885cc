/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Hashes for tables in memory.  Not for anything that is stored or shown: they
 * differ from run to run, because traces can come from anybody, and nobody shall
 * be able to choose keys that all fall on one slot.
 *
 * Whatever two keys somebody chose without knowing the seed, their hashes are
 * as good as drawn at random: numbers by multiplication and addition modulo
 * 2^128, of which the upper half is taken; bytes as a sum of products of their
 * words, to each of which a random one was added (NH, as UMAC has it, RFC 4418),
 * and the sums of long ones as a polynomial modulo 2^61 - 1 at a random point.
 * 64 bits of it can stand for the key itself.
 */
#ifndef ETRACE_HASH_H
#define ETRACE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"

typedef unsigned __int128 hash_wide;

/* Bytes that are hashed as one sum. */
#define HASH_BLOCK 128u

/* Drawn when the program starts. */
extern struct hash_key {
	hash_wide add, first, second;	/* of numbers */
	uint64_t point, square;		/* of long bytes; below 2^61 - 1 */
	uint64_t block[HASH_BLOCK / 8];	/* of bytes */
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

/* Two words of a sum at @at, of those of a block. */
static inline hash_wide hash_pair(unsigned int at, uint64_t a, uint64_t b)
{
	return (hash_wide)(a + hash_key.block[at]) * (b + hash_key.block[at + 1]);
}

/* The sum of at most HASH_BLOCK bytes. */
static inline hash_wide hash_block(const char *s, size_t len)
{
	unsigned int at = 0;
	hash_wide sum = 0;
	uint64_t a = 0, b = 0;

	for (; len > 16; s += 16, len -= 16, at += 2)
		sum += hash_pair(at, bytes_8(s), bytes_8(s + 8));
	/* the rest by reads that overlap: with the length they tell all of it */
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

/* hash_bytes() of more than HASH_BLOCK bytes */
uint64_t hash_long(const char *s, size_t len);

/** hash_bytes - a hash of bytes; equal for equal contents, wherever they stand */
static inline uint64_t hash_bytes(const void *data, size_t len)
{
	hash_wide sum;

	if (len > HASH_BLOCK)
		return hash_long(data, len);
	sum = hash_block(data, len) + len;
	return hash_two((uint64_t)sum, (uint64_t)(sum >> 64));
}

#endif
