// SPDX-License-Identifier: LGPL-2.1
/* Finds out when a build began, by CLOCK_REALTIME.  See answers.h. */
#include "answers/answers.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

bool answers_realtime(struct db *db, int64_t *begin)
{
	const struct build *b = build_of(db);
	int64_t *all, since = db_meta(db, "realtime", -1);
	size_t n = 0, cap = 0;

	if (since >= 0) {
		*begin = since + db_meta(db, "begin", 0);
		return true;
	}
	all = xgrow(NULL, &cap, 1, sizeof(*all));
	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how != GRAPH_WRITE || !v->identified || !build_is_written(v))
			continue;
		all = xgrow(all, &cap, n + 1, sizeof(*all));
		all[n++] = v->mtime - a->until;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_value);
	*begin = n ? all[n / 2] : 0;
	free(all);
	return n;
}
