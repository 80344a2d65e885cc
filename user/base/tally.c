// SPDX-License-Identifier: LGPL-2.1
/* Counts by name.  See tally.h. */
#include "base/tally.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void tally_free(struct tally *t)
{
	for (size_t i = 0; i < t->cap; i++)
		free(t->rows[i].name);
	free(t->rows);
	memset(t, 0, sizeof(*t));
}

static struct tally_row *probe(const struct tally *t, uint64_t hash,
			       const char *name, size_t len)
{
	size_t i = hash & (t->cap - 1);

	for (; t->rows[i].name; i = (i + 1) & (t->cap - 1))
		if (t->rows[i].hash == hash && t->rows[i].len == len &&
		    !memcmp(t->rows[i].name, name, len))
			break;
	return &t->rows[i];
}

/* What a name takes beside its bytes: malloc()'s own. */
#define NAME_MORE	16u

/* A table of @cap rows with those of the old one that may have come more than @least. */
static void rebuild(struct tally *t, size_t cap, uint64_t least)
{
	struct tally_row *old = t->rows;
	size_t old_cap = t->cap;

	t->rows = xcalloc(cap, sizeof(*t->rows));
	t->bytes += (cap - old_cap) * sizeof(*t->rows);
	t->cap = cap;
	t->used = 0;
	for (size_t i = 0; i < old_cap; i++) {
		struct tally_row *row = &old[i];

		if (!row->name)
			continue;
		if (row->n + row->low <= least) {
			t->bytes -= row->len + NAME_MORE;
			free(row->name);
			continue;
		}
		*probe(t, row->hash, row->name, row->len) = *row;
		t->used++;
	}
	free(old);
}

/* The names that came least often go. */
static void forget(struct tally *t)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < t->cap; i++) {
		const struct tally_row *row = &t->rows[i];

		if (row->name && row->n + row->low < least)
			least = row->n + row->low;
	}
	t->forgotten = least;
	rebuild(t, t->cap, least);
}

/* Room for one more name of @len bytes. */
static void make_room(struct tally *t, size_t len)
{
	size_t more = len + NAME_MORE, rows = t->cap * sizeof(*t->rows);

	if (2 * (t->used + 1) > t->cap && t->bytes + rows + more <= TALLY_BYTES)
		rebuild(t, t->cap ? t->cap * 2 : 64, 0);
	while (t->used && (2 * (t->used + 1) > t->cap || t->bytes + more > TALLY_BYTES))
		forget(t);
	t->bytes += more;
}

void tally_add(struct tally *t, const char *name, size_t len, uint64_t value)
{
	uint64_t hash = hash_bytes(name, len);
	struct tally_row *row = t->cap ? probe(t, hash, name, len) : NULL;

	if (!row || !row->name) {
		make_room(t, len);
		row = probe(t, hash, name, len);
		row->name = xmemdup(name, len);
		row->len = len;
		row->hash = hash;
		row->low = t->forgotten;
		t->used++;
		t->names++;
	}
	row->n++;
	row->total += value;
	if (value > row->most)
		row->most = value;
}

static uint64_t key_of(const struct tally_row *row, enum tally_key key)
{
	return key == TALLY_N ? row->n : key == TALLY_TOTAL ? row->total : row->most;
}

static int above(const struct tally_row *x, const struct tally_row *y, enum tally_key key)
{
	size_t n = x->len < y->len ? x->len : y->len;
	int c;

	if (key_of(x, key) != key_of(y, key))
		return key_of(x, key) > key_of(y, key);
	c = memcmp(x->name, y->name, n);
	return c ? c < 0 : x->len < y->len;
}

size_t tally_top(const struct tally *t, enum tally_key key,
		 const struct tally_row **top, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < t->cap; i++) {
		const struct tally_row *row = &t->rows[i];
		size_t at;

		if (!row->name || (n == max && !above(row, top[n - 1], key)))
			continue;
		if (n < max)
			n++;
		for (at = n - 1; at && above(row, top[at - 1], key); at--)
			top[at] = top[at - 1];
		top[at] = row;
	}
	return n;
}
