// SPDX-License-Identifier: LGPL-2.1
/* Reads all rows of a table.  See scan.h. */
#include "db/scan.h"
#include "db/bind.h"
#include "base/buf.h"

struct scan {
	db_row_fn *fn;
	void *ctx;
};

/* The function that SQLite calls with the values of each row. */
static void take_row(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct db *db = sqlite.user_data(context);
	struct db_cells row = { .bytes = "" };

	if (db->failed)
		return;
	for (int i = 0; i < n && i < DB_CELLS; i++) {
		int type = sqlite.value_type(values[i]);

		row.known |= (uint32_t)(type != SQLITE_NULL) << i;
		if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
			const char *bytes = sqlite.value_blob(values[i]);

			row.bytes = bytes ? bytes : "";
			row.len = (size_t)sqlite.value_bytes(values[i]);
		} else if (type != SQLITE_NULL) {
			row.v[i] = sqlite.value_int64(values[i]);
		}
	}
	db->scan->fn(db->scan->ctx, &row);
}

static void scan_ignore(sqlite3_context *context)
{
	(void)context;
}

/* Register it only once: it cannot be replaced while a statement runs. */
static void make_function(struct db *db)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;

	if (!db->scanned && sqlite.create_function_v2(db->sql, "take_row", -1, flags, db, NULL,
						      take_row, scan_ignore, NULL))
		db_fail(db);
	db->scanned = true;
}

void db_scan(struct db *db, const char *table, const char *columns, db_row_fn *fn, void *ctx)
{
	struct scan s = { .fn = fn, .ctx = ctx }, *outer = db->scan;
	struct buf text = { 0 };
	sqlite3_stmt *st = NULL;

	make_function(db);
	buf_adds(&text, "SELECT take_row(");
	buf_adds(&text, columns);
	buf_adds(&text, ") FROM ");
	buf_adds(&text, table);
	/* an index would return the rows in another order */
	buf_adds(&text, " NOT INDEXED");
	if (sqlite.prepare_v2(db->sql, text.s, (int)text.len, &st, NULL))
		db_fail(db);
	buf_free(&text);
	db->scan = &s;
	while (!db->failed && db_row(db, st))
		;
	db->scan = outer;
	sqlite.finalize(st);
}
