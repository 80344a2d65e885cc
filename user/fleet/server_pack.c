// SPDX-License-Identifier: LGPL-2.1
/* Compresses rows, quotes texts for statements, and parses answers.  See server_pack.h. */
#include "fleet/server_pack.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

/* ---- packing ---- */

static void pack_gzip(const void *data, size_t size, struct buf *to)
{
	z_stream z = { 0 };
	int ret;

	/* adding 16 to the window bits selects the format of gzip */
	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		xalloc_failed(1 << 18);
	z.next_in = (Bytef *)(uintptr_t)data;
	do {
		/* zlib counts in unsigned int; rows are much shorter */
		if (!z.avail_in) {
			size_t n = size < 1u << 30 ? size : 1u << 30;

			z.avail_in = (uInt)n;
			size -= n;
		}
		z.next_out = (Bytef *)buf_room(to, 1 << 16);
		z.avail_out = 1 << 16;
		ret = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		to->len += (1u << 16) - z.avail_out;
	} while (ret != Z_STREAM_END);
	deflateEnd(&z);
}

static void pack_zstd(const void *data, size_t size, struct buf *to)
{
	size_t room = ZSTD_compressBound(size), n;

	n = ZSTD_compress(buf_room(to, room), room, data, size, 1);
	if (ZSTD_isError(n))
		xalloc_failed(room);
	to->len += n;
}

static const struct packing {
	const char *coding;
	void (*pack)(const void *data, size_t size, struct buf *to);
} packings[] = {
	[SERVER_GZIP] = { "gzip", pack_gzip },
	[SERVER_ZSTD] = { "zstd", pack_zstd },
};

const char *server_coding(enum server_packing packing)
{
	return packings[packing].coding;
}

void server_pack(enum server_packing packing, const void *data, size_t size, struct buf *to)
{
	to->len = 0;
	packings[packing].pack(data, size, to);
}

/* ---- text ---- */

/* Letters after a backslash, and the bytes that they stand for. */
static const char escapes[][2] = {
	{ '\\', '\\' }, { '\'', '\'' }, { '0', '\0' }, { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' },
	{ 'b', '\b' }, { 'f', '\f' },
};

void server_text(struct buf *to, const char *text, size_t len)
{
	buf_addc(to, '\'');
	for (size_t i = 0; i < len; i++) {
		size_t k = 0;

		while (k < sizeof(escapes) / sizeof(*escapes) && escapes[k][1] != text[i])
			k++;
		if (k < sizeof(escapes) / sizeof(*escapes)) {
			buf_addc(to, '\\');
			buf_addc(to, escapes[k][0]);
		} else {
			buf_addc(to, text[i]);
		}
	}
	buf_addc(to, '\'');
}

static char unescaped_char(char c)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (escapes[i][0] == c)
			return escapes[i][1];
	return c;
}

/* ---- answers ---- */

/* Append the text of a cell and a NUL.  Return: the tab or newline after the cell. */
static const char *take_cell(const char *p, const char *end, struct buf *to, bool *null)
{
	*null = end - p >= 2 && p[0] == '\\' && p[1] == 'N' &&
		(end - p == 2 || p[2] == '\t' || p[2] == '\n');
	if (*null)
		p += 2;
	for (; p < end && *p != '\t' && *p != '\n'; p++) {
		if (*p == '\\' && p + 1 < end)
			buf_addc(to, unescaped_char(*++p));
		else
			buf_addc(to, *p);
	}
	buf_addc(to, '\0');
	return p;
}

/* Offsets of cells, as the text may still move while it grows. */
struct cells {
	size_t *at, n, cap;
};

static void add_cell(struct server_answer *a, struct cells *c, size_t *cap, size_t at, bool null)
{
	c->at = xgrow(c->at, &c->cap, c->n + 1, sizeof(*c->at));
	c->at[c->n] = null ? SIZE_MAX : at;
	a->lens = xgrow(a->lens, cap, c->n + 1, sizeof(*a->lens));
	a->lens[c->n++] = a->text.len - at - 1;
}

/* Read all cells.  Return: false if rows differ in number of cells, or the last one has no end. */
static bool take_rows(struct server_answer *a, struct cells *c, const char *p, const char *end)
{
	size_t cap = 0, in_row = 0;

	while (p < end) {
		size_t at = a->text.len;
		bool null;

		p = take_cell(p, end, &a->text, &null);
		/* a column may be named "\N", but no name is NULL */
		add_cell(a, c, &cap, at, null && a->ncolumns);
		in_row++;
		if (p == end)
			return false;
		if (*p++ != '\n')
			continue;
		if (!a->ncolumns)
			a->ncolumns = in_row;
		if (in_row != a->ncolumns)
			return false;
		in_row = 0;
	}
	return !in_row && a->ncolumns;
}

bool server_answer_read(struct server_answer *a, const char *text, size_t len)
{
	struct cells c = { 0 };
	bool good = len && take_rows(a, &c, text, text + len);

	if (good) {
		char **all = xcalloc(c.n, sizeof(*all));

		for (size_t i = 0; i < c.n; i++)
			all[i] = c.at[i] == SIZE_MAX ? NULL : a->text.s + c.at[i];
		a->names = all;
		a->cells = all + a->ncolumns;
		memmove(a->lens, a->lens + a->ncolumns, (c.n - a->ncolumns) * sizeof(*a->lens));
		a->nrows = c.n / a->ncolumns - 1;
	}
	free(c.at);
	return good;
}

void server_answer_free(struct server_answer *a)
{
	free(a->names);		/* and the cells, in the same memory */
	free(a->lens);
	buf_free(&a->text);
	*a = (struct server_answer){ 0 };
}
