/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Rows on their way to a server: ClickHouse's RowBinary, and batches of it.
 *
 * Each row of a batch begins with its part, a number that is drawn when the batch is
 * sent: base of the batch + number of the build.  If nobody knows what became of a batch,
 * it is sent again with other parts, and what is there of the first time belongs to none
 * that counts.
 */
#ifndef ETRACE_FLEET_ROWS_H
#define ETRACE_FLEET_ROWS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- values, appended ---- */

/** rows_int - the @bytes lower bytes of a number, little endian; of any sign */
void rows_int(struct buf *to, uint64_t v, unsigned int bytes);

/** rows_maybe - a Nullable of so many bytes */
void rows_maybe(struct buf *to, bool known, int64_t v, unsigned int bytes);

/** rows_count - how many elements of an Array follow */
void rows_count(struct buf *to, uint64_t n);

/** rows_text - a String, of any bytes */
void rows_text(struct buf *to, const char *s, size_t len);

/** rows_uuid - 16 bytes in the order in which they are written */
void rows_uuid(struct buf *to, const uint8_t id[16]);

/* ---- batches ---- */

struct rows {
	struct buf data;
	struct rows_start {
		uint32_t at;	/* byte */
		uint32_t build;	/* its number */
	} *starts;
	size_t n, cap;
};

/** rows_begin - the next row, of a build: what is added to data follows the part */
void rows_begin(struct rows *r, uint32_t build);

/** rows_parts - set the part of each row */
void rows_parts(struct rows *r, uint64_t base);

/** rows_empty - forget them; room is kept */
void rows_empty(struct rows *r);
void rows_free(struct rows *r);

#endif
