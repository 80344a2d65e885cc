// SPDX-License-Identifier: LGPL-2.1
/* Encodes rows for a server.  See rows.h. */
#include "fleet/rows.h"
#include "base/xalloc.h"

void rows_int(struct buf *to, uint64_t v, unsigned int bytes)
{
	char *at = buf_room(to, 8);

	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (char)(v >> 8 * i);
	to->len += bytes;
}

void rows_maybe(struct buf *to, bool known, int64_t v, unsigned int bytes)
{
	buf_addc(to, !known);
	if (known)
		rows_int(to, (uint64_t)v, bytes);
}

void rows_count(struct buf *to, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_addc(to, (char)(n | 0x80));
	buf_addc(to, (char)n);
}

void rows_text(struct buf *to, const char *s, size_t len)
{
	rows_count(to, len);
	buf_add(to, s, len);
}

/* RowBinary has the two halves of a UUID as numbers, each little endian. */
void rows_uuid(struct buf *to, const uint8_t id[16])
{
	for (unsigned int half = 0; half < 16; half += 8)
		for (unsigned int i = 0; i < 8; i++)
			buf_addc(to, (char)id[half + 7 - i]);
}

void rows_begin(struct rows *r, uint32_t build)
{
	r->starts = xgrow(r->starts, &r->cap, r->n + 1, sizeof(*r->starts));
	r->starts[r->n++] = (struct rows_start){ (uint32_t)r->data.len, build };
	rows_int(&r->data, 0, 8);
}

void rows_parts(struct rows *r, uint64_t base)
{
	for (size_t i = 0; i < r->n; i++) {
		struct buf at = { r->data.s + r->starts[i].at, 0, 8 };

		rows_int(&at, base + r->starts[i].build, 8);
	}
}

void rows_empty(struct rows *r)
{
	r->data.len = 0;
	r->n = 0;
}

void rows_free(struct rows *r)
{
	buf_free(&r->data);
	free(r->starts);
	*r = (struct rows){ 0 };
}
