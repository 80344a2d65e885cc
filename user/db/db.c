// SPDX-License-Identifier: LGPL-2.1
/* Queries databases.  See db.h. */
#include "db/db.h"
#include "db/bind.h"
#include "base/xalloc.h"
#include "event/redact.h"
#include "graph/graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool db_is(const void *data, size_t n)
{
	static const char magic[16] = "SQLite format 3";

	return n >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

void db_damaged(struct db *db, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (!db->failed)
		diag_fatal(db->diag, "%s: a damaged database: %s; make it again from the trace", db->name,
			   why);
	db->failed = true;
}

void db_fail(struct db *db)
{
	int err = sqlite.errcode(db->sql);

	if (err == SQLITE_INTERRUPT)
		db_damaged(db, "an answer takes more steps than one of that size can need");
	else if (err == SQLITE_CORRUPT)
		db_damaged(db, "%s", sqlite.errmsg(db->sql));
	else if (!db->failed)
		diag_fatal(db->diag, "%s: %s", db->name, sqlite.errmsg(db->sql));
	db->failed = true;
}

bool db_exec(struct db *db, const char *sql)
{
	if (db->failed)
		return false;
	if (sqlite.exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	db_fail(db);
	return false;
}

/* ---- parameters ---- */

bool db_bind(sqlite3_stmt *st, const char *types, va_list ap)
{
	int err = SQLITE_OK;

	for (int i = 1; *types && err == SQLITE_OK; types++, i++) {
		const void *bytes;
		int64_t v;

		if (*types == 'b' || *types == 't') {
			size_t len;

			bytes = va_arg(ap, const void *);
			len = va_arg(ap, size_t);
			if (*types == 'b')
				err = sqlite.bind_blob64(st, i, bytes ? bytes : "", len,
							 SQLITE_STATIC);
			else
				err = sqlite.bind_text64(st, i, bytes, len, SQLITE_STATIC,
							 SQLITE_UTF8);
			continue;
		}
		v = va_arg(ap, int64_t);
		if (*types == '0' || (*types == 'n' && !v))
			err = sqlite.bind_null(st, i);
		else
			err = sqlite.bind_int64(st, i, v);
	}
	return err == SQLITE_OK;
}

/* ---- queries ---- */

static sqlite3_stmt *kept_statement(struct db *db, const char *text)
{
	sqlite3_stmt *st;

	for (size_t i = 0; i < db->nkept; i++)
		if (db->kept[i].text == text)
			return db->kept[i].st;
	if (sqlite.prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL)) {
		db_fail(db);
		return NULL;
	}
	db->kept = xgrow(db->kept, &db->kept_cap, db->nkept + 1, sizeof(*db->kept));
	db->kept[db->nkept++] = (struct db_kept){ text, st };
	return st;
}

static sqlite3_stmt *prepare_query(struct db *db, const char *sql, const char *types, va_list ap)
{
	sqlite3_stmt *st = db->failed ? NULL : kept_statement(db, sql);

	if (!st)
		return NULL;
	sqlite.reset(st);
	if (!db_bind(st, types, ap)) {
		db_fail(db);
		return NULL;
	}
	return st;
}

struct sqlite3_stmt *db_ask(struct db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	va_list ap;

	va_start(ap, types);
	st = prepare_query(db, sql, types, ap);
	va_end(ap);
	return st;
}

bool db_row(struct db *db, struct sqlite3_stmt *st)
{
	int err;

	if (!st)
		return false;
	err = sqlite.step(st);
	if (err == SQLITE_ROW)
		return true;
	if (err != SQLITE_DONE)
		db_fail(db);
	sqlite.reset(st);
	return false;
}

int64_t db_int(struct sqlite3_stmt *st, int column)
{
	return sqlite.column_int64(st, column);
}

bool db_null(struct sqlite3_stmt *st, int column)
{
	return sqlite.column_type(st, column) == SQLITE_NULL;
}

uint32_t db_ids(struct db *db, enum db_table of)
{
	static const char *const highest[DB_NTABLES] = {
		[DB_FILES] = "SELECT max(id) FROM file", [DB_VERSIONS] = "SELECT max(id) FROM version",
		[DB_EXECS] = "SELECT max(id) FROM exec", [DB_PROCESSES] = "SELECT max(id) FROM process",
		[DB_STRINGS] = "SELECT max(id) FROM string",
	};

	for (unsigned int i = 0; !db->counted && i < DB_NTABLES; i++) {
		int64_t id = db_one(db, highest[i], "");

		if (id < 0 || id >= UINT32_MAX)
			db_damaged(db, "%s is %" PRId64, highest[i] + strlen("SELECT "), id);
		else
			db->ids[i] = (uint32_t)id;
	}
	db->counted = true;
	return db->ids[of];
}

uint32_t db_id_of(struct db *db, int64_t id, enum db_table of)
{
	if (id >= 0 && id <= db_ids(db, of))
		return (uint32_t)id;
	db_damaged(db, "a row names row %" PRId64 " of a table that has %" PRIu32, id, db_ids(db, of));
	return 0;
}

uint32_t db_id(struct db *db, struct sqlite3_stmt *st, int column, enum db_table of)
{
	return db_id_of(db, db_int(st, column), of);
}

uint32_t db_earlier_of(struct db *db, int64_t before, uint32_t id)
{
	if (before >= 0 && (!before || before < id))
		return (uint32_t)before;
	db_damaged(db, "row %" PRIu32 " has row %" PRId64 " before it", id, before);
	return 0;
}

uint32_t db_earlier(struct db *db, struct sqlite3_stmt *st, int column, uint32_t id)
{
	return db_earlier_of(db, db_int(st, column), id);
}

uint8_t db_class(struct db *db, int64_t class)
{
	if (class >= 0 && class < GRAPH_NCLASSES)
		return (uint8_t)class;
	db_damaged(db, "a row has the class %" PRId64, class);
	return 0;
}

bool db_args_fit(struct db *db, size_t len)
{
	if (len <= DB_ARGS_MAX)
		return true;
	db_damaged(db, "a program has more arguments than any can have");
	return false;
}

const char *db_bytes(struct sqlite3_stmt *st, int column, size_t *len)
{
	const char *s = sqlite.column_blob(st, column);

	*len = (size_t)sqlite.column_bytes(st, column);
	return s ? s : "";
}

int64_t db_one(struct db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	int64_t v = 0;
	va_list ap;

	va_start(ap, types);
	st = prepare_query(db, sql, types, ap);
	va_end(ap);
	if (db_row(db, st)) {
		v = db_int(st, 0);
		sqlite.reset(st);
	}
	return v;
}

static sqlite3_stmt *ask_meta(struct db *db, const char *key)
{
	return db_ask(db, "SELECT value FROM meta WHERE key = ?", "t", key, strlen(key));
}

const char *db_meta_text(struct db *db, const char *key, size_t *len)
{
	sqlite3_stmt *st = ask_meta(db, key);
	const char *s = db_row(db, st) && !db_null(st, 0) ? db_bytes(st, 0, len) : NULL;

	if (!s || !db->redact || strcmp(key, "command"))
		return s;
	free(db->command);
	db->command = xstrndup(s, *len);
	redact_line(db->command, len);
	return db->command;
}

int64_t db_meta(struct db *db, const char *key, int64_t absent)
{
	sqlite3_stmt *st = ask_meta(db, key);

	if (!db_row(db, st))
		return absent;
	if (!db_null(st, 0))
		absent = db_int(st, 0);
	sqlite.reset(st);
	return absent;
}

bool db_has_env(struct db *db, const char *name, size_t len)
{
	const char *list;
	size_t n;

	if (!db->env) {
		list = db_meta_text(db, "env", &n);
		/* a recording without such a list has all variables, or none */
		if (!list && db_one(db, "SELECT EXISTS (SELECT 1 FROM env)", ""))
			db->env = xstrdup("*");
		else
			db->env = list ? xstrndup(list, n) : xstrdup("");
	}
	return et_env_has(db->env, name, len);
}
