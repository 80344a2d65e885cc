// SPDX-License-Identifier: LGPL-2.1
/*
 * Checks whether etrace may have made an existing database. The file is untrusted, and answers
 * walk from row to row. So tables, views and indexes must equal those of schema.sql, byte for
 * byte, and a row may refer only to rows with possible ids; a program or version only to earlier
 * ones, so that every walk ends.
 *
 * An index may disagree with its table, and JSON also contains numbers. So every number used as an
 * index into memory is checked again where it is read: db_id(), db_earlier(). Checking all rows
 * takes 0.1 s for each 400,000 and only finds damage earlier, even where an answer never looks. So
 * it is skipped if the file was not changed since etrace made it.
 */
#include "db/bind.h"
#include "db/indexes.sql.h"
#include "db/schema.sql.h"
#include "db/views.sql.h"
#include "base/buf.h"
#include "graph/graph.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <string.h>

/* ---- tables, views and indexes ---- */

/* A table, view or index, as in sqlite_schema. */
struct object {
	char *type, *name, *table, *sql;
	bool optional;		/* created after all rows, so it is missing after a kill */
	bool there;
};

struct objects {
	struct object *rows;
	size_t n, cap;
};

static const char schema_of[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema";

static char *text_at(sqlite3_stmt *st, int i)
{
	const char *s = (const char *)sqlite.column_text(st, i);

	return xstrdup(s ? s : "");
}

static bool take_objects(sqlite3 *sql, bool optional, struct objects *to)
{
	sqlite3_stmt *st;
	int err = sqlite.prepare_v2(sql, schema_of, -1, &st, NULL);

	while (!err && (err = sqlite.step(st)) == SQLITE_ROW) {
		to->rows = xgrow(to->rows, &to->cap, to->n + 1, sizeof(*to->rows));
		to->rows[to->n++] = (struct object){
			text_at(st, 0), text_at(st, 1), text_at(st, 2), text_at(st, 3),
			optional, false,
		};
		err = SQLITE_OK;
	}
	sqlite.finalize(st);
	return err == SQLITE_DONE;
}

/* The objects of an empty database.  Return: false if SQLite cannot make one. */
static bool expected_objects(struct objects *to)
{
	sqlite3 *sql;
	bool good = !sqlite.open_v2(":memory:", &sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				    NULL) &&
		    !sqlite.exec(sql, schema_sql, NULL, NULL, NULL) &&
		    !sqlite.exec(sql, views_sql, NULL, NULL, NULL) && take_objects(sql, false, to);
	size_t n = to->n;

	good = good && !sqlite.exec(sql, indexes_sql, NULL, NULL, NULL) &&
	       take_objects(sql, true, to);
	sqlite.close(sql);
	/* the second take_objects() has added the first @n again: their copies need not be found */
	for (size_t i = n; i < to->n; i++)
		for (size_t k = 0; k < n; k++)
			to->rows[i].there |= !strcmp(to->rows[i].name, to->rows[k].name);
	return good;
}

static void objects_free(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->rows[i].type);
		free(o->rows[i].name);
		free(o->rows[i].table);
		free(o->rows[i].sql);
	}
	free(o->rows);
}

static struct object *find_object(const struct objects *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->rows[i].name, name))
			return &o->rows[i];
	return NULL;
}

/* Whether an object is SQLite's own: statistics of the query planner, or an index for a key. */
static bool is_of_sqlite(const struct object *o)
{
	return (!strcmp(o->type, "table") && !strncmp(o->name, "sqlite_stat", 11)) ||
	       (!strcmp(o->type, "index") && !*o->sql);
}

/*
 * Additional tables and views do no harm, because nothing queries them; additional
 * objects of our tables would.
 */
static bool compare_objects(struct db *db, const struct objects *have, const struct objects *want)
{
	for (size_t i = 0; i < have->n; i++) {
		const struct object *o = &have->rows[i];
		struct object *w = find_object(want, o->name);

		if (is_of_sqlite(o))
			continue;
		if (w && !strcmp(o->type, w->type) && !strcmp(o->table, w->table) &&
		    !strcmp(o->sql, w->sql)) {
			w->there = true;
		} else if (w || find_object(want, o->table)) {
			db_damaged(db, "its %s %s is not the one that etrace makes", o->type, o->name);
			return false;
		}
	}
	for (size_t i = 0; i < want->n; i++)
		if (!want->rows[i].there && !want->rows[i].optional && *want->rows[i].sql) {
			db_damaged(db, "it has no %s %s", want->rows[i].type, want->rows[i].name);
			return false;
		}
	return true;
}

