// SPDX-License-Identifier: LGPL-2.1
/* Opens databases and queries them.  See db.h. */
#include "db/db.h"
#include "db/bind.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "event/redact.h"
#include "event/schema.h"
#include "graph/graph.h"
#include "io/out_place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite's page cache in KiB, for a file that is read, and for one that is made. */
#define READ_KIB 2048
#define WRITE_KIB 65536

struct db_kept {
	const char *text;	/* compared by address */
	sqlite3_stmt *st;
};

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

static sqlite3_stmt *kept(struct db *db, const char *text)
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
	sqlite3_stmt *st = db->failed ? NULL : kept(db, sql);

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
		/* a recording without that list has all variables, or none */
		if (!list && db_one(db, "SELECT EXISTS (SELECT 1 FROM env)", ""))
			db->env = xstrdup("*");
		else
			db->env = list ? xstrndup(list, n) : xstrdup("");
	}
	return et_env_has(db->env, name, len);
}

/* ---- opening ---- */

struct db *db_connect(const char *path, int flags, struct diag *diag)
{
	struct db *db;
	char why[256];
	int err;

	if (!library_load(&libsqlite3, why, sizeof(why))) {
		diag_fatal(diag, "%s", why);
		return NULL;
	}
	db = xcalloc(1, sizeof(*db));
	/* SQLite's memory statistics are not used, and take a lock for each allocation */
	sqlite.config(SQLITE_CONFIG_MEMSTATUS, 0);
	db->diag = diag;
	db->name = xstrdup(*path ? path : "the temporary database (TMPDIR says where)");
	err = sqlite.open_v2(path, &db->sql, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (!db->sql)
		xalloc_failed(0);
	if (err == SQLITE_OK)
		return db;
	db_fail(db);
	db_close(db);
	return NULL;
}

/* Steps of SQLite: how many are counted at once, and how many a file and each byte of it allow. */
#define STEPS_AT_ONCE	100000
#define STEPS_BEFORE	200000000u
#define STEPS_OF_BYTE	2000u

static int on_steps(void *ctx)
{
	struct db *db = ctx;

	if (db->steps < STEPS_AT_ONCE)
		return 1;
	db->steps -= STEPS_AT_ONCE;
	return 0;
}

/*
 * A journal may name a super-journal, which belongs to several databases; SQLite then
 * removes that file, whatever it is.  Journals of etrace name none.
 */
static bool names_other_journal(const char *path)
{
	static const unsigned char end[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	struct buf name = { 0 };
	char last[sizeof(end)];
	bool names;
	int fd;

	buf_adds(&name, path);
	buf_add(&name, "-journal", sizeof("-journal"));
	fd = open(name.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	buf_free(&name);
	if (fd < 0)
		return false;
	names = lseek(fd, -(off_t)sizeof(end), SEEK_END) >= 0 &&
		read(fd, last, sizeof(last)) == sizeof(last) && !memcmp(last, end, sizeof(end));
	close(fd);
	return names;
}

/* Anybody may have made the file: limit what it can make SQLite do. */
static void distrust(struct db *db, const char *path)
{
	struct stat st;

	sqlite.db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite.db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite.db_config(db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	db->steps = STEPS_BEFORE + (stat(path, &st) ? 0 : (uint64_t)st.st_size * STEPS_OF_BYTE);
	sqlite.progress_handler(db->sql, STEPS_AT_ONCE, on_steps, db);
	db_exec(db, "PRAGMA cell_size_check = 1; PRAGMA query_only = 1");
}

struct db *db_open_any(const char *path, struct diag *diag)
{
	/* if its writer was killed, SQLite has to roll it back before it can be read */
	int flags = access(path, W_OK) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	struct db *db;
	int64_t app;

	if (names_other_journal(path)) {
		diag_fatal(diag, "%s: its journal is not one of etrace: remove %s-journal", path, path);
		return NULL;
	}
	db = db_connect(path, flags, diag);
	if (!db)
		return NULL;
	distrust(db, path);
	app = db_one(db, "PRAGMA application_id", "");
	if (!db->failed && app == DB_APPLICATION)
		return db;
	if (!db->failed)
		diag_fatal(diag, "%s: an SQLite database, but not one of etrace", path);
	db_close(db);
	return NULL;
}

int64_t db_changes(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char at[4];
	bool good = fd >= 0 && pread(fd, at, sizeof(at), 24) == sizeof(at);

	if (fd >= 0)
		close(fd);
	return good ? (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3] : -2;
}

struct db *db_open(const char *path, struct diag *diag)
{
	struct db *db = db_open_any(path, diag);
	int64_t version, made;

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
	db_tune(db, true);
	made = db_validate_tables(db) ? db_meta(db, DB_SEAL, -1) : -1;
	/* the views are known to be ours; SQLite allows their functions only in a trusted schema */
	sqlite.db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
	if (!db->failed && made != db_changes(path))
		db_validate_rows(db);
	if (db->failed) {
		db_close(db);
		return NULL;
	}
	db->complete = db_meta(db, "complete", 0) == 1;
	db->uses = db_meta(db, "uses", 0) == 1;
	return db;
}

void db_tune(struct db *db, bool reads)
{
	sqlite3_stmt *st;

	/* no statement may damage the file, whatever is in the trace */
	sqlite.db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (!sqlite.prepare_v2(db->sql, reads ? "PRAGMA cache_size = -" DB_TEXT(READ_KIB) :
				"PRAGMA cache_size = -" DB_TEXT(WRITE_KIB), -1, &st, NULL))
		sqlite.step(st);
	sqlite.finalize(st);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	if (db->failures)
		db->free_failures(db->failures);
	if (db->build)
		db->free_build(db->build);
	for (size_t i = 0; i < db->nkept; i++)
		sqlite.finalize(db->kept[i].st);
	/* remove the journal of a database that was written */
	if (!db->failed)
		sqlite.exec(db->sql, "PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE;\n"
			     " SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	sqlite.close(db->sql);
	if (db->place)
		out_place_free(db->place);
	free(db->place);
	free(db->command);
	free(db->env);
	free(db->kept);
	free(db->name);
	free(db);
}
