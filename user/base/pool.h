/* SPDX-License-Identifier: LGPL-2.1 */
/* Memory that is allocated piece by piece, and freed all at once. */
#ifndef ETRACE_POOL_H
#define ETRACE_POOL_H

#include <stddef.h>

/* Initialize with zeros; pool_free() frees its memory. */
struct pool {
	void **kept;
	size_t n, cap;
};

/** pool_keep - give memory that was allocated with malloc() to the pool.  Return: @p. */
void *pool_keep(struct pool *pool, void *p);

/** pool_reset - free all that the pool keeps, to use it again */
void pool_reset(struct pool *pool);

void pool_free(struct pool *pool);

#endif
