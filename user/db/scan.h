/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads all rows of a table.
 *
 * SQLite passes the values of each row to a function of ours, which takes half the time
 * of asking for them one by one.
 */
#ifndef ETRACE_DB_SCAN_H
#define ETRACE_DB_SCAN_H

#include "db/db.h"

#define DB_CELLS 16

struct db_cells {
	int64_t v[DB_CELLS];	/* numbers, in the order of the columns; NULL is 0 */
	uint32_t known;		/* a bit for each value that is not NULL */
	const char *bytes;	/* the text or blob, at most one per row; "" if none */
	size_t len;
};

typedef void db_row_fn(void *ctx, const struct db_cells *row);

/**
 * db_scan - pass each row of a table to @fn, in the order of rowids
 * @columns: up to DB_CELLS names, separated by ", "
 *
 * A damaged table sets db->failed, after some of its rows.
 */
void db_scan(struct db *db, const char *table, const char *columns, db_row_fn *fn, void *ctx);

static inline bool db_cell_known(const struct db_cells *row, int i)
{
	return row->known >> i & 1;
}

/** db_id_fast - db_id_of() without a call if the id is in range */
static inline uint32_t db_id_fast(struct db *db, int64_t id, enum db_table of)
{
	bool fits = db->counted && (uint64_t)id <= db->ids[of];

	return fits ? (uint32_t)id : db_id_of(db, id, of);
}

/** db_cell_id - db_id() for a cell */
static inline uint32_t db_cell_id(struct db *db, const struct db_cells *row, int i,
				  enum db_table of)
{
	return db_id_fast(db, row->v[i], of);
}

#endif
