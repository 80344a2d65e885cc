// SPDX-License-Identifier: LGPL-2.1
/* Opens and closes databases.  See db.h. */
#include "db/db.h"
#include "db/bind.h"
#include "base/xalloc.h"
#include "io/out_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite's page cache in KiB, for reading a file, and for creating one. */
#define READ_KIB 2048
#define WRITE_KIB 65536

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

/*
 * SQLite steps: number counted at a time, and number allowed for a file and for each of its bytes.
 */
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
 * A journal may name a super-journal, which belongs to several databases; SQLite would
 * then remove that file, whatever it is. Journals of etrace name none.
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

/* The file is untrusted: limit what it can make SQLite do. */
static void distrust_file(struct db *db, const char *path)
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
	/* if its writer was killed, SQLite must roll it back before reading it */
	int flags = access(path, W_OK) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	struct db *db;
	int64_t app;

	if (names_other_journal(path)) {
		diag_fatal(diag, "%s: its journal is not etrace's: remove %s-journal", path, path);
		return NULL;
	}
	db = db_connect(path, flags, diag);
	if (!db)
		return NULL;
	distrust_file(db, path);
	app = db_one(db, "PRAGMA application_id", "");
	if (!db->failed && app == DB_APPLICATION)
		return db;
	if (!db->failed)
		diag_fatal(diag, "%s: an SQLite database, but not etrace's", path);
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

	/* no statement may damage the file, whatever the trace contains */
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
