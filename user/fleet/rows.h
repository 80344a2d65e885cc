/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes rows for a server in ClickHouse's format RowBinary, and collects them in batches.
 *
 * Each row of a batch begins with its part: a random base, drawn when the batch is sent,
 * plus the number of the build.  If it is unknown whether a batch arrived, it is sent again
 * with other parts; rows of the first attempt then have parts that do not count.
 */
#ifndef ETRACE_FLEET_ROWS_H
#define ETRACE_FLEET_ROWS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- values: each function appends one ---- */

/** rows_int - the lower @bytes bytes of a number, little endian, signed or not */
void rows_int(struct buf *to, uint64_t v, unsigned int bytes);

/** rows_maybe - add a Nullable integer of @bytes bytes */
void rows_maybe(struct buf *to, bool known, int64_t v, unsigned int bytes);

/** rows_count - the number of elements of an Array, which follow */
void rows_count(struct buf *to, uint64_t n);

/** rows_text - add a String, which may hold any bytes */
void rows_text(struct buf *to, const char *s, size_t len);

/** rows_uuid - add a UUID; @id has its bytes in the order of its text */
void rows_uuid(struct buf *to, const uint8_t id[16]);

/* ---- batches ---- */

struct rows {
	struct buf data;
	struct rows_start {
		uint32_t at;	/* offset in @data, bytes */
		uint32_t build;	/* number of its build */
	} *starts;
	size_t n, cap;
};

/** rows_begin - begin a row of a build with room for the part; then append its columns to data */
void rows_begin(struct rows *r, uint32_t build);

/** rows_parts - set the part of each row to @base plus its build */
void rows_parts(struct rows *r, uint64_t base);

/** rows_empty - remove all rows; memory is kept for the next ones */
void rows_empty(struct rows *r);
void rows_free(struct rows *r);

#endif
