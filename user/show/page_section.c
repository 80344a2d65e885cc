// SPDX-License-Identifier: LGPL-2.1
/* Compresses and writes the sections of a page.  See page_section.h. */
#include "show/page_section.h"
#include "base/buf.h"
#include "base/utf8.h"

#include <errno.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <zlib.h>

struct page_section {
	struct page_sections *of;
	char *name;
	struct buf packed;
	uint64_t size;		/* expanded size in bytes */
	z_stream z;
};

#define CHUNK 16384u

/* ---- packing ---- */

static int pack_data(struct page_section *s, const void *data, size_t n, int flush)
{
	int ret;

	s->z.next_in = (Bytef *)data;
	s->z.avail_in = (uInt)n;
	do {
		s->z.next_out = (Bytef *)buf_room(&s->packed, CHUNK);
		s->z.avail_out = CHUNK;
		ret = deflate(&s->z, flush);
		s->packed.len += CHUNK - s->z.avail_out;
	} while (!s->z.avail_out);
	return ret == Z_STREAM_ERROR ? -EIO : 0;
}

static int section_write(void *ctx, const void *data, size_t n)
{
	struct page_section *s = ctx;
	const char *at = data;

	s->size += n;
	for (size_t part; n; at += part, n -= part) {
		part = n < UINT32_MAX ? n : UINT32_MAX;
		if (pack_data(s, at, part, Z_NO_FLUSH))
			return -EIO;
	}
	return 0;
}

/* Number of bytes that a section takes in the page. */
static uint64_t in_page(const struct page_section *s)
{
	return BASE64_ENCODE_RAW_LENGTH(s->packed.len) + strlen(s->name) + 80;
}

static int section_close(void *ctx)
{
	struct page_section *s = ctx;
	int err = pack_data(s, NULL, 0, Z_FINISH);

	deflateEnd(&s->z);
	/* there are hundreds of sections, and most are much smaller than their buffers */
	s->packed.s = xrealloc(s->packed.s, s->packed.len);
	s->packed.cap = s->packed.len;
	s->of->packed += in_page(s);
	return err;
}

static const struct out_backend section = { .write = section_write, .close = section_close };

struct out *page_section(struct page_sections *s, const char *name)
{
	struct page_section *new = xcalloc(1, sizeof(*new));

	new->of = s;
	new->name = xstrdup(name);
	if (deflateInit(&new->z, Z_DEFAULT_COMPRESSION) != Z_OK)
		xalloc_failed(0);
	s->rows = xgrow(s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n++] = new;
	return out_new(&section, new);
}

struct out *page_section_of(struct page_sections *s, const char *name, size_t block)
{
	char full[64];

	snprintf(full, sizeof(full), "%s-%zu", name, block);
	return page_section(s, full);
}

void page_sections_forget(struct page_sections *s, size_t n)
{
	while (s->n > n) {
		struct page_section *last = s->rows[--s->n];

		s->packed -= in_page(last);
		buf_free(&last->packed);
		free(last->name);
		free(last);
	}
}

void page_sections_free(struct page_sections *s)
{
	page_sections_forget(s, 0);
	free(s->rows);
	*s = (struct page_sections){ 0 };
}

/* ---- putting ---- */

static void put_base64(const struct buf *b, struct out *out)
{
	struct base64_encode_ctx ctx;
	size_t part;

	base64_encode_init(&ctx);
	for (size_t at = 0; at < b->len; at += part) {
		part = b->len - at < CHUNK ? b->len - at : CHUNK;
		out_commit(out, base64_encode_update(&ctx, out_reserve(out, BASE64_ENCODE_LENGTH(CHUNK)),
						     part, (const uint8_t *)b->s + at));
	}
	out_commit(out, base64_encode_final(&ctx, out_reserve(out, BASE64_ENCODE_FINAL_LENGTH)));
}

void page_sections_put(const struct page_sections *s, struct out *out)
{
	for (size_t i = 0; i < s->n; i++) {
		out_puts(out, "<script type=\"application/octet-stream\" id=\"");
		out_puts(out, s->rows[i]->name);
		out_puts(out, "\" data-size=\"");
		out_u64(out, s->rows[i]->size);
		out_puts(out, "\">");
		put_base64(&s->rows[i]->packed, out);
		out_puts(out, "</script>\n");
	}
}

/* ---- texts ---- */

void page_text(struct out *o, const char *s, size_t len)
{
	char *text = NULL;

	if (!utf8_valid(s, len)) {
		text = utf8_replace(s, len, &len);
		s = text;
	}
	out_write(o, s, len);
	out_write(o, "", 1);
	free(text);
}
