// SPDX-License-Identifier: LGPL-2.1
/* The random key of hashes, chosen for each run.  See hash.h. */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct hash_key hash_key;

/* Number of random words that make a key. */
#define WORDS (8 + HASH_BLOCK / 8)

static void set_key(const uint64_t w[WORDS])
{
	const uint64_t prime = (1ull << 61) - 1;
	uint64_t point = w[6] & prime;

	hash_key.add = (hash_wide)w[0] << 64 | w[1];
	hash_key.first = (hash_wide)w[2] << 64 | w[3];
	hash_key.second = (hash_wide)w[4] << 64 | w[5];
	hash_key.point = point;
	hash_key.square = (uint64_t)((hash_wide)point * point % prime);
	memcpy(hash_key.block, w + 8, sizeof(hash_key.block));
}

void hash_seed(uint64_t seed)
{
	uint64_t w[WORDS];

	for (unsigned int i = 0; i < WORDS; i++) {
		seed += 0x9e3779b97f4a7c15ull;
		w[i] = (seed ^ seed >> 32) * 0xff51afd7ed558ccdull;
		w[i] = (w[i] ^ w[i] >> 29) * 0xc4ceb9fe1a85ec53ull;
		w[i] ^= w[i] >> 32;
	}
	set_key(w);
}

__attribute__((constructor)) static void draw_key(void)
{
	struct timespec now = { 0 };
	uint64_t w[WORDS];	/* no more than 256 bytes: signals do not interrupt getrandom() */

	if (getrandom(w, sizeof(w), GRND_NONBLOCK) == sizeof(w)) {
		set_key(w);
		return;
	}
	/* early at boot the kernel has no random bytes yet: use time, pid and an address */
	clock_gettime(CLOCK_MONOTONIC, &now);
	hash_seed((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid() ^
		  (uintptr_t)&now);
}

/* Add two coefficients, the halves of @v, to the polynomial, modulo 2^61 - 1; @h < 2^61 + 8. */
static uint64_t add_word(uint64_t h, uint64_t v)
{
	const uint64_t prime = (1ull << 61) - 1;
	hash_wide x = (hash_wide)h * hash_key.square +
			      (hash_wide)(v >> 32) * hash_key.point + (uint32_t)v;

	h = ((uint64_t)x & prime) + (uint64_t)(x >> 61);
	return (h & prime) + (h >> 61);
}

uint64_t hash_long(const char *s, size_t len)
{
	uint64_t h = len;

	for (size_t n; len; s += n, len -= n) {
		hash_wide sum;

		n = len < HASH_BLOCK ? len : HASH_BLOCK;
		sum = hash_block(s, n);
		h = add_word(add_word(h, (uint64_t)sum), (uint64_t)(sum >> 64));
	}
	return hash_word(h);
}
