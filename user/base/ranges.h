/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Ranges of addresses.  As with mappings, a range that is added replaces the parts of
 * older ranges that it overlaps.
 */
#ifndef ETRACE_RANGES_H
#define ETRACE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t low, high;	/* first address, and first address after the range */
	uint64_t base;		/* any number; if a range is cut, all its parts keep it */
	char *name;		/* a copy; NULL if none */
};

/* Initialize with zeros; ranges_free() frees its memory. */
struct ranges {
	void *tree;		/* a tree of struct range, see tsearch(3) */
	size_t n;
};

/** ranges_put - add a range, replacing what it overlaps; @low < @high, @name may be NULL */
void ranges_put(struct ranges *r, const struct range *range, size_t name_len);

/** ranges_cut - remove everything from @low to below @high */
void ranges_cut(struct ranges *r, uint64_t low, uint64_t high);

/** ranges_at - the range that contains an address, valid until the next change; NULL if none */
const struct range *ranges_at(const struct ranges *r, uint64_t addr);

void ranges_free(struct ranges *r);

#endif
