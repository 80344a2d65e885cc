/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What programs did with files, and looked for in vain.
 *
 * A row for each would be most of a database, and SQLite takes more to hand it out than all
 * else that becomes of it.  So many of one exec share a row of access_list or miss: its text
 * is a list of lists of numbers, JSON of which no space and no fraction is part:
 *
 *	access_list  [[version,file,how,class,at,took,fd,bytes,copied,since],...]
 *	miss         [[file,at],...]
 *
 * "at" counts from the row's own, which is that of its first.  What is behind "took" is left
 * out from where on it says no more than { -1, -1, 0, 0 }: no descriptor, bytes not known.
 */
#ifndef ETRACE_DB_LISTS_H
#define ETRACE_DB_LISTS_H

#include "base/buf.h"
#include "base/map64.h"
#include "db/scan.h"
#include "graph/graph.h"

/* ---- on the way to a database ---- */

/* A row that waits. */
struct list_row {
	uint32_t exec;
	int32_t error;		/* of all that were looked for in vain */
	int64_t at;		/* of the first */
	struct buf text;	/* the last "]" is missing */
};

/* What becomes of a row that is full or whose exec has ended. */
typedef void list_row_fn(void *ctx, const struct list_row *row);

/* Starts as all zeros but for the first two; list_rows_free() ends it. */
struct list_rows {
	list_row_fn *fn;
	void *ctx;
	struct list_row *rows;	/* of execs that live */
	size_t n, cap;
	uint32_t *spare;	/* places of @rows that are free */
	size_t nspare, spare_cap;
	struct map64 of;	/* exec: place */
};

/** list_rows_add - one more; those that were looked for in vain have rows of their own */
void list_rows_add(struct list_rows *l, const struct graph_access *a);

/** list_rows_end - @exec has ended; list_rows_end_all - all have */
void list_rows_end(struct list_rows *l, uint32_t exec);
void list_rows_end_all(struct list_rows *l);

void list_rows_free(struct list_rows *l);

/* ---- and back ---- */

/* What is left of a list; @begun: something was taken. */
struct list {
	struct db *db;
	const char *at, *end;
	bool begun;
};

/** list_of - the text of a row, which stays its owner's */
struct list list_of(struct db *db, const char *text, size_t len);

/** list_count - at least how many lists of numbers are in a row's text */
uint32_t list_count(const struct db_cells *row);

/*
 * Return: whether there was one more.  A list that holds anything else, or ids, classes and
 * times that nothing has, is damage: db->failed.
 */

/** list_id - of a plain list of ids */
bool list_id(struct list *l, enum db_table of, uint32_t *id);

/** list_access, list_miss - @a, but for exec and error; @at: the row's own time */
bool list_access(struct list *l, int64_t at, struct graph_access *a);
bool list_miss(struct list *l, int64_t at, struct graph_access *a);

#endif
