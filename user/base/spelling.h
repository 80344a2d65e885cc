/* SPDX-License-Identifier: LGPL-2.1 */
/* Finds the name that is most similar to a mistyped one, for "did you mean". */
#ifndef ETRACE_SPELLING_H
#define ETRACE_SPELLING_H

#include <stddef.h>

/**
 * spelling_distance - Levenshtein distance of two names, in bytes
 *
 * The number of bytes to change, add or remove to turn one into the other. Only the
 * first 128 bytes of each are compared.
 */
unsigned int spelling_distance(const char *a, size_t na, const char *b, size_t nb);

/* The most similar of the names tried so far. Starts as { .wanted = NAME }. */
struct spelling {
	const char *wanted;
	const char *best;	/* NULL if none is similar */
	unsigned int distance;	/* spelling_distance() of @best */
};

/** spelling_try - keep @name as the best if it is similar, and more so than those before */
void spelling_try(struct spelling *s, const char *name);

#endif