static bool schema_is_ours(struct db *db)
{
	struct objects have = { 0 }, want = { 0 };
	bool good = expected_objects(&want);

	if (!good)
		db_damaged(db, "SQLite cannot make an empty one to compare it with");
	else if (!take_objects(db->sql, false, &have))
		db_fail(db);
	good = !db->failed && compare_objects(db, &have, &want);
	objects_free(&have);
	objects_free(&want);
	return good;
}

/* ---- rows ---- */

/*
 * What a column may contain: ids of a table; ids below the row's own; numbers up to @max; times.
 */
enum bound { FILES, VERSIONS, EXECS, PROCESSES, STRINGS, BELOW, UP_TO, TIME };

static const struct rule {
	const char *table, *column;
	enum bound bound;
	unsigned int max;	/* the limit, for UP_TO */
} rules[] = {
	{ "file", "id", FILES, 0 },
	{ "string", "id", STRINGS, 0 },
	{ "version", "id", VERSIONS, 0 },
	{ "version", "file", FILES, 0 },
	{ "version", "made", UP_TO, GRAPH_NMADE - 1 },
	{ "version", "exec", EXECS, 0 },
	{ "version", "base", BELOW, 0 },
	{ "version", "target", FILES, 0 },
	{ "version", "at", TIME, 0 },
	{ "content", "version", VERSIONS, 0 },
	{ "content", "at", TIME, 0 },
	{ "name", "file", FILES, 0 },
	{ "name", "version", VERSIONS, 0 },
	{ "name", "exec", EXECS, 0 },
	{ "name", "at", TIME, 0 },
	{ "asked", "file", FILES, 0 },
	{ "asked", "path", STRINGS, 0 },
	{ "asked", "class", UP_TO, GRAPH_NCLASSES - 1 },
	{ "process", "id", PROCESSES, 0 },
	{ "process", "parent", BELOW, 0 },
	{ "process", "at", TIME, 0 },
	{ "task", "process", PROCESSES, 0 },
	{ "task", "at", TIME, 0 },
	{ "task", "until", TIME, 0 },
	{ "exec", "id", EXECS, 0 },
	{ "exec", "process", PROCESSES, 0 },
	{ "exec", "parent", BELOW, 0 },
	{ "exec", "before", BELOW, 0 },
	{ "exec", "forked", UP_TO, 1 },
	{ "exec", "program", FILES, 0 },
	{ "exec", "interp", FILES, 0 },
	{ "exec", "cwd", FILES, 0 },
	{ "exec", "at", TIME, 0 },
	{ "exec", "until", TIME, 0 },
	{ "exec", "ended", UP_TO, GRAPH_ENDED_OPEN },
	{ "exec", "utime", TIME, 0 },
	{ "exec", "stime", TIME, 0 },
	{ "access_list", "exec", EXECS, 0 },
	{ "access_list", "at", TIME, 0 },
	{ "copy", "exec", EXECS, 0 },
	{ "copy", "input", VERSIONS, 0 },
	{ "copy", "output", VERSIONS, 0 },
	{ "copy", "at", TIME, 0 },
	{ "miss", "exec", EXECS, 0 },
	{ "miss", "at", TIME, 0 },
	{ "change", "exec", EXECS, 0 },
	{ "change", "what", UP_TO, GRAPH_NWHATS - 1 },
	{ "change", "file", FILES, 0 },
	{ "change", "to_file", FILES, 0 },
	{ "change", "version", VERSIONS, 0 },
	{ "change", "at", TIME, 0 },
	{ "net", "exec", EXECS, 0 },
	{ "net", "address", STRINGS, 0 },
	{ "net", "at", TIME, 0 },
	{ "ask", "exec", EXECS, 0 },
	{ "ask", "call", UP_TO, GRAPH_NCALLS - 1 },
	{ "ask", "name", STRINGS, 0 },
	{ "ask", "at", TIME, 0 },
	{ "env", "exec", EXECS, 0 },
	{ "env", "name", STRINGS, 0 },
	{ "env", "value", STRINGS, 0 },
	{ "printed", "exec", EXECS, 0 },
	{ "printed", "at", TIME, 0 },
	{ "loss", "at", TIME, 0 },
	{ "compilation", "exec", EXECS, 0 },
	{ "compilation", "source", FILES, 0 },
	{ "compilation", "output", FILES, 0 },
};
#define NRULES (sizeof(rules) / sizeof(rules[0]))

