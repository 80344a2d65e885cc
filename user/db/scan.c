// SPDX-License-Identifier: LGPL-2.1
/* All rows of a table.  See scan.h. */
#include "db/scan.h"
#include "db/bind.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/xalloc.h"

#include <string.h>

#define COLUMNS_MAX	64
#define DEPTH_MAX	20	/* of a tree of pages; SQLite has the same limit */
#define HEADER		100	/* bytes before the first page's own */
#define MODE_WAL	2
#define USABLE_MIN	480

enum page_kind { PAGE_INTERIOR = 5, PAGE_LEAF = 13 };

struct scan {
	struct db *db;
	sqlite3_file *file;
	uint32_t page, usable;	/* bytes */
	uint64_t left;		/* pages that may be read: each belongs to one place only */
	int8_t cell[COLUMNS_MAX];	/* by column of the table; -1: not asked for */
	int ncolumns, id;	/* up to the last one asked for; which one is the rowid, -1: none */
	struct buf whole;	/* a row that continues on other pages */
	struct db_cells row;
	db_row_fn *fn;
	void *ctx;
};

/* ---- numbers in the file ---- */

static uint32_t be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
	return be16(p) << 16 | be16(p + 2);
}

/* Return: behind it; NULL: it goes on behind @end. */
static const uint8_t *long_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (int i = 0; i < 8; i++) {
		if (p == end)
			return NULL;
		*v = *v << 7 | (*p & 0x7f);
		if (!(*p++ & 0x80))
			return p;
	}
	if (p == end)
		return NULL;
	*v = *v << 8 | *p;
	return p + 1;
}

static inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p == end || *p & 0x80)
		return long_varint(p, end, v);
	*v = *p;
	return p + 1;
}

/* ---- rows ---- */

/* Types of values; those from 1 to 6 are numbers of as many bytes as sizes[] says. */
enum { IS_NULL, IS_64 = 6, IS_FLOAT, IS_0, IS_1, IS_BLOB = 12 };

/* Behind a row, so many bytes can be read. */
#define PADDING	8

static inline uint64_t size_of(uint64_t type)
{
	static const uint8_t sizes[IS_BLOB] = { 0, 1, 2, 3, 4, 6, 8, 8 };

	return type < IS_BLOB ? sizes[type] : (type - IS_BLOB) / 2;
}

static inline int64_t number(uint64_t type, const uint8_t *p)
{
	static const uint8_t shifts[IS_64 + 1] = { 63, 56, 48, 40, 32, 16, 0 };

	return (int64_t)__builtin_bswap64(bytes_first_low(p)) >> shifts[type];
}

static void take_bytes(struct db_cells *row, uint64_t type, const uint8_t *data)
{
	row->bytes = (const char *)data;
	row->len = size_of(type);
}

/* The types of all columns stand before their values.  Return: false: it is no row. */
static bool take_row(struct scan *s, int64_t id, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len, *types, *data;
	struct db_cells *row = &s->row;
	uint64_t head, type;

	types = varint(p, end, &head);
	if (!types || head > len)
		return false;
	data = p + head;
	*row = (struct db_cells){ .bytes = "" };
	/* columns that it does not have are NULL */
	for (const int8_t *cell = s->cell; cell < s->cell + s->ncolumns && types < p + head; cell++) {
		types = varint(types, p + head, &type);
		if (!types || size_of(type) > (size_t)(end - data))
			return false;
		if (type != IS_NULL && *cell >= 0) {
			row->known |= 1u << *cell;
			if (type <= IS_64)
				row->v[*cell] = number(type, data);
			else if (type >= IS_BLOB)
				take_bytes(row, type, data);
			else if (type == IS_0 || type == IS_1)
				row->v[*cell] = type == IS_1;
			else
				return false;
		}
		data += size_of(type);
	}
	if (s->id >= 0) {
		row->v[s->id] = id;
		row->known |= 1u << s->id;
	}
	s->fn(s->ctx, row);
	return true;
}

/* ---- pages ---- */

static bool read_page(struct scan *s, uint32_t number, uint8_t *to)
{
	int64_t at = ((int64_t)number - 1) * s->page;

	return number && s->left && s->left-- &&
	       s->file->pMethods->xRead(s->file, to, (int)s->page, at) == SQLITE_OK;
}

/* A row of @len bytes, of which @here are at @p, and then the number of the page with the rest. */
static bool take_long_row(struct scan *s, int64_t id, const uint8_t *p, size_t here, uint64_t len)
{
	uint32_t next = be32(p + here);
	uint8_t *page = xmalloc(s->page);
	bool good = true;

	s->whole.len = 0;
	buf_add(&s->whole, (const char *)p, here);
	while (good && s->whole.len < len) {
		uint64_t rest = len - s->whole.len, most = s->usable - 4;

		good = read_page(s, next, page);
		next = good ? be32(page) : 0;
		if (good)
			buf_add(&s->whole, (const char *)page + 4, rest < most ? rest : most);
	}
	free(page);
	buf_room(&s->whole, PADDING);
	return good && take_row(s, id, (const uint8_t *)s->whole.s, s->whole.len);
}

static bool take_leaf_cell(struct scan *s, const uint8_t *p, const uint8_t *end)
{
	uint64_t len, id, least = (s->usable - 12) * 32 / 255 - 23, most = s->usable - 35, here;

	p = varint(p, end, &len);
	p = p ? varint(p, end, &id) : NULL;
	if (!p)
		return false;
	if (len <= most)
		return len <= (uint64_t)(end - p) && take_row(s, (int64_t)id, p, len);
	here = least + (len - least) % (s->usable - 4);
	here = here <= most ? here : least;
	return here + 4 <= (uint64_t)(end - p) && take_long_row(s, (int64_t)id, p, here, len);
}

