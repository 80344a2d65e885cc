/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Rows on their way to a table: they wait in memory, and one statement takes many
 * of them.  A statement for each row would cost twice as much.
 */
#ifndef ETRACE_DB_BATCH_H
#define ETRACE_DB_BATCH_H

#include "base/buf.h"
#include "db/db.h"

#include <stdarg.h>

struct batch;

/* A value of a row. */
struct batch_cell {
	char type;	/* as of db_bind(): 'i', 'b', 't', '0' */
	uint32_t len;	/* of bytes */
	int64_t v;	/* or where the bytes begin */
};

/**
 * batch_new - for a table of @columns columns
 * @table: its name, a constant
 */
struct batch *batch_new(struct db *db, const char *table, unsigned int columns);
/** batch_free - drops rows that were not flushed; call before db_close() */
void batch_free(struct batch *b);

/** batch_next - one more row, all of whose cells the caller sets, to numbers or NULL */
struct batch_cell *batch_next(struct batch *b);

/** batch_add - one more row.  @types and what follows: as of db_bind(), for all columns */
void batch_add(struct batch *b, const char *types, va_list ap);

/** batch_flush - write all waiting rows.  Return: false after diag_fatal(). */
bool batch_flush(struct batch *b);

/**
 * batch_row - the cells of a row that waits, to be changed
 * @id: its first column; those of rows grow by one from row to row
 *
 * Return: NULL if it is written already.
 */
struct batch_cell *batch_row(struct batch *b, int64_t id);

#endif
