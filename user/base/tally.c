// SPDX-License-Identifier: LGPL-2.1
/* Counts by name.  See tally.h. */
#include "base/tally.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void tally_free(struct tally *t)
{
	for (size_t i = 0; i < t->used; i++)
		free(t->rows[i].name);
	free(t->rows);
	map64_clear(&t->of);
	memset(t, 0, sizeof(*t));
}

/*
 * Upper bound of the memory that a name takes besides its bytes: its row, a spare row (the
 * array grows by doubling), its slot in the hash table, and malloc()'s overhead.
 */
#define NAME_MORE	(2 * sizeof(struct tally_row) + 48 + 16)

/* Remove the least frequent names. */
static void forget_rare(struct tally *t)
{
	uint64_t least = UINT64_MAX;
	size_t n = t->used;

	for (size_t i = 0; i < n; i++)
		if (t->rows[i].n + t->rows[i].low < least)
			least = t->rows[i].n + t->rows[i].low;
	t->forgotten = least;
	map64_clear(&t->of);
	t->used = 0;
	for (size_t i = 0; i < n; i++) {
		struct tally_row row = t->rows[i];

		if (row.n + row.low <= least) {
			t->bytes -= row.len + NAME_MORE;
			free(row.name);
			continue;
		}
		map64_put(&t->of, row.hash, t->used);
		t->rows[t->used++] = row;
	}
}

static struct tally_row *add_row(struct tally *t, uint64_t hash, const char *name, size_t len)
{
	while (t->used && t->bytes + len + NAME_MORE > TALLY_BYTES)
		forget_rare(t);
	t->bytes += len + NAME_MORE;
	t->rows = xgrow(t->rows, &t->cap, t->used + 1, sizeof(*t->rows));
	t->rows[t->used] = (struct tally_row){
		.name = xmemdup(name, len), .len = len, .hash = hash, .low = t->forgotten,
	};
	t->names++;
	map64_put(&t->of, hash, t->used);
	return &t->rows[t->used++];
}

void tally_add(struct tally *t, const char *name, size_t len, uint64_t value)
{
	uint64_t hash = hash_bytes(name, len), *at = map64_get(&t->of, hash);
	struct tally_row *row = at ? &t->rows[*at] : add_row(t, hash, name, len);

	row->n++;
	row->total += value;
	if (value > row->most)
		row->most = value;
}

static uint64_t key_of(const struct tally_row *row, enum tally_key key)
{
	return key == TALLY_N ? row->n : key == TALLY_TOTAL ? row->total : row->most;
}

static int ranks_above(const struct tally_row *x, const struct tally_row *y, enum tally_key key)
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

	for (size_t i = 0; i < t->used; i++) {
		const struct tally_row *row = &t->rows[i];
		size_t at;

		if (n == max && !ranks_above(row, top[n - 1], key))
			continue;
		if (n < max)
			n++;
		for (at = n - 1; at && ranks_above(row, top[at - 1], key); at--)
			top[at] = top[at - 1];
		top[at] = row;
	}
	return n;
}
