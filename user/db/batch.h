/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Buffers rows for a table in memory, and inserts many of them with one statement.
 * A statement for each row would cost twice as much.
 */
#ifndef ETRACE_DB_BATCH_H
#define ETRACE_DB_BATCH_H

#include "base/buf.h"
#include "db/db.h"

#include <stdarg.h>

struct batch;

/* A value of a row. */
struct batch_cell {
	char type;	/* as for db_bind(): 'i', 'b', 't', '0' */
	uint32_t len;	/* length of text or blob in bytes */
	int64_t v;	/* the number, or the offset of text or blob in batch.bytes */
};

/**
 * batch_new - a buffer for a table with @columns columns
 * @table: its name, a constant
 */
struct batch *batch_new(struct db *db, const char *table, unsigned int columns);
/** batch_free - drop rows that were not flushed, and free; call it before db_close() */
void batch_free(struct batch *b);

/** batch_next - add a row; the caller sets all its cells, to numbers or NULL */
struct batch_cell *batch_next(struct batch *b);

/** batch_add - add a row; @types and @ap: as for db_bind(), for all columns */
void batch_add(struct batch *b, const char *types, va_list ap);

/** batch_flush - write all waiting rows.  Return: false after diag_fatal(). */
bool batch_flush(struct batch *b);

/**
 * batch_row - the cells of a buffered row, for changing them
 * @id: value of its first column, which increases by one from row to row
 *
 * Return: NULL if the row was already written.
 */
struct batch_cell *batch_row(struct batch *b, int64_t id);

#endif
