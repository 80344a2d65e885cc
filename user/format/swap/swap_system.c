// SPDX-License-Identifier: LGPL-2.1
/* Works out the counts of SYSTEM messages from their lengths.  See swap_system.h. */
#include "format/swap/swap_system.h"

#include <math.h>

/*
 * length = 256 + S - 8 + 8 N + 8 T + P I + 8 O, with N processors, T threads in I
 * processes, and O other processes.  S and P, the sizes of structures, for both kinds of
 * 32-bit targets:
 */
static const struct target {
	uint32_t fixed;		/* 256 + S - 8 without the 8 for each energy device */
	uint32_t process;	/* P */
} targets[] = {
	{ 256 - 8 + 128, 56 },	/* ARM: S = 124 + 8 D, rounded up to 8 */
	{ 256 - 8 + 120, 52 },	/* i386: S = 120 + 8 D */
};

#define TARGETS (sizeof(targets) / sizeof(targets[0]))

/* Bytes of fields: fixed (memory, counts of both lists, 21 numbers), per process, per load. */
#define FIXED_FIELDS	(8 + 4 + 4 + 21 * 4)
#define PROCESS_FIELDS	52
#define LOAD_FIELDS	8

/* Numbers of energy devices in the manager before and since December 2015. */
static const uint32_t known_devices[] = { 3, 5 };

#define VOTE_WITH_PROCESSES	(1ull << 32)

/* Key of a combination of target, processors and devices. */
static uint64_t key_of(size_t target, uint32_t cpus, int devices)
{
	return (uint64_t)target << 32 | (uint64_t)cpus << 16 | (uint64_t)devices;
}

/* Lengths of the lists in a payload, if the target has a given number of processors. */
struct shape {
	uint32_t processes;
	uint32_t threads;
	uint32_t others;
};

/* Can it be a load or a frequency: not negative, not infinite? */
static bool plausible_float(const uint8_t *p)
{
	float f = swap_f32(p);

	return isfinite(f) && !signbit(f);
}

/* Maximum number of processors for which the payload begins with loads and frequencies. */
static uint32_t most_cpus(const uint8_t *p, uint32_t len)
{
	uint32_t n = 0;

	while (n < 2 * SWAP_MAX_CPUS && 4 * (n + 1) < len && plausible_float(p + 4 * n))
		n++;
	return n / 2;
}

/*
 * Read a payload up to the count of other processes; @cpus is at most most_cpus().
 * devices_for() checks whether there is room for the rest.
 */
static bool read_shape(const uint8_t *p, uint32_t len, uint32_t cpus, struct shape *shape)
{
	uint64_t pos = 8ull * cpus + 8;

	*shape = (struct shape){ 0 };
	if (pos + 4 > len)
		return false;
	shape->processes = swap_u32(p + pos);
	pos += 4;
	for (uint32_t i = 0; i < shape->processes; i++) {
		uint32_t threads;

		if (pos + PROCESS_FIELDS > len || !plausible_float(p + pos + 4))
			return false;
		threads = swap_u32(p + pos + PROCESS_FIELDS - 4);
		pos += PROCESS_FIELDS + (uint64_t)LOAD_FIELDS * threads;
		shape->threads += threads;
	}
	if (pos + 4 > len)
		return false;
	shape->others = swap_u32(p + pos);
	return true;
}

/* Number of devices with which the length is right, -1 if none. */
static int devices_for(const struct target *t, uint32_t len, uint32_t cpus,
		       const struct shape *shape)
{
	uint64_t rest = t->fixed + 8ull * cpus + 8ull * shape->threads +
			(uint64_t)t->process * shape->processes + 8ull * shape->others;
	uint64_t fields = 8ull * cpus + FIXED_FIELDS +
			  (uint64_t)PROCESS_FIELDS * shape->processes +
			  (uint64_t)LOAD_FIELDS * (shape->threads + (uint64_t)shape->others);
	uint64_t devices;

	if (rest > len || (len - rest) % 8)
		return -1;
	devices = (len - rest) / 8;
	if (devices > SWAP_MAX_DEVICES || fields + 8 * devices > len)
		return -1;
	return (int)devices;
}

static bool is_known(uint32_t devices)
{
	for (size_t i = 0; i < sizeof(known_devices) / sizeof(known_devices[0]); i++)
		if (known_devices[i] == devices)
			return true;
	return false;
}

/*
 * Find the counts with the most votes, or those of them with a number in known_devices.
 * @counts: set to one of them; @same_cpus: set to whether all have its number of processors
 *
 * Return: how many there are; if more than one, only an upper bound.
 */
static unsigned int find_counts(const struct swap_system *s, bool known,
				struct swap_counts *counts, bool *same_cpus)
{
	const struct map64_slot *slot;
	unsigned int n = 0;

	*same_cpus = true;
	for (size_t i = 0; (slot = map64_each(&s->votes, &i));) {
		struct swap_counts c = { slot->key >> 16 & 0xffff, slot->key & 0xffff };

		if (slot->value < s->most || (known && !is_known(c.devices)))
			continue;
		if (!n)
			*counts = c;
		if (c.cpus != counts->cpus)
			*same_cpus = false;
		if (!n || c.cpus != counts->cpus || c.devices != counts->devices)
			n++;
	}
	return n;
}

bool swap_system_add(struct swap_system *s, const uint8_t *p, uint32_t len)
{
	uint32_t most = most_cpus(p, len);
	bool fits = false;

	for (uint32_t cpus = 1; cpus <= most; cpus++) {
		struct shape shape;

		if ((s->cpus && cpus != s->cpus) || !read_shape(p, len, cpus, &shape))
			continue;
		for (size_t t = 0; t < TARGETS; t++) {
			int devices = devices_for(&targets[t], len, cpus, &shape);
			uint64_t *votes;

			if (devices < 0 || (s->devices >= 0 && devices != s->devices))
				continue;
			votes = map64_at(&s->votes, key_of(t, cpus, devices));
			*votes += 1 + (shape.processes ? VOTE_WITH_PROCESSES : 0);
			if (*votes > s->most)
				s->most = *votes;
			fits = true;
		}
	}
	return fits;
}

bool swap_system_fits(const uint8_t *p, uint32_t len, const struct swap_counts *counts)
{
	struct shape shape;

	if (counts->cpus > most_cpus(p, len) || !read_shape(p, len, counts->cpus, &shape))
		return false;
	for (size_t t = 0; t < TARGETS; t++)
		if (devices_for(&targets[t], len, counts->cpus, &shape) == (int)counts->devices)
			return true;
	return false;
}

enum swap_certainty swap_system_answer(const struct swap_system *s, struct swap_counts *counts,
				       bool final)
{
	bool same_cpus, same_known;

	if (s->cpus && s->devices >= 0) {
		*counts = (struct swap_counts){ s->cpus, (uint32_t)s->devices };
		return SWAP_GIVEN;
	}
	if (!s->most) {
		*counts = (struct swap_counts){ s->cpus, 0 };
		return final && s->cpus ? SWAP_CPUS_ONLY : SWAP_UNKNOWN;
	}
	if (find_counts(s, false, counts, &same_cpus) == 1)
		return SWAP_PINNED;
	if (!final)
		return SWAP_UNKNOWN;
	if (find_counts(s, true, counts, &same_known) == 1)
		return SWAP_ASSUMED;
	counts->devices = 0;
	return same_cpus ? SWAP_CPUS_ONLY : SWAP_UNKNOWN;
}
