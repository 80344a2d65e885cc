/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts by name, for the names that come most: exact up to TALLY_MAX names;
 * then the rarest are forgotten, and how many times a forgotten name can have
 * come at most is known.  So memory is bounded, whatever comes.
 */
#ifndef ETRACE_TALLY_H
#define ETRACE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_MAX	8192u

struct tally_row {
	char *name;		/* NULL: free */
	size_t len;
	uint32_t hash;
	uint64_t n;		/* how often it came */
	uint64_t total;		/* sum of its values */
	uint64_t most;		/* the largest of them */
};

struct tally {
	struct tally_row *rows;	/* open addressing */
	size_t used, cap;
	uint64_t names;		/* distinct ones, forgotten ones counted again
				 * when they come back
				 */
	uint64_t forgotten;	/* a count may be too low by so many */
};

void tally_free(struct tally *t);

/** tally_add - @name came once more, with a value */
void tally_add(struct tally *t, const char *name, size_t len, uint64_t value);

enum tally_key { TALLY_N, TALLY_TOTAL, TALLY_MOST };

/**
 * tally_top - the first rows by a key, largest first, then by name
 * @top: filled with at most @max rows, valid until the next tally_add()
 *
 * Return: how many.
 */
size_t tally_top(const struct tally *t, enum tally_key key,
		 const struct tally_row **top, size_t max);

#endif
