// SPDX-License-Identifier: LGPL-2.1
/* Files of times that cannot be.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>

/* What clocks of a file system may be off. */
#define SLACK 1000000000ll

static void find_newer(struct check *c, int64_t begin)
{
	static const char text[] =
		"SELECT v.file, v.mtime, a.exec FROM version AS v JOIN access AS a ON a.version = v.id AND a.how = 2\n"
		" WHERE v.made IN (1, 2) AND v.mtime IS NOT NULL AND v.file IS NOT NULL ORDER BY a.rowid";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "");

	while (db_row(c->s.db, st)) {
		uint32_t unit = c->s.unit_of[db_id(c->s.db, st, 2, DB_EXECS)];

		if (unit && db_int(st, 1) - begin > c->s.units[unit].until + SLACK)
			check_add(c, (struct check_finding){
				.kind = CHECK_CLOCK, .file = db_id(c->s.db, st, 0, DB_FILES),
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
		uint32_t unit = c->s.unit_of[db_id(c->s.db, st, 2, DB_EXECS)];
		uint32_t file = db_id(c->s.db, st, 0, DB_FILES);
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
			.kind = CHECK_CLOCK, .file = db_id(c->s.db, st, 0, DB_FILES),
			.unit = c->s.unit_of[db_id(c->s.db, st, 1, DB_EXECS)], .what = "its time was set to the future",
		});
}

void check_clock(struct check *c)
{
	int64_t begin;

	if (!answers_realtime(c->s.db, &begin))
		return;
	find_newer(c, begin);
	find_changed(c, begin);
	find_set(c, begin);
}
