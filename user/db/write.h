/* SPDX-License-Identifier: LGPL-2.1 */
/* Writing etrace databases: events go in, tables come out. */
#ifndef ETRACE_DB_WRITE_H
#define ETRACE_DB_WRITE_H

#include "db/db.h"
#include "io/formats.h"

/**
 * db_may_create - whether a new database may be written to a path: there is no file, an
 * empty file, a database of etrace, or something that is written in place (out_place.h)
 *
 * Return: false after diag_fatal().
 */
bool db_may_create(const char *path, struct diag *diag);

/**
 * db_create - create an empty database
 * @path: a file that does not exist yet, or is replaced if it is a database of etrace;
 *	NULL for a temporary file, which db_close() removes
 *
 * Return: the database, for db_finish(), or for db_close(), which discards it; NULL after
 * diag_fatal().
 */
struct db *db_create(const char *path, struct diag *diag);

/**
 * db_finish - close a complete database and move it into place
 *
 * Return: false after diag_fatal().
 */
bool db_finish(struct db *db);

/**
 * db_sink - a sink for struct et_event that fills a database
 * @db: owned by the caller
 * @source: name of the trace's format
 *
 * Rows are written in batches: after a kill, complete batches can be read.  The
 * sink's end() writes the indexes, and whether the trace was complete.
 */
struct sink *db_sink(struct db *db, unsigned int pid_bits, const char *source,
		     struct diag *diag);

#endif
