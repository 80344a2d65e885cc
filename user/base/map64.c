// SPDX-License-Identifier: LGPL-2.1
/* A table of 64-bit keys with open addressing.  See map64.h. */
#include "base/map64.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

static size_t home(const struct map64 *m, uint64_t key)
{
	return hash_word(key) & (m->cap - 1);
}

static bool is_used(const struct map64 *m, const struct map64_slot *s)
{
	return s->key || (m->zero && s == m->slots + m->cap);
}

/* The slot of a key, or the free one where it would go; there is one. */
static struct map64_slot *find(const struct map64 *m, uint64_t key)
{
	size_t i = key ? home(m, key) : m->cap;

	while (m->slots[i].key && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->cap ? find(m, key) : NULL;

	return s && is_used(m, s) ? &s->value : NULL;
}

static void resize(struct map64 *m, size_t cap)
{
	struct map64 old = *m;

	m->slots = xcalloc(cap + 1, sizeof(*m->slots));
	m->cap = cap;
	for (size_t i = 0; i < old.cap + !!old.cap; i++)
		if (is_used(&old, &old.slots[i]))
			*find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void map64_put(struct map64 *m, uint64_t key, uint64_t value)
{
	struct map64_slot *s;

	if (4 * (m->n + 1) > 3 * m->cap)
		resize(m, m->cap ? 2 * m->cap : 8);
	s = find(m, key);
	m->n += !is_used(m, s);
	m->zero |= !key;
	*s = (struct map64_slot){ key, value };
}

bool map64_remove(struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->cap ? find(m, key) : NULL;
	size_t hole, i;

	if (!s || !is_used(m, s))
		return false;
	m->n--;
	if (!key) {
		m->zero = false;
		return true;
	}
	/* Move up what could not stand at its own place because of this. */
	hole = i = (size_t)(s - m->slots);
	for (;;) {
		i = (i + 1) & (m->cap - 1);
		if (!m->slots[i].key)
			break;
		if (((i - home(m, m->slots[i].key)) & (m->cap - 1)) <
		    ((i - hole) & (m->cap - 1)))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].key = 0;
	return true;
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
