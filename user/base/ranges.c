// SPDX-License-Identifier: LGPL-2.1
/* Ranges that do not overlap, in a balanced tree of the C library.  See ranges.h. */
#include "base/ranges.h"
#include "base/xalloc.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Ranges that overlap count as equal. */
static int compare_ranges(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return left->high <= right->low ? -1 : left->low >= right->high;
}

static struct range *find_overlap(const struct ranges *r, uint64_t low, uint64_t high)
{
	const struct range wanted = { .low = low, .high = high };
	struct range **found = tfind(&wanted, &r->tree, compare_ranges);

	return found ? *found : NULL;
}

static void free_range(void *arg)
{
	struct range *range = arg;

	free(range->name);
	free(range);
}

/* Insert a range; its name is copied. */
static void insert_range(struct ranges *r, struct range range, size_t name_len)
{
	if (range.name)
		range.name = xstrndup(range.name, name_len);
	if (!tsearch(xmemdup(&range, sizeof(range)), &r->tree, compare_ranges))
		xalloc_failed(sizeof(range));
	r->n++;
}

void ranges_cut(struct ranges *r, uint64_t low, uint64_t high)
{
	struct range *old;

	while (low < high && (old = find_overlap(r, low, high))) {
		struct range before = *old, after = *old;
		size_t name_len = old->name ? strlen(old->name) : 0;

		before.high = low;
		after.low = high;
		tdelete(old, &r->tree, compare_ranges);
		r->n--;
		if (before.low < before.high)
			insert_range(r, before, name_len);
		if (after.low < after.high)
			insert_range(r, after, name_len);
		free_range(old);
	}
}

void ranges_put(struct ranges *r, const struct range *range, size_t name_len)
{
	ranges_cut(r, range->low, range->high);
	insert_range(r, *range, name_len);
}

const struct range *ranges_at(const struct ranges *r, uint64_t addr)
{
	/* No range contains the last address: the end of such a range would overflow. */
	return addr == UINT64_MAX ? NULL : find_overlap(r, addr, addr + 1);
}

void ranges_free(struct ranges *r)
{
	tdestroy(r->tree, free_range);
	*r = (struct ranges){ 0 };
}