/* Append the SQL condition that a column is out of range.  It is never true for NULL. */
static void put_outside(struct buf *to, struct db *db, const struct rule *r)
{
	buf_adds(to, r->column);
	switch (r->bound) {
	case BELOW:
		buf_adds(to, " NOT BETWEEN 1 AND id - 1");
		break;
	case UP_TO:
		buf_adds(to, " NOT BETWEEN 0 AND ");
		buf_addu(to, r->max);
		break;
	case TIME:
		buf_adds(to, " NOT BETWEEN -" DB_TEXT(DB_TIME_MAX) " AND " DB_TEXT(DB_TIME_MAX));
		break;
	default:
		buf_adds(to, " NOT BETWEEN 1 AND ");
		buf_addu(to, db_ids(db, (enum db_table)r->bound));
	}
}

/* Append the query for the first row that breaks a rule: its rowid, and 1 for each such rule. */
static void put_question(struct buf *to, struct db *db, const struct rule *r, size_t n)
{
	buf_adds(to, "SELECT rowid");
	for (size_t i = 0; i < n; i++) {
		buf_adds(to, ", ");
		put_outside(to, db, &r[i]);
	}
	buf_adds(to, " FROM ");
	buf_adds(to, r->table);
	/* an index may disagree with its table */
	buf_adds(to, " NOT INDEXED WHERE ");
	for (size_t i = 0; i < n; i++) {
		buf_adds(to, i ? " OR " : "");
		put_outside(to, db, &r[i]);
	}
	buf_add(to, " LIMIT 1", sizeof(" LIMIT 1"));
}

static void report_row(struct db *db, sqlite3_stmt *st, const struct rule *r, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && !sqlite.column_int(st, (int)i + 1))
		i++;
	db_damaged(db, "table %s, row %" PRId64 ": its %s is out of range", r->table,
		   (int64_t)sqlite.column_int64(st, 0), r[i].column);
}

static bool table_is_good(struct db *db, const struct rule *r, size_t n)
{
	struct buf text = { 0 };
	sqlite3_stmt *st;
	int err;

	put_question(&text, db, r, n);
	err = sqlite.prepare_v2(db->sql, text.s, -1, &st, NULL);
	if (!err)
		err = sqlite.step(st);
	if (err == SQLITE_ROW)
		report_row(db, st, r, n);
	else if (err != SQLITE_DONE)
		db_fail(db);
	sqlite.finalize(st);
	buf_free(&text);
	return !db->failed;
}

/*
 * Minimum bytes of a row in a file: limits ids, because the highest one determines how much memory
 * is allocated.
 */
#define ROW_MIN 6

static bool ids_fit(struct db *db)
{
	int64_t size = db_one(db, "PRAGMA page_count", "") * db_one(db, "PRAGMA page_size", "");

	for (unsigned int i = 0; i < DB_NTABLES && !db->failed; i++)
		if ((int64_t)db_ids(db, (enum db_table)i) > size / ROW_MIN)
			db_damaged(db, "an id is %" PRIu32 ", which so small a file has no rows for",
				   db_ids(db, (enum db_table)i));
	return !db->failed;
}

bool db_validate_tables(struct db *db)
{
	return schema_is_ours(db) && ids_fit(db);
}

void db_validate_rows(struct db *db)
{
	bool good = true;

	for (size_t i = 0, n; good && i < NRULES; i += n) {
		for (n = 1; i + n < NRULES && !strcmp(rules[i].table, rules[i + n].table); n++)
			;
		good = table_is_good(db, &rules[i], n);
	}
}
