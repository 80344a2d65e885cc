// SPDX-License-Identifier: LGPL-2.1
/* Creates a new database, and moves it into place.  See write.h. */
#include "db/write.h"
#include "db/bind.h"
#include "db/schema.sql.h"
#include "db/views.sql.h"
#include "io/out_place.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of the numbers in the tables. */
static const struct {
	const char *of;
	const char *const *words;
	size_t n;
} words[] = {
#define WORDS(of, ...) { of, (const char *const []){ __VA_ARGS__ }, \
			 sizeof((const char *const []){ __VA_ARGS__ }) / sizeof(char *) }
	WORDS("made", "existed", "written", "changed", "pipe", "fifo", "memory", "special", "dir",
	      "symlink"),
	WORDS("how", "open", "read", "write", "run", "look", "miss", "list"),
	WORDS("class", "data", "pipe", "program", "loader", "config", "probe", "dir"),
	WORDS("what", "rename", "exchange", "link", "symlink", "unlink", "rmdir", "mkdir", "mknod",
	      "truncate", "chmod", "utimens", "mount", "umount", "chroot", "chown"),
	WORDS("ended", "exit", "exec", "lost", "open"),
	WORDS("call", "getrandom", "uname", "sched_getaffinity", "sysinfo"),
#undef WORDS
};

static void put_words(struct db *db)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t j = 0; j < words[i].n; j++)
			db_one(db, "INSERT INTO word VALUES (?, ?, ?)", "tit", words[i].of,
			       strlen(words[i].of), (int64_t)j, words[i].words[j],
			       strlen(words[i].words[j]));
}

bool db_may_create(const char *path, struct diag *diag)
{
	struct stat st;
	struct db *old;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return true;
	old = db_open_any(path, diag);
	if (!old)
		diag_fatal(diag, "%s exists and is not an etrace database, so it is not replaced; give another name", path);
	db_close(old);
	return old;
}

/* Make the place for a new database.  Return: NULL after diag_fatal(). */
static struct out_place *make_room(const char *path, struct diag *diag)
{
	struct out_place *p;
	int err;

	if (!db_may_create(path, diag))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	err = out_place_open(p, path, OUT_PLACE_IS_FILE);
	if (!err) {
		/* SQLite opens it by its name */
		close(p->fd);
		if (p->part)
			return p;
		/* no temporary file next to it: its directory is not writable */
		err = -EACCES;
		out_place_free(p);
	}
	free(p);
	diag_fatal(diag, "%s: %s", path, out_place_error(err));
	return NULL;
}

static void leave_room(struct out_place *p)
{
	if (p)
		out_place_free(p);
	free(p);
}

struct db *db_create(const char *path, struct diag *diag)
{
	static const char begin[] =
		"PRAGMA page_size = 4096; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;"
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = FILE;"
		"PRAGMA application_id = " DB_TEXT(DB_APPLICATION) ";"
		"PRAGMA user_version = " DB_TEXT(DB_VERSION) "; BEGIN";
	struct out_place *place = path ? make_room(path, diag) : NULL;
	struct db *db;

	if (path && !place)
		return NULL;
	db = db_connect(place ? place->part : "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, diag);
	if (!db) {
		leave_room(place);
		return NULL;
	}
	db->place = place;
	if (path) {
		free(db->name);
		db->name = xstrdup(path);
	}
	db_tune(db, false);
	if (db_exec(db, begin) && db_exec(db, schema_sql) && db_exec(db, views_sql)) {
		put_words(db);
		db_exec(db, "COMMIT");
	}
	if (!db->failed)
		return db;
	db_close(db);
	return NULL;
}

/* Store the change counter: db_open() uses it to detect later changes of the file. */
static void seal_file(const char *file)
{
	static const char text[] = "INSERT OR REPLACE INTO meta VALUES ('" DB_SEAL "', ?)";
	int64_t changes = db_changes(file);
	sqlite3_stmt *st;
	sqlite3 *sql;

	/* on failure, db_open() just checks more; + 1 because this write is a change, too */
	if (sqlite.open_v2(file, &sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    sqlite.exec(sql, "PRAGMA synchronous = OFF", NULL, NULL, NULL) ||
	    sqlite.prepare_v2(sql, text, -1, &st, NULL)) {
		sqlite.close(sql);
		return;
	}
	sqlite.bind_int64(st, 1, changes + 1);
	sqlite.step(st);
	sqlite.finalize(st);
	sqlite.close(sql);
}

bool db_finish(struct db *db)
{
	struct out_place *place = db->place;
	struct diag *diag = db->diag;
	char *name = db->name;
	bool good = !db->failed;
	int err;

	db->place = NULL;
	db->name = NULL;
	db_close(db);
	if (good && place)
		seal_file(place->part);
	err = good && place ? out_place_commit(place, false) : 0;
	if (err)
		diag_fatal(diag, "%s: %s", name, strerror(-err));
	leave_room(place);
	free(name);
	return good && !err;
}
