/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Numbers for strings, in the order in which they first come.  What is kept of a
 * string is a hash that stands for it (base/hash.h): its bytes are with whoever
 * was told of it.
 */
#ifndef ETRACE_INTERN_H
#define ETRACE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts with all zeros; intern_free() ends it. */
struct intern {
	uint64_t *hashes;	/* slots; beside each its number, 0: free */
	uint32_t *ids;
	size_t cap;
	uint32_t n;		/* numbers given: 1 to n */
};

/** intern_get - the number of a string, a new one if @*fresh comes back true */
uint32_t intern_get(struct intern *t, const char *s, size_t len, bool *fresh);

/** intern_find - the number of a string.  Return: 0: it never came. */
uint32_t intern_find(const struct intern *t, const char *s, size_t len);

void intern_free(struct intern *t);

#endif
