// SPDX-License-Identifier: LGPL-2.1
/* A table of 64-bit keys with open addressing.  See map64.h. */
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>

static bool is_used(const struct map64 *m, const struct map64_slot *s)
{
	return s->key || (m->zero && s == m->slots + m->cap);
}

static void resize_slots(struct map64 *m, size_t cap)
{
	struct map64 old = *m;

	m->slots = xcalloc(cap + 1, sizeof(*m->slots));
	m->cap = cap;
	for (size_t i = 0; i < old.cap + !!old.cap; i++)
		if (is_used(&old, &old.slots[i]))
			*map64_find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *map64_at(struct map64 *m, uint64_t key)
{
	struct map64_slot *s;

	if (4 * (m->n + 1) > 3 * m->cap)
		resize_slots(m, m->cap ? 2 * m->cap : 32);
	s = map64_find(m, key);
	if (!is_used(m, s)) {
		m->n++;
		m->zero |= !key;
		*s = (struct map64_slot){ .key = key };
	}
	return &s->value;
}

uint64_t map64_remove(struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->n ? map64_find(m, key) : NULL;
	const size_t mask = m->cap - 1;
	uint64_t value;
	size_t hole;

	if (!s || !is_used(m, s))
		return 0;
	value = s->value;
	m->n--;
	if (!key) {
		m->zero = false;
		return value;
	}
	/* Fill the hole with a later entry that the search would no longer find after it. */
	hole = (size_t)(s - m->slots);
	for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
		if (((i - map64_home(m, m->slots[i].key)) & mask) < ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].key = 0;
	return value;
}

void map64_clear(struct map64 *m)
{
	free(m->slots);
	*m = (struct map64){ 0 };
}

struct map64_slot *map64_each(const struct map64 *m, size_t *i)
{
	while (m->cap && *i <= m->cap) {
		struct map64_slot *s = &m->slots[(*i)++];

		if (is_used(m, s))
			return s;
	}
	return NULL;
}

int map64_by_key(const void *a, const void *b)
{
	const struct map64_slot *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

int map64_by_value(const void *a, const void *b)
{
	const struct map64_slot *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

struct map64_slot *map64_sorted(const struct map64 *m, int (*order)(const void *, const void *))
{
	struct map64_slot *all = xcalloc(m->n, sizeof(*all)), *e;
	size_t n = 0;

	for (size_t i = 0; (e = map64_each(m, &i));)
		all[n++] = *e;
	qsort(all, n, sizeof(*all), order);
	return all;
}
