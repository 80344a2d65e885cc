// SPDX-License-Identifier: LGPL-2.1
/* The check clock: files with impossible times.  See check.h. */
#include "answers/check.h"

/* Largest deviation of a file system's clock that is accepted, ns. */
#define SLACK 1000000000ll

/* When the last program that wrote a version ended. */
static int64_t written_until(const struct check *c, uint32_t version)
{
	const struct build *b = c->s.b;
	int64_t until = 0;

	for (uint32_t i = 0; i < b->versions[version].writes; i++) {
		uint32_t unit = c->s.unit_of[build_use(b, version, i)->exec];

		if (c->s.units[unit].until > until)
			until = c->s.units[unit].until;
	}
	return until;
}

static void find_newer(struct check *c, uint32_t version, int64_t begin)
{
	const struct build_version *v = &c->s.versions[version];
	uint32_t unit = c->s.unit_of[build_writer(c->s.b, version)];

	if (build_is_written(v) && v->writes && unit &&
	    v->mtime - begin > written_until(c, version) + SLACK)
		check_add(c, (struct check_finding){
			.kind = CHECK_CLOCK, .file = v->file, .unit = unit,
			.what = "newer than the end of the program that wrote it",
		});
}

/* Find a file that existed before the build, although its mtime is later than its beginning. */
static void find_changed(struct check *c, const struct build_access *a, int64_t begin)
{
	const struct build_version *v = &c->s.versions[a->version];
	bool future = v->mtime > begin + c->s.b->end + SLACK;

	if (v->made == GRAPH_EXISTED && v->mtime > begin + SLACK &&
	    (future || c->place[a->file] == PLACE_TREE))
		check_add(c, (struct check_finding){
			.kind = CHECK_CLOCK, .file = a->file, .unit = c->s.unit_of[a->exec],
			.what = future ? "from the future" : "changed during the build, but not by it",
		});
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
	const struct build *b = c->s.b;
	int64_t begin;

	if (!answers_realtime(c->s.db, &begin))
		return;
	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		const struct build_version *v = &b->versions[a->version];

		if (!v->identified || !v->file || !c->s.unit_of[a->exec])
			continue;
		if (a->how == GRAPH_READ || a->how == GRAPH_RUN)
			find_changed(c, a, begin);
	}
	for (uint32_t i = 1; i <= b->nversions; i++)
		if (c->s.versions[i].identified && c->s.versions[i].file)
			find_newer(c, i, begin);
	find_set(c, begin);
}
