// SPDX-License-Identifier: LGPL-2.1
/* Files of times that cannot be.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>

/* What clocks of a file system may be off. */
#define SLACK 1000000000ll

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * What CLOCK_REALTIME was when the trace began: files say when they were written, and
 * the trace does.  The middle of all, because some have times that were set.
 *
 * Return: false: no file tells.
 */
static bool beginning(struct db *db, int64_t *begin)
{
	static const char text[] =
		"SELECT v.mtime - a.until FROM version AS v JOIN access AS a ON a.version = v.id AND a.how = 2\n"
		" WHERE v.made IN (1, 2) AND v.mtime IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(db, text, "");
	size_t n = 0, cap = 0;
	int64_t *all = NULL;

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

static void find_newer(struct check *c, int64_t begin)
{
	static const char text[] =
		"SELECT v.file, v.mtime, a.exec FROM version AS v JOIN access AS a ON a.version = v.id AND a.how = 2\n"
		" WHERE v.made IN (1, 2) AND v.mtime IS NOT NULL AND v.file IS NOT NULL ORDER BY a.rowid";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "");

	while (db_row(c->s.db, st)) {
		uint32_t unit = c->s.unit_of[db_int(st, 2)];

		if (unit && db_int(st, 1) - begin > c->s.units[unit].until + SLACK)
			check_add(c, (struct check_finding){
				.kind = CHECK_CLOCK, .file = (uint32_t)db_int(st, 0),
				.unit = unit, .what = "newer than the end of what wrote it",
			});
	}
}

/* What was there before: younger than the build, or than its reading. */
static void find_changed(struct check *c, int64_t begin)
{
	static const char text[] =
		"SELECT coalesce(a.file, v.file), v.mtime, a.exec FROM version AS v JOIN access AS a\n"
		" ON a.version = v.id AND a.how IN (1, 3)\n"
		" WHERE v.made = 0 AND v.mtime > ? AND v.file IS NOT NULL ORDER BY a.rowid";
	int64_t end = db_meta(c->s.db, "end", 0);
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "i", begin + SLACK);

	while (db_row(c->s.db, st)) {
		uint32_t unit = c->s.unit_of[db_int(st, 2)], file = (uint32_t)db_int(st, 0);
		bool future = db_int(st, 1) > begin + end + SLACK;

		if (unit && (future || c->place[file] == PLACE_TREE))
			check_add(c, (struct check_finding){
				.kind = CHECK_CLOCK, .file = file, .unit = unit,
				.what = future ? "from the future" :
					"changed during the build, by nobody in it",
			});
	}
}

static void find_set(struct check *c, int64_t begin)
{
	static const char text[] =
		"SELECT file, exec FROM change WHERE what = ?1 AND coalesce(error, 0) = 0\n"
		" AND file IS NOT NULL AND value > at + ?2 ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "ii", (int64_t)GRAPH_UTIMENS,
					 begin + SLACK);

	while (db_row(c->s.db, st))
		check_add(c, (struct check_finding){
			.kind = CHECK_CLOCK, .file = (uint32_t)db_int(st, 0),
			.unit = c->s.unit_of[db_int(st, 1)], .what = "its time was set to the future",
		});
}

void check_clock(struct check *c)
{
	int64_t begin;

	if (!beginning(c->s.db, &begin))
		return;
	find_newer(c, begin);
	find_changed(c, begin);
	find_set(c, begin);
}
