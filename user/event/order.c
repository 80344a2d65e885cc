// SPDX-License-Identifier: LGPL-2.1
/* A queue in time order.  See order.h. */
#include "event/order.h"
#include "base/partition.h"
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
	size_t at, end = o->first + o->n;

	if (end == o->cap && o->first > o->n) {
		memmove(o->rows, o->rows + o->first, o->n * sizeof(row));
		o->first = 0;
		end = o->n;
	}
	if (end == o->cap)
		o->rows = xgrow(o->rows, &o->cap, end + 1, sizeof(row));
	at = partition_point(i, o->first, end, order_before(&o->rows[i], &row));
	memmove(o->rows + at + 1, o->rows + at, (end - at) * sizeof(row));
	o->rows[at] = row;
	o->n++;
}
