/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A table from 64-bit keys to 64-bit values: the hash table of all of etrace.
 *
 * Keys are numbers (pids, inodes) or, for text and for several numbers, their
 * hash, which stands for them (base/hash.h).  Values are numbers, places in an
 * array of the owner's, or pointers.  Open addressing, at most 3/4 full.
 */
#ifndef ETRACE_MAP64_H
#define ETRACE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Start with all zeros; map64_clear() frees. */
struct map64 {
	struct map64_slot {
		uint64_t key;	/* 0 if the slot is free; the key 0 has a slot after the others */
		uint64_t value;
	} *slots;
	size_t n;	/* keys in it */
	size_t cap;	/* slots, without that of the key 0: a power of two, or 0 */
	bool zero;	/* the key 0 is in it */
};

/* The slot where a key belongs, if it is not 0. */
static inline size_t map64_home(const struct map64 *m, uint64_t key)
{
	return hash_word(key) & (m->cap - 1);
}

/* The slot of a key, or the free one where it would go; there is one. */
static inline struct map64_slot *map64_find(const struct map64 *m, uint64_t key)
{
	size_t i = key ? map64_home(m, key) : m->cap;

	while (m->slots[i].key && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

/**
 * map64_get - look up a key
 *
 * Return: where its value stands, valid until the next map64_put() or
 * map64_remove(), or NULL.
 */
static inline uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->n ? map64_find(m, key) : NULL;

	return s && (s->key || (!key && m->zero)) ? &s->value : NULL;
}

/** map64_at - map64_get(), but a key that is not there is added with the value 0 */
uint64_t *map64_at(struct map64 *m, uint64_t key);

/** map64_put - set a key's value, whether it was there or not */
static inline void map64_put(struct map64 *m, uint64_t key, uint64_t value)
{
	*map64_at(m, key) = value;
}

/** map64_first - whether a key comes for the first time; its value is how often it came */
static inline bool map64_first(struct map64 *m, uint64_t key)
{
	return !(*map64_at(m, key))++;
}

/** map64_pointer - a key's value where all are pointers. Return: NULL if it is not there. */
static inline void *map64_pointer(const struct map64 *m, uint64_t key)
{
	const uint64_t *at = map64_get(m, key);

	return at ? (void *)(uintptr_t)*at : NULL;
}

/** map64_remove - take a key out. Return: its value, 0 if it was not there. */
uint64_t map64_remove(struct map64 *m, uint64_t key);

/** map64_clear - empty it and free its memory */
void map64_clear(struct map64 *m);

/**
 * map64_each - walk over all entries, in an order that differs from run to run
 * @i: start with 0; moves on
 *
 * Return: the next entry, or NULL after the last.  The table must not change
 * meanwhile, but for values.
 */
struct map64_slot *map64_each(const struct map64 *m, size_t *i);

/**
 * map64_sorted - all entries in an order that does not differ from run to run
 * @order: one of the two below
 *
 * Return: copies of all @m->n, to be freed by the caller.
 */
struct map64_slot *map64_sorted(const struct map64 *m, int (*order)(const void *, const void *));
int map64_by_key(const void *a, const void *b);
int map64_by_value(const void *a, const void *b);

#endif
