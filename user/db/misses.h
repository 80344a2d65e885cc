/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What programs looked for in vain, on its way to the table miss.  A third of what a
 * build asks of files is not there: a row for each would be most of a database, so
 * many of one exec share a row.
 */
#ifndef ETRACE_DB_MISSES_H
#define ETRACE_DB_MISSES_H

#include "base/buf.h"
#include "base/map64.h"
#include "graph/graph.h"

/* A row that waits. */
struct miss_row {
	uint32_t exec;
	int32_t error;		/* of all of them */
	int64_t at;		/* of the first */
	struct buf files;	/* JSON: [[file,ns since at],...; the last "]" is missing */
};

/* Starts as all zeros; misses_free() ends it. */
struct misses {
	struct miss_row *rows;	/* of execs that live */
	size_t n, cap;
	uint32_t *spare;	/* places of @rows that are free */
	size_t nspare, spare_cap;
	struct map64 of;	/* exec: place */
};

/* What becomes of a row that is full or whose exec has ended. */
typedef void miss_fn(void *ctx, const struct miss_row *row);

/** misses_add - one more; @a: of GRAPH_MISS */
void misses_add(struct misses *m, const struct graph_access *a, miss_fn *fn, void *ctx);

/** misses_end - @exec has ended */
void misses_end(struct misses *m, uint32_t exec, miss_fn *fn, void *ctx);

void misses_free(struct misses *m);

#endif
