/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * How many processors and energy devices a SYSTEM message counts: the message
 * does not say, but its length does (Documentation/swap.md, "SYSTEM").
 *
 * The manager reserves space by the sizes of its structures plus 256 bytes and
 * sends all of it, so a message's length gives 8 * (cpus + devices) for a given
 * layout of the structures.  Each message rules out some combinations; what fits
 * every message is the answer.
 */
#ifndef ETRACE_SWAP_SYSTEM_H
#define ETRACE_SWAP_SYSTEM_H

#include "format/swap/swap_walk.h"

#define SWAP_MAX_CPUS		256u
#define SWAP_MAX_DEVICES	64u

/* Opaque: what the messages so far say. */
struct swap_system;

/**
 * swap_system_new() - start
 * @cpus:    processors given by the user, 0 if not given
 * @devices: energy devices given by the user, negative if not given
 *
 * Return: to be freed by swap_system_free().
 */
struct swap_system *swap_system_new(unsigned int cpus, int devices);

/* Free; NULL is allowed. */
void swap_system_free(struct swap_system *s);

/**
 * swap_system_add() - take account of one message
 * @s:   state
 * @p:   payload
 * @len: its bytes, which must be the length that the message's header says
 *
 * Return: whether any combination fits it.  A message that fits none is damaged
 * or comes from a target of another kind, and does not count.
 */
bool swap_system_add(struct swap_system *s, const uint8_t *p, uint32_t len);

/**
 * swap_system_fits() - whether a message's length is right for given counts
 * @p:      payload
 * @len:    its bytes, as for swap_system_add()
 * @counts: both counts
 */
bool swap_system_fits(const uint8_t *p, uint32_t len, const struct swap_counts *counts);

/**
 * swap_system_answer() - get the counts, as far as the messages determine them
 * @s:      state
 * @counts: set according to the return value; devices is 0 when not certain
 * @final:  no more messages will come: accept SWAP_CPUS_ONLY and
 *          SWAP_ASSUMED.  Otherwise only SWAP_PINNED and SWAP_GIVEN are returned.
 *
 * Return: how sure the answer is.
 */
enum swap_certainty swap_system_answer(const struct swap_system *s, struct swap_counts *counts,
				       bool final);

#endif
