/* SPDX-License-Identifier: LGPL-2.1 */
/* Shared by the code that writes databases and the code that reads them. */
#ifndef ETRACE_DB_BIND_H
#define ETRACE_DB_BIND_H

#include "db/db.h"
#include "db/sqlite.h"

#include <stdarg.h>

#define DB_TEXT_(x) #x
#define DB_TEXT(x) DB_TEXT_(x)

/* A statement that is prepared once. */
struct db_kept {
	const char *text;	/* compared by address */
	sqlite3_stmt *st;
};

/**
 * db_connect - open a database with flags of sqlite3_open_v2().
 *
 * Return: NULL after diag_fatal().
 */
struct db *db_connect(const char *path, int flags, struct diag *diag);

/** db_open_any - as db_open(), but for any version, and unchecked: do not query its tables */
struct db *db_open_any(const char *path, struct diag *diag);

/** db_tune - set the size of SQLite's cache; @reads: the database is only read */
void db_tune(struct db *db, bool reads);

/* valid.c: whether etrace may have made an existing database */
bool db_validate_tables(struct db *db);
void db_validate_rows(struct db *db);

/**
 * db_changes - SQLite's change counter of a database file
 *
 * DB_SEAL in the table meta is its value when etrace finished the file.
 * Return: negative if unknown.
 */
int64_t db_changes(const char *path);
#define DB_SEAL "sealed"

/** db_damaged - report damage of a database, once; it can no longer be queried */
void db_damaged(struct db *db, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** db_fail - report SQLite's error, once */
void db_fail(struct db *db);

/** db_exec - run statements without parameters. Return: false after db_fail(). */
bool db_exec(struct db *db, const char *sql);

/**
 * db_bind - bind parameters by letters: those of db_ask(); 't' is like 'b', but for text, which
 * may be NULL; '0' skips an int64_t and binds NULL
 */
bool db_bind(sqlite3_stmt *st, const char *types, va_list ap);

#endif
