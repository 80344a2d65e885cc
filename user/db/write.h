/* SPDX-License-Identifier: LGPL-2.1 */
/* Writing etrace databases: events go in, tables come out. */
#ifndef ETRACE_DB_WRITE_H
#define ETRACE_DB_WRITE_H

#include "db/db.h"
#include "io/formats.h"

/**
 * db_may_create - whether nothing is in the way of a new database: no file, an
 * empty one, a database of etrace, or what is written to as it is (out_place.h)
 *
 * Return: false after diag_fatal().
 */
bool db_may_create(const char *path, struct diag *diag);

/**
 * db_create - an empty database
 * @path: a file that is not there yet, or is replaced if it is a database of
 *	etrace; NULL for one in temporary storage, which db_close() removes
 *
 * Return: it, for db_finish() or db_close(), after which there is none; NULL after
 * diag_fatal().
 */
struct db *db_create(const char *path, struct diag *diag);

/**
 * db_finish - close a complete database and put it in its place
 *
 * Return: false after diag_fatal().
 */
bool db_finish(struct db *db);

/**
 * db_sink - a sink for struct et_event that fills it
 * @db: stays the caller's
 * @source: name of the trace's format
 *
 * Rows are written in batches: those written before a kill can be read.  The
 * indexes, and whether the trace was complete, come with the sink's end().
 */
struct sink *db_sink(struct db *db, unsigned int pid_bits, const char *source,
		     struct diag *diag);

#endif
