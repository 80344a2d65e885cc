/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Counts by name, for the most frequent names. Counts are exact while all names fit into
 * TALLY_BYTES. After that, the rarest names are forgotten, which bounds the memory; an
 * upper bound of how often a forgotten name occurred is kept.
 */
#ifndef ETRACE_TALLY_H
#define ETRACE_TALLY_H

#include "base/map64.h"

/* Upper bound of the memory of a tally in bytes: enough for some 300,000 paths. */
#define TALLY_BYTES	(64u << 20)

struct tally_row {
	char *name;
	size_t len;
	uint64_t hash;
	uint64_t n;		/* how often the name occurred since it got this row */
	uint64_t low;		/* upper bound of earlier occurrences, which were forgotten */
	uint64_t total;		/* sum of its values */
	uint64_t most;		/* the largest of its values */
};

struct tally {
	struct tally_row *rows;
	size_t used, cap;
	struct map64 of;	/* from the hash of a name to its index in @rows */
	size_t bytes;		/* upper bound of the memory in use, in bytes */
	/* number of names; a forgotten one that comes back counts again */
	uint64_t names;
	/*
	 * 0 if all counts are exact.  Otherwise a count may be too low by up to this, and a name
	 * without a row occurred at most this often.
	 */
	uint64_t forgotten;
};

void tally_free(struct tally *t);

/** tally_add - count @name once more, with a value */
void tally_add(struct tally *t, const char *name, size_t len, uint64_t value);

enum tally_key { TALLY_N, TALLY_TOTAL, TALLY_MOST };

/**
 * tally_top - the first rows by a key, largest first, then by name
 * @top: filled with at most @max rows, valid until the next tally_add()
 *
 * Return: the number of rows in @top.
 */
size_t tally_top(const struct tally *t, enum tally_key key,
		 const struct tally_row **top, size_t max);

#endif