static bool scan_page(struct scan *s, uint32_t number, unsigned int depth);

static bool scan_cells(struct scan *s, const uint8_t *page, const uint8_t *head, unsigned int depth)
{
	bool leaf = head[0] == PAGE_LEAF;
	const uint8_t *cells = head + (leaf ? 8 : 12), *end = page + s->usable;
	uint32_t n = be16(head + 3);
	bool good = cells + 2 * n <= end;

	for (uint32_t i = 0; good && i < n; i++) {
		const uint8_t *cell = page + be16(cells + 2 * i);

		good = cell + 4 <= end && (leaf ? take_leaf_cell(s, cell, end) :
					   scan_page(s, be32(cell), depth + 1));
	}
	return good && (leaf || scan_page(s, be32(head + 8), depth + 1));
}

static bool scan_page(struct scan *s, uint32_t number, unsigned int depth)
{
	uint8_t *page = xmalloc(s->page + PADDING), *head = page + (number == 1 ? HEADER : 0);
	bool good = depth < DEPTH_MAX && read_page(s, number, page) &&
		    (head[0] == PAGE_LEAF || head[0] == PAGE_INTERIOR) &&
		    scan_cells(s, page, head, depth);

	free(page);
	return good;
}

/* ---- tables ---- */

/* Return: the place of a name in the list; -1: it is not there. */
static int find_name(const char *columns, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; *columns; i++) {
		size_t n = strcspn(columns, ",");

		if (n == len && !memcmp(columns, name, n))
			return i;
		columns += n;
		columns += strspn(columns, ", ");
	}
	return -1;
}

static bool map_columns(struct scan *s, const char *table, const char *columns)
{
	struct buf text = { 0 };
	sqlite3_stmt *st;
	int err;

	buf_adds(&text, "SELECT * FROM ");
	buf_adds(&text, table);
	err = sqlite3_prepare_v2(s->db->sql, text.s, (int)text.len, &st, NULL);
	buf_free(&text);
	if (err) {
		db_fail(s->db);
		return false;
	}
	s->id = -1;
	for (int i = 0; i < sqlite3_column_count(st) && i < COLUMNS_MAX; i++) {
		const char *name = sqlite3_column_name(st, i);

		s->cell[i] = (int8_t)find_name(columns, name);
		/* "id" is another name of the rowid, which does not stand in the row */
		if (s->cell[i] >= 0 && !strcmp(name, "id")) {
			s->id = s->cell[i];
			s->cell[i] = -1;
		} else if (s->cell[i] >= 0) {
			s->ncolumns = i + 1;
		}
	}
	sqlite3_finalize(st);
	return true;
}

/* Under SQLite's lock, what is in the file does not change.  Return: whether all is there. */
static bool begin_pages(struct scan *s)
{
	uint8_t head[HEADER];

	if (!s->db->in_file || !db_exec(s->db, "BEGIN"))
		return false;
	s->left = (uint64_t)db_one(s->db, "PRAGMA page_count", "");
	if (sqlite3_file_control(s->db->sql, "main", SQLITE_FCNTL_FILE_POINTER, &s->file) ||
	    !s->file->pMethods || s->file->pMethods->xRead(s->file, head, HEADER, 0) ||
	    head[19] == MODE_WAL) {
		db_exec(s->db, "COMMIT");
		return false;
	}
	s->page = be16(head + 16) == 1 ? 65536 : be16(head + 16);
	s->usable = s->page - head[20];
	return true;
}

static void scan_file(struct scan *s, const char *table, const char *columns)
{
	static const char root[] =
		"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?";
	int64_t number = db_one(s->db, root, "t", table, strlen(table));

	if (map_columns(s, table, columns) &&
	    (s->usable < USABLE_MIN || !scan_page(s, (uint32_t)number, 0)))
		db_damaged(s->db, "table %s cannot be read", table);
	db_exec(s->db, "COMMIT");
	buf_free(&s->whole);
}

static void ask_rows(struct scan *s, const char *table, const char *columns)
{
	struct buf text = { 0 };
	sqlite3_stmt *st;
	int n;

	buf_adds(&text, "SELECT ");
	buf_adds(&text, columns);
	buf_adds(&text, " FROM ");
	buf_adds(&text, table);
	buf_adds(&text, " ORDER BY rowid");
	if (sqlite3_prepare_v2(s->db->sql, text.s, (int)text.len, &st, NULL))
		db_fail(s->db);
	buf_free(&text);
	n = sqlite3_column_count(st);
	while (!s->db->failed && db_row(s->db, st)) {
		s->row = (struct db_cells){ .bytes = "" };
		for (int i = 0; i < n; i++) {
			int type = sqlite3_column_type(st, i);

			s->row.known |= (uint32_t)(type != SQLITE_NULL) << i;
			if (type == SQLITE_INTEGER)
				s->row.v[i] = db_int(st, i);
			else if (type != SQLITE_NULL)
				s->row.bytes = db_bytes(st, i, &s->row.len);
		}
		s->fn(s->ctx, &s->row);
	}
	sqlite3_finalize(st);
}

void db_bad_list(struct db *db)
{
	db_damaged(db, "a list of numbers has something else in it");
}

void db_scan(struct db *db, const char *table, const char *columns, db_row_fn *fn, void *ctx)
{
	struct scan s = { .db = db, .fn = fn, .ctx = ctx };

	if (begin_pages(&s))
		scan_file(&s, table, columns);
	else if (!db->failed)
		ask_rows(&s, table, columns);
}
