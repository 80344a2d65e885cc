// SPDX-License-Identifier: LGPL-2.1
/*
 * Buffers rows for a table.  See batch.h.  To SQLite they are a virtual table,
 * which "INSERT INTO table SELECT" reads.
 */
#include "db/batch.h"
#include "db/bind.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	4096u
#define BYTES_MAX	(4u << 20)

struct batch {
	struct db *db;
	const char *table;
	unsigned int columns;
	struct sqlite3_stmt *st;
	struct batch_cell *cells;
	size_t cells_cap, rows;
	struct buf bytes;
};

/* ---- for SQLite ---- */

struct table {
	struct sqlite3_vtab base;
	struct batch *batch;
};

struct cursor {
	struct sqlite3_vtab_cursor base;
	const struct batch *batch;
	size_t row;
};

static int connect_table(struct sqlite3 *sql, void *aux, int argc, const char *const *argv,
			 struct sqlite3_vtab **to, char **why)
{
	struct batch *b = aux;
	struct table *t = xcalloc(1, sizeof(*t));
	struct buf text = { 0 };
	int err;

	(void)argc;
	(void)argv;
	(void)why;
	t->batch = b;
	for (unsigned int i = 0; i < b->columns; i++) {
		buf_adds(&text, i ? ", c" : "CREATE TABLE t (c");
		buf_addu(&text, i);
	}
	buf_add(&text, ")", 2);
	err = sqlite.declare_vtab(sql, text.s);
	buf_free(&text);
	*to = &t->base;
	return err;
}

static int disconnect_table(struct sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

static int best_index(struct sqlite3_vtab *t, struct sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int open_cursor(struct sqlite3_vtab *t, struct sqlite3_vtab_cursor **to)
{
	struct cursor *c = xcalloc(1, sizeof(*c));

	c->batch = ((struct table *)t)->batch;
	*to = &c->base;
	return SQLITE_OK;
}

static int close_cursor(struct sqlite3_vtab_cursor *c)
{
	free(c);
	return SQLITE_OK;
}

static int first_row(struct sqlite3_vtab_cursor *c, int number, const char *text, int argc,
		     struct sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct cursor *)c)->row = 0;
	return SQLITE_OK;
}

static int next_row(struct sqlite3_vtab_cursor *c)
{
	((struct cursor *)c)->row++;
	return SQLITE_OK;
}

static int at_end(struct sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->row >= ((struct cursor *)c)->batch->rows;
}

static int batch_column(struct sqlite3_vtab_cursor *cursor, struct sqlite3_context *to, int i)
{
	const struct cursor *c = (struct cursor *)cursor;
	const struct batch *b = c->batch;
	const struct batch_cell *cell = &b->cells[c->row * b->columns + (unsigned int)i];
	const char *bytes;

	/* without a result, the column is NULL */
	if (cell->type == 'i')
		sqlite.result_int64(to, cell->v);
	if (cell->type == 'i' || cell->type == '0')
		return SQLITE_OK;
	/* a null pointer is NULL to SQLite, so empty text needs an address */
	bytes = b->bytes.s ? b->bytes.s + cell->v : "";
	if (cell->type == 'b')
		sqlite.result_blob64(to, bytes, cell->len, SQLITE_STATIC);
	else
		sqlite.result_text64(to, bytes, cell->len, SQLITE_STATIC, SQLITE_UTF8);
	return SQLITE_OK;
}

static int row_id(struct sqlite3_vtab_cursor *c, sqlite3_int64 *to)
{
	*to = (sqlite3_int64)((struct cursor *)c)->row;
	return SQLITE_OK;
}

static const struct sqlite3_module module = {
	.xConnect = connect_table, .xBestIndex = best_index, .xDisconnect = disconnect_table,
	.xOpen = open_cursor, .xClose = close_cursor, .xFilter = first_row, .xNext = next_row,
	.xEof = at_end, .xColumn = batch_column, .xRowid = row_id,
};

/* ---- the interface ---- */

struct batch *batch_new(struct db *db, const char *table, unsigned int columns)
{
	struct batch *b = xcalloc(1, sizeof(*b));
	char text[80], name[32];

	b->db = db;
	b->table = table;
	b->columns = columns;
	snprintf(name, sizeof(name), "batch_%s", table);
	snprintf(text, sizeof(text), "INSERT INTO %s SELECT * FROM %s", table, name);
	if (sqlite.create_module(db->sql, name, &module, b) ||
	    sqlite.prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &b->st, NULL))
		db_fail(db);
	return b;
}

void batch_free(struct batch *b)
{
	sqlite.finalize(b->st);
	free(b->cells);
	buf_free(&b->bytes);
	free(b);
}

bool batch_flush(struct batch *b)
{
	bool good = !b->db->failed;

	if (good && b->rows) {
		good = sqlite.step(b->st) == SQLITE_DONE;
		if (!good)
			db_fail(b->db);
		sqlite.reset(b->st);
	}
	b->rows = b->bytes.len = 0;
	return good;
}

struct batch_cell *batch_next(struct batch *b)
{
	if (b->rows >= ROWS_MAX || b->bytes.len >= BYTES_MAX)
		batch_flush(b);
	b->cells = xgrow(b->cells, &b->cells_cap, (b->rows + 1) * b->columns, sizeof(*b->cells));
	return &b->cells[b->rows++ * b->columns];
}

void batch_add(struct batch *b, const char *types, va_list ap)
{
	struct batch_cell *cell = batch_next(b);

	for (; *types; types++, cell++) {
		const char *bytes;

		cell->type = *types;
		if (*types == 'b' || *types == 't') {
			bytes = va_arg(ap, const char *);
			cell->len = (uint32_t)va_arg(ap, size_t);
			cell->v = (int64_t)b->bytes.len;
			if (bytes)
				buf_add(&b->bytes, bytes, cell->len);
			else
				cell->type = '0';
			continue;
		}
		cell->v = va_arg(ap, int64_t);
		if (*types == 'n')
			cell->type = cell->v ? 'i' : '0';
	}
}

struct batch_cell *batch_row(struct batch *b, int64_t id)
{
	int64_t row = b->rows ? id - b->cells[0].v : -1;

	if (row < 0 || (uint64_t)row >= b->rows ||
	    b->cells[(size_t)row * b->columns].v != id)
		return NULL;
	return &b->cells[(size_t)row * b->columns];
}
