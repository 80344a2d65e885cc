/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A table from 64-bit keys to 64-bit values, for state that a converter keeps
 * by pid, address or the like.  What the numbers mean is not known here.
 */
#ifndef ETRACE_MAP64_H
#define ETRACE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with all zeros; map64_clear() frees. */
struct map64 {
	struct map64_slot {
		uint64_t key;	/* 0: a free slot; the key 0 stands behind the others */
		uint64_t value;
	} *slots;
	size_t n;	/* keys in it */
	size_t cap;	/* slots but for that of the key 0: a power of two, or 0 */
	bool zero;	/* the key 0 is in it */
};

/**
 * map64_get - look up a key
 *
 * Return: where its value stands, valid until the next map64_put() or
 * map64_remove(), or NULL.
 */
uint64_t *map64_get(const struct map64 *m, uint64_t key);

/** map64_put - set a key's value, whether it was there or not */
void map64_put(struct map64 *m, uint64_t key, uint64_t value);

/** map64_remove - take a key out. Return: whether it was there. */
bool map64_remove(struct map64 *m, uint64_t key);

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
