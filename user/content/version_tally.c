// SPDX-License-Identifier: GPL-2.0
/* Counts contents that were used, and those with a hash.  See version_tally.h. */
#include "content/version_tally.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* What is kept for a version: bits, and how far before it the version is that it changed. */
enum {
	IS_FILE = 1, IS_USED = 2, IS_WRITTEN = 4, IS_HASHED = 8,
	DISTANCE_SHIFT = 4,
};

#define MOST_DISTANT (UINT32_MAX >> DISTANCE_SHIFT)

static uint32_t *row_at(struct version_tally *t, uint32_t version)
{
	if (version >= t->n) {
		t->rows = xgrow(t->rows, &t->cap, version + 1ul, sizeof(*t->rows));
		memset(t->rows + t->n, 0, (version + 1ul - t->n) * sizeof(*t->rows));
		t->n = version + 1ul;
	}
	return &t->rows[version];
}

void version_tally_begin(struct version_tally *t, const struct graph_version *v)
{
	uint32_t *row = row_at(t, v->id);

	if (v->made > GRAPH_CHANGED)
		return;
	*row |= IS_FILE;
	if (v->made == GRAPH_CHANGED && v->base && v->id - v->base <= MOST_DISTANT)
		*row |= (v->id - v->base) << DISTANCE_SHIFT;
}

void version_tally_use(struct version_tally *t, const struct graph_access *a)
{
	if (!a->version || (a->how != GRAPH_READ && a->how != GRAPH_RUN && a->how != GRAPH_WRITE))
		return;
	*row_at(t, a->version) |= IS_USED | (a->how == GRAPH_WRITE ? IS_WRITTEN : 0);
}

void version_tally_hash(struct version_tally *t, uint32_t version, bool known)
{
	uint32_t *row = row_at(t, version);

	*row = known ? *row | IS_HASHED : *row & ~(uint32_t)IS_HASHED;
}

uint64_t version_tally_count(const struct version_tally *t, uint64_t *hashed)
{
	uint32_t *bits = xcalloc(t->n + 1, sizeof(*bits));
	uint64_t used = 0;

	*hashed = 0;
	/* last version first: a version without writes has the content of the one before it */
	for (size_t i = t->n; i--;) {
		uint32_t distance = t->rows[i] >> DISTANCE_SHIFT;

		bits[i] |= t->rows[i];
		if (distance && !(t->rows[i] & IS_WRITTEN)) {
			bits[i - distance] |= bits[i] & (IS_USED | IS_HASHED);
		} else if (bits[i] & IS_FILE && bits[i] & IS_USED) {
			used++;
			*hashed += !!(bits[i] & IS_HASHED);
		}
	}
	free(bits);
	return used;
}

void version_tally_free(struct version_tally *t)
{
	free(t->rows);
}
