// SPDX-License-Identifier: LGPL-2.1
/* What a build left, and when it was.  See answers.h. */
#include "answers/answers.h"
#include "answers/reach.h"
#include "base/xalloc.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

bool answers_realtime(struct db *db, int64_t *begin)
{
	static const char text[] =
		"SELECT v.mtime - a.until FROM version AS v JOIN access AS a ON a.version = v.id AND a.how = 2\n"
		" WHERE v.made IN (1, 2) AND v.mtime IS NOT NULL";
	struct sqlite3_stmt *st;
	int64_t *all = NULL, since = db_meta(db, "realtime", -1);
	size_t n = 0, cap = 0;

	if (since >= 0) {
		*begin = since + db_meta(db, "begin", 0);
		return true;
	}
	st = db_ask(db, text, "");
	while (db_row(db, st)) {
		all = xgrow(all, &cap, n + 1, sizeof(*all));
		all[n++] = db_int(st, 0);
	}
	if (n)
		qsort(all, n, sizeof(*all), by_value);
	*begin = n ? all[n / 2] : 0;
	free(all);
	return n;
}

static bool is_output(struct db *db, uint32_t file)
{
	static const char text[] =
		"SELECT made IN (1, 2) OR made = 0 AND file <> ?2 FROM version WHERE id = ?1";
	uint32_t version = reach_present(db, file);

	return version && db_one(db, text, "ii", (int64_t)reach_written(db, version),
				 (int64_t)file);
}

size_t answers_outputs(struct db *db, uint32_t **files)
{
	static const char text[] =
		"SELECT DISTINCT file FROM version WHERE made IN (1, 2) AND file IS NOT NULL\n"
		" UNION SELECT file FROM name WHERE version IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(db, text, "");
	size_t n = 0, cap = 0;

	*files = NULL;
	while (db_row(db, st)) {
		uint32_t file = db_id(db, st, 0, DB_FILES);

		if (!is_output(db, file))
			continue;
		*files = xgrow(*files, &cap, n + 1, sizeof(**files));
		(*files)[n++] = file;
	}
	return n;
}
