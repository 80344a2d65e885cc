// SPDX-License-Identifier: LGPL-2.1
/* Databases that are asked.  See db.h. */
#include "db/db.h"
#include "db/bind.h"
#include "base/xalloc.h"
#include "io/out_place.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pages that a query keeps, in KiB. */
#define CACHE_KIB 65536

struct db_kept {
	const char *text;	/* its address counts */
	sqlite3_stmt *st;
};

bool db_is(const void *data, size_t n)
{
	static const char magic[16] = "SQLite format 3";

	return n >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

void db_fail(struct db *db)
{
	if (!db->failed)
		diag_fatal(db->diag, "%s: %s", db->name, sqlite3_errmsg(db->sql));
	db->failed = true;
}

bool db_exec(struct db *db, const char *sql)
{
	if (db->failed)
		return false;
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK)
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
				err = sqlite3_bind_blob64(st, i, bytes ? bytes : "", len,
							  SQLITE_STATIC);
			else
				err = sqlite3_bind_text64(st, i, bytes, len, SQLITE_STATIC,
							  SQLITE_UTF8);
			continue;
		}
		v = va_arg(ap, int64_t);
		if (*types == '0' || (*types == 'n' && !v))
			err = sqlite3_bind_null(st, i);
		else
			err = sqlite3_bind_int64(st, i, v);
	}
	return err == SQLITE_OK;
}

/* ---- queries ---- */

static sqlite3_stmt *kept(struct db *db, const char *text)
{
	sqlite3_stmt *st;

	for (size_t i = 0; i < db->nkept; i++)
		if (db->kept[i].text == text)
			return db->kept[i].st;
	if (sqlite3_prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL)) {
		db_fail(db);
		return NULL;
	}
	db->kept = xgrow(db->kept, &db->kept_cap, db->nkept + 1, sizeof(*db->kept));
	db->kept[db->nkept++] = (struct db_kept){ text, st };
	return st;
}

static sqlite3_stmt *ask(struct db *db, const char *sql, const char *types, va_list ap)
{
	sqlite3_stmt *st = db->failed ? NULL : kept(db, sql);

	if (!st)
		return NULL;
	sqlite3_reset(st);
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
	st = ask(db, sql, types, ap);
	va_end(ap);
	return st;
}

bool db_row(struct db *db, struct sqlite3_stmt *st)
{
	int err;

	if (!st)
		return false;
	err = sqlite3_step(st);
	if (err == SQLITE_ROW)
		return true;
	if (err != SQLITE_DONE)
		db_fail(db);
	sqlite3_reset(st);
	return false;
}

int64_t db_int(struct sqlite3_stmt *st, int column)
{
	return sqlite3_column_int64(st, column);
}

bool db_null(struct sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL;
}

const char *db_bytes(struct sqlite3_stmt *st, int column, size_t *len)
{
	const char *s = sqlite3_column_blob(st, column);

	*len = (size_t)sqlite3_column_bytes(st, column);
	return s ? s : "";
}

int64_t db_one(struct db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	int64_t v = 0;
	va_list ap;

	va_start(ap, types);
	st = ask(db, sql, types, ap);
	va_end(ap);
	if (db_row(db, st)) {
		v = db_int(st, 0);
		sqlite3_reset(st);
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

	return db_row(db, st) && !db_null(st, 0) ? db_bytes(st, 0, len) : NULL;
}

int64_t db_meta(struct db *db, const char *key, int64_t absent)
{
	sqlite3_stmt *st = ask_meta(db, key);

	if (!db_row(db, st))
		return absent;
	if (!db_null(st, 0))
		absent = db_int(st, 0);
	sqlite3_reset(st);
	return absent;
}

/* ---- opening ---- */

struct db *db_connect(const char *path, int flags, struct diag *diag)
{
	struct db *db = xcalloc(1, sizeof(*db));
	int err;

	/* nobody asks SQLite how much memory it has, and to count it takes a lock for each piece */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	db->diag = diag;
	db->name = xstrdup(*path ? path : "the temporary database (TMPDIR says where)");
	err = sqlite3_open_v2(path, &db->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (!db->sql)
		xalloc_failed(0);
	if (err == SQLITE_OK)
		return db;
	db_fail(db);
	db_close(db);
	return NULL;
}

struct db *db_open_any(const char *path, struct diag *diag)
{
	/* one whose writer was killed has to be put in order before it can be read */
	int flags = access(path, W_OK) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	struct db *db = db_connect(path, flags, diag);
	int64_t app;

	if (!db)
		return NULL;
	db_exec(db, "PRAGMA query_only = 1");
	app = db_one(db, "PRAGMA application_id", "");
	if (!db->failed && app == DB_APPLICATION)
		return db;
	if (!db->failed)
		diag_fatal(diag, "%s: an SQLite database, but not one of etrace", path);
	db_close(db);
	return NULL;
}

struct db *db_open(const char *path, struct diag *diag)
{
	struct db *db = db_open_any(path, diag);
	int64_t version;

	if (!db)
		return NULL;
	version = db_one(db, "PRAGMA user_version", "");
	if (!db->failed && version != DB_VERSION)
		diag_fatal(diag, "%s: has tables of version %d, and this etrace reads %d; make it again from the trace",
			   path, (int)version, DB_VERSION);
	if (db->failed || version != DB_VERSION) {
		db_close(db);
		return NULL;
	}
	db_tune(db);
	db->complete = db_meta(db, "complete", 0) == 1;
	db->uses = db_meta(db, "uses", 0) == 1;
	return db;
}

void db_tune(struct db *db)
{
	sqlite3_stmt *st;

	/* what people put into a trace is not obeyed */
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (!sqlite3_prepare_v2(db->sql, "PRAGMA cache_size = -" DB_TEXT(CACHE_KIB), -1, &st,
				NULL))
		sqlite3_step(st);
	sqlite3_finalize(st);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->nkept; i++)
		sqlite3_finalize(db->kept[i].st);
	/* of one that was written: its journal is not needed any more */
	if (!db->failed)
		sqlite3_exec(db->sql, "PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE;\n"
			     " SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	sqlite3_close(db->sql);
	if (db->place)
		out_place_free(db->place);
	free(db->place);
	free(db->kept);
	free(db->name);
	free(db);
}
