// SPDX-License-Identifier: LGPL-2.1
/* A queue in the order of time.  See order.h. */
#include "event/order.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void order_free(struct order *o)
{
	free(o->rows);
	memset(o, 0, sizeof(*o));
}

void order_insert(struct order *o, struct order_row row)
{
	size_t lo = o->first, hi = o->first + o->n;

	if (hi == o->cap && o->first > o->n) {
		memmove(o->rows, o->rows + o->first, o->n * sizeof(row));
		o->first = lo = 0;
		hi = o->n;
	}
	if (hi == o->cap)
		o->rows = xgrow(o->rows, &o->cap, hi + 1, sizeof(row));
	if (hi > lo && !order_before(&o->rows[hi - 1], &row)) {
		size_t end = hi;

		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (order_before(&o->rows[mid], &row))
				lo = mid + 1;
			else
				hi = mid;
		}
		memmove(o->rows + lo + 1, o->rows + lo, (end - lo) * sizeof(row));
	} else {
		lo = hi;
	}
	o->rows[lo] = row;
	o->n++;
}
