/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Rows of the tables access_list and miss: what programs did with files, and names that they did
 * not find.
 *
 * With one row for each, these would be most of a database, and SQLite would take longer to return
 * them than all other work on them takes. Therefore one row contains many accesses of one exec:
 * its text is a list of lists of numbers, JSON without spaces and fractions:
 *
 *	access_list  [[version,file,how,class,at,took,fd,bytes,copied,since],...]
 *	miss         [[file,at],...]
 *
 * "at" is relative to the row's own "at", the time of its first list. The numbers after "took"
 * default to { -1, -1, 0, 0 } (no descriptor, bytes unknown), and are omitted at the end of a list
 * if they have these values.
 */
#ifndef ETRACE_DB_LISTS_H
#define ETRACE_DB_LISTS_H

#include "base/buf.h"
#include "base/map64.h"
#include "db/scan.h"
#include "graph/graph.h"

/* ---- writing ---- */

/* A row that is being filled. */
struct list_row {
	uint32_t exec;
	int32_t error;		/* errno of all its lists; 0 unless GRAPH_MISS */
	int64_t at;		/* time of its first list */
	struct buf text;	/* the last "]" is missing */
};

/* Called for a row that is full or whose exec has ended. */
typedef void list_row_fn(void *ctx, const struct list_row *row);

/* Starts with @fn and @ctx set and everything else zero; list_rows_free() releases it. */
struct list_rows {
	list_row_fn *fn;
	void *ctx;
	struct list_row *rows;	/* rows of live execs */
	size_t n, cap;
	uint32_t *spare;	/* indices of free @rows */
	size_t nspare, spare_cap;
	struct map64 of;	/* exec to index in @rows */
};

/** list_rows_add - add an access; accesses with GRAPH_MISS need a separate struct list_rows */
void list_rows_add(struct list_rows *l, const struct graph_access *a);

/** list_rows_end - @exec has ended; list_rows_end_all - all have */
void list_rows_end(struct list_rows *l, uint32_t exec);
void list_rows_end_all(struct list_rows *l);

void list_rows_free(struct list_rows *l);

/* ---- reading ---- */

/* The unread rest of a list; @begun: something was read. */
struct list {
	struct db *db;
	const char *at, *end;
	bool begun;
};

/** list_of - begin to read the text of a row, which the caller keeps */
struct list list_of(struct db *db, const char *text, size_t len);

/** list_count - lower bound of the number of lists in a row's text */
uint32_t list_count(const struct db_cells *row);

/*
 * The functions below return whether there was another element. A list with anything else in it, or
 * with an id, class or time out of range, is reported as damage: db->failed.
 */

/** list_id - read the next id of a plain list of ids */
bool list_id(struct list *l, enum db_table of, uint32_t *id);

/** list_access, list_miss - read an access, all but its exec and error; @at: the row's time */
bool list_access(struct list *l, int64_t at, struct graph_access *a);
bool list_miss(struct list *l, int64_t at, struct graph_access *a);

#endif
