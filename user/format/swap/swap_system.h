/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Works out the numbers of processors and energy devices in SYSTEM messages.  They are
 * not in the message, but follow from its length (Documentation/swap.md, "SYSTEM").
 *
 * The manager reserves the size of its structures plus 256 bytes and sends all of it,
 * so for a given layout of the structures, the length gives 8 * (cpus + devices).  Each
 * message rules out some combinations; the answer is the one that fits all messages.
 */
#ifndef ETRACE_SWAP_SYSTEM_H
#define ETRACE_SWAP_SYSTEM_H

#include "base/map64.h"
#include "format/swap/swap_walk.h"

#define SWAP_MAX_CPUS		256u
#define SWAP_MAX_DEVICES	64u

/*
 * The combinations that fit the messages so far.  Initialize with zeros, except for what the user
 * gives; map64_clear() of @votes frees the memory.
 */
struct swap_system {
	uint32_t cpus;		/* processors given by the user, 0 if not given */
	int devices;		/* energy devices given by the user, negative if not given */
	/*
	 * How many messages each combination fits: all messages in the lower 32 bits, and
	 * those with processes, which are the best evidence, in the upper 32.
	 */
	struct map64 votes;
	uint64_t most;		/* highest value in @votes */
};

/**
 * swap_system_add - learn from one complete payload
 *
 * Return: whether any combination fits the message.  If none does, it is damaged or
 * from an unknown kind of target, and is ignored.
 */
bool swap_system_add(struct swap_system *s, const uint8_t *p, uint32_t len);

/** swap_system_fits - whether a payload's length is right for given counts */
bool swap_system_fits(const uint8_t *p, uint32_t len, const struct swap_counts *counts);

/**
 * swap_system_answer - get the counts, as far as the messages determine them
 * @counts: set according to the return value; devices is 0 when not certain
 * @final:  no more messages will come: accept SWAP_CPUS_ONLY and
 *          SWAP_ASSUMED.  Otherwise only SWAP_PINNED and SWAP_GIVEN are returned.
 *
 * Return: how sure the answer is.
 */
enum swap_certainty swap_system_answer(const struct swap_system *s, struct swap_counts *counts,
				       bool final);

#endif
