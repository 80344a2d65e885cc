// SPDX-License-Identifier: LGPL-2.1
/* Memory that is freed all at once.  See pool.h. */
#include "base/pool.h"
#include "base/xalloc.h"

#include <stdlib.h>

void *pool_keep(struct pool *pool, void *p)
{
	pool->kept = xgrow(pool->kept, &pool->cap, pool->n + 1, sizeof(*pool->kept));
	pool->kept[pool->n++] = p;
	return p;
}

void pool_reset(struct pool *pool)
{
	while (pool->n)
		free(pool->kept[--pool->n]);
}

void pool_free(struct pool *pool)
{
	pool_reset(pool);
	free(pool->kept);
	*pool = (struct pool){ 0 };
}
