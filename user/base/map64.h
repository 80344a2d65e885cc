/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A hash table from 64-bit keys to 64-bit values, used everywhere in etrace.
 *
 * Keys are numbers (pids, inodes) or, for text and for several numbers, their
 * hash (base/hash.h).  Values are numbers, indexes into an
 * array of the owner, or pointers.  Open addressing, at most 3/4 full.
 */
#ifndef ETRACE_MAP64_H
#define ETRACE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Initialize with zeros; map64_clear() frees its memory. */
struct map64 {
	struct map64_slot {
		uint64_t key;	/* 0 if the slot is free; slots[cap] is reserved for the key 0 */
		uint64_t value;
	} *slots;
	size_t n;	/* number of keys */
	size_t cap;	/* number of slots, a power of two, or 0; without the slot of key 0 */
	bool zero;	/* the table contains the key 0 */
};

/* The index of the slot where the search for a key other than 0 begins. */
static inline size_t map64_home(const struct map64 *m, uint64_t key)
{
	return hash_word(key) & (m->cap - 1);
}

/* The slot of a key, or the free slot where it would go.  The table has a free slot. */
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
 * Return: a pointer to its value, valid until the next map64_at(), map64_put() or
 * map64_remove(); NULL if the key is missing.
 */
static inline uint64_t *map64_get(const struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->n ? map64_find(m, key) : NULL;

	return s && (s->key || (!key && m->zero)) ? &s->value : NULL;
}

/** map64_at - look up a key; if it is missing, add it with the value 0 */
uint64_t *map64_at(struct map64 *m, uint64_t key);

/** map64_put - set a key's value; adds the key if it is missing */
static inline void map64_put(struct map64 *m, uint64_t key, uint64_t value)
{
	*map64_at(m, key) = value;
}

/** map64_first - count a key in its value. Return: whether the key is new. */
static inline bool map64_first(struct map64 *m, uint64_t key)
{
	return !(*map64_at(m, key))++;
}

/** map64_pointer - the value of a key, a pointer.  Return: NULL if the key is missing. */
static inline void *map64_pointer(const struct map64 *m, uint64_t key)
{
	const uint64_t *at = map64_get(m, key);

	return at ? (void *)(uintptr_t)*at : NULL;
}

/** map64_remove - remove a key.  Return: its value, 0 if it was missing. */
uint64_t map64_remove(struct map64 *m, uint64_t key);

/** map64_clear - remove all keys and free the memory */
void map64_clear(struct map64 *m);

/**
 * map64_each - walk over all entries, in an order that differs from run to run
 * @i: position, start with 0
 *
 * Return: the next entry, or NULL after the last.  No keys may be added or removed
 * meanwhile; values may change.
 */
struct map64_slot *map64_each(const struct map64 *m, size_t *i);

/**
 * map64_sorted - all entries, in an order that is the same in each run
 * @order: map64_by_key or map64_by_value
 *
 * Return: an array of @m->n copies, to be freed by the caller.
 */
struct map64_slot *map64_sorted(const struct map64 *m, int (*order)(const void *, const void *));
int map64_by_key(const void *a, const void *b);
int map64_by_value(const void *a, const void *b);

#endif
