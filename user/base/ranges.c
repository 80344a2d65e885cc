// SPDX-License-Identifier: LGPL-2.1
/* Ranges that do not overlap, in an array by address.  See ranges.h. */
#include "base/ranges.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first range that ends behind an address. */
static size_t first_behind(const struct ranges *r, uint64_t addr)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->v[mid].high <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Its name is copied. */
static void insert(struct ranges *r, size_t at, struct range range, size_t name_len)
{
	if (range.name)
		range.name = xstrndup(range.name, name_len);
	r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
	memmove(&r->v[at + 1], &r->v[at], (r->n - at) * sizeof(*r->v));
	r->v[at] = range;
	r->n++;
}

void ranges_cut(struct ranges *r, uint64_t low, uint64_t high)
{
	size_t at = first_behind(r, low), end = at;

	if (low >= high || at == r->n)
		return;
	if (r->v[at].low < low) {
		struct range rest = r->v[at];

		r->v[at].high = low;
		end = ++at;
		if (rest.high > high) {
			/* A hole within: the part behind it is a range of its own. */
			rest.low = high;
			insert(r, at, rest, rest.name ? strlen(rest.name) : 0);
			return;
		}
	}
	while (end < r->n && r->v[end].high <= high)
		free(r->v[end++].name);
	if (end < r->n && r->v[end].low < high)
		r->v[end].low = high;
	memmove(&r->v[at], &r->v[end], (r->n - end) * sizeof(*r->v));
	r->n -= end - at;
}

void ranges_put(struct ranges *r, const struct range *range, size_t name_len)
{
	ranges_cut(r, range->low, range->high);
	insert(r, first_behind(r, range->low), *range, name_len);
}

const struct range *ranges_at(const struct ranges *r, uint64_t addr)
{
	size_t at = first_behind(r, addr);

	return at < r->n && r->v[at].low <= addr ? &r->v[at] : NULL;
}

void ranges_free(struct ranges *r)
{
	ranges_cut(r, 0, UINT64_MAX);
	free(r->v);
	*r = (struct ranges){ 0 };
}
