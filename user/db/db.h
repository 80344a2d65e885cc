/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reading etrace databases: etrace-db(5) has the tables.
 *
 * All statements go through here, so that a failed query (a damaged file, a full disk)
 * is always reported in the same way. Prepared statements are kept with the database
 * and found by the address of their text, which must be a constant.
 */
#ifndef ETRACE_DB_H
#define ETRACE_DB_H

#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;
struct failures;
struct out_place;
struct sqlite3;
struct sqlite3_stmt;

#define DB_VERSION	7		/* user_version */
/* Times, in ns, are within +-DB_TIME_MAX: the sum of two does not overflow. */
#define DB_TIME_MAX	4611686018427387903
#define DB_APPLICATION	0x65747263	/* application_id: "etrc" */

/* Tables whose rows have ids, from 1 on. */
enum db_table { DB_FILES, DB_VERSIONS, DB_EXECS, DB_PROCESSES, DB_STRINGS, DB_NTABLES };

struct db {
	struct sqlite3 *sql;
	struct diag *diag;	/* owned by the caller */
	char *name;		/* name of the database for messages */
	bool complete;		/* nothing is known to be missing */
	bool uses;		/* the trace records reads, writes and removals */
	bool redact;		/* answers hide what looks secret in arguments (event/redact.h) */
	char *command;		/* db_meta_text() of "command", with secrets hidden */
	char *env;		/* db_has_env()'s list, "*" for all; NULL until it is called */
	bool failed;		/* a statement failed: diag_fatal() was called */
	struct out_place *place;	/* destination of a new database, NULL if none */
	uint32_t ids[DB_NTABLES];	/* the highest id of each table, if @counted */
	bool counted;
	struct scan *scan;	/* the running db_scan(), NULL if none */
	bool scanned;		/* take_row() of scan.c is registered */
	uint64_t steps;		/* for a file: number of steps that SQLite may still take */
	struct build *build;	/* all rows in memory: build/build.h; NULL until needed */
	void (*free_build)(struct build *b);
	struct failures *failures;	/* answers/failures.h; NULL until needed */
	void (*free_failures)(struct failures *f);
	struct db_kept *kept;	/* the prepared statements */
	size_t nkept, kept_cap;
};

/**
 * db_is - whether bytes are the beginning of an SQLite file
 */
bool db_is(const void *data, size_t n);

/**
 * db_open - open an existing database for reading
 *
 * The file is untrusted, so its tables are checked first (valid.c) and, if it was changed since
 * etrace made it, also the numbers by which rows refer to others. The number of SQLite steps is
 * limited to more than any valid database of that size needs.
 *
 * Return: the database, for db_close(); NULL after diag_fatal().
 */
struct db *db_open(const char *path, struct diag *diag);
void db_close(struct db *db);

/**
 * db_ask - prepare a statement: reset it, and bind its parameters
 * @sql: a constant
 * @types: a letter for each parameter that follows: 'i' an int64_t, 'n' an
 *	int64_t that is bound as NULL if it is 0, 'b' a const void * and a size_t (a blob)
 *
 * Return: the statement, for db_row(); it belongs to the database.  NULL after diag_fatal(). Each
 * text has only one statement: a recursive function must copy the needed data of a row before it
 * calls itself.
 */
struct sqlite3_stmt *db_ask(struct db *db, const char *sql, const char *types, ...);

/** db_row - go to a statement's next row.  Return: whether there is one. */
bool db_row(struct db *db, struct sqlite3_stmt *st);

/* A column of the row; NULL in the database becomes 0, or no bytes. */
int64_t db_int(struct sqlite3_stmt *st, int column);
bool db_null(struct sqlite3_stmt *st, int column);
/**
 * db_id - a column that contains an id of a table; 0 for NULL
 *
 * Never above db_ids(): a higher id is reported as damage, and 0 is returned.
 */
uint32_t db_id(struct db *db, struct sqlite3_stmt *st, int column, enum db_table of);
uint32_t db_id_of(struct db *db, int64_t id, enum db_table of);

/**
 * db_earlier - as db_id(), for a row of the same table that must come before row @id: a
 *	parent, or a version's base
 */
uint32_t db_earlier(struct db *db, struct sqlite3_stmt *st, int column, uint32_t id);
uint32_t db_earlier_of(struct db *db, int64_t before, uint32_t id);

/** db_ids - the highest id of a table, once all its rows are written */
uint32_t db_ids(struct db *db, enum db_table of);

/** db_class - @class if it is an enum graph_class; otherwise reports damage and returns 0 */
uint8_t db_class(struct db *db, int64_t class);

/*
 * Upper limit for the arguments of one program, in bytes: above any kernel's limit. Needed because
 * a damaged row can refer to a long string any number of times.
 */
#define DB_ARGS_MAX	(16u << 20)

/**
 * db_args_fit - whether @len bytes of arguments are allowed; reports damage if not
 */
bool db_args_fit(struct db *db, size_t len);

/** db_bytes - a text or blob; valid until the next db_row() or db_ask() of the statement */
const char *db_bytes(struct sqlite3_stmt *st, int column, size_t *len);

/** db_one - the first column of the first row, 0 if no row */
int64_t db_one(struct db *db, const char *sql, const char *types, ...);

/** db_meta - a number of the table meta, @absent if it has none */
int64_t db_meta(struct db *db, const char *key, int64_t absent);

/** db_meta_text - a text of the table meta, NULL if it has none.  Valid until the next call. */
const char *db_meta_text(struct db *db, const char *key, size_t *len);

/**
 * db_has_env - whether a variable was recorded for each program that had it
 *
 * If so, a program that began in the trace and has no row for it in the table env did not
 * have it.
 */
bool db_has_env(struct db *db, const char *name, size_t len);

#endif
