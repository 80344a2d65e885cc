// SPDX-License-Identifier: LGPL-2.1
/* What the hashes of a run depend on.  See hash.h. */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct hash_key hash_key;

static void set(const uint64_t w[8])
{
	const uint64_t prime = (1ull << 61) - 1;
	uint64_t point = w[6] & prime;

	hash_key.add = (hash_wide)w[0] << 64 | w[1];
	hash_key.first = (hash_wide)w[2] << 64 | w[3];
	hash_key.second = (hash_wide)w[4] << 64 | w[5];
	hash_key.point = point;
	hash_key.square = (uint64_t)((hash_wide)point * point % prime);
}

void hash_seed(uint64_t seed)
{
	uint64_t w[8];

	for (unsigned int i = 0; i < 8; i++) {
		seed += 0x9e3779b97f4a7c15ull;
		w[i] = (seed ^ seed >> 32) * 0xff51afd7ed558ccdull;
		w[i] = (w[i] ^ w[i] >> 29) * 0xc4ceb9fe1a85ec53ull;
		w[i] ^= w[i] >> 32;
	}
	set(w);
}

__attribute__((constructor)) static void draw(void)
{
	struct timespec now = { 0 };
	uint64_t w[8];

	if (getrandom(w, sizeof(w), GRND_NONBLOCK) == sizeof(w)) {
		set(w);
		return;
	}
	/* at boot, before there is anything random: what there is */
	clock_gettime(CLOCK_MONOTONIC, &now);
	hash_seed((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid() ^
		  (uintptr_t)&now);
}
