// SPDX-License-Identifier: LGPL-2.1
/* Writes compressed output: gzip with zlib, zstd with libzstd.  See out_file.h. */
#include "io/out_file.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* The fastest levels: recording must not wait for the compressor. */
#define GZIP_LEVEL	1
#define ZSTD_LEVEL	1

#define ROOM		65536u

struct packed {
	struct out_file *file;
	int err;		/* negative errno if there is no compressor */
	bool dirty;		/* the compressor holds data that was not flushed */
	z_stream gz;
	ZSTD_CStream *zst;
	unsigned char room[ROOM];
};

static int close_file(struct packed *p, int err)
{
	int end = out_file_close(p->file);

	free(p);
	return err ? err : end;
}

/* ---- gzip ---- */

static int gzip_push(struct packed *p, const void *data, size_t n, int flush)
{
	int err = p->err;

	if (err)
		return err;
	p->gz.next_in = (unsigned char *)(uintptr_t)data;
	p->gz.avail_in = (unsigned int)n;
	do {
		p->gz.next_out = p->room;
		p->gz.avail_out = ROOM;
		if (deflate(&p->gz, flush) == Z_STREAM_ERROR)
			return -EIO;
		err = out_file_write(p->file, p->room, ROOM - p->gz.avail_out);
	} while (!err && !p->gz.avail_out);
	return err;
}

static int gzip_write(void *ctx, const void *data, size_t n)
{
	struct packed *p = ctx;
	const char *at = data;
	int err = 0;

	p->dirty = true;
	while (n && !err) {
		size_t part = n < 1u << 30 ? n : 1u << 30;

		err = gzip_push(p, at, part, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
	return err;
}

static int gzip_sync(void *ctx)
{
	struct packed *p = ctx;
	int err;

	if (!p->dirty)
		return 0;
	p->dirty = false;
	err = gzip_push(p, NULL, 0, Z_SYNC_FLUSH);
	return err ? err : out_file_sync(p->file);
}

static int gzip_close(void *ctx)
{
	struct packed *p = ctx;
	int err = gzip_push(p, NULL, 0, Z_FINISH);

	deflateEnd(&p->gz);
	return close_file(p, err);
}

static void *gzip_open(struct out_file *f)
{
	struct packed *p = xcalloc(1, sizeof(*p));

	p->file = f;
	/* 16 makes zlib write a gzip header */
	switch (deflateInit2(&p->gz, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, 8,
			     Z_DEFAULT_STRATEGY)) {
	case Z_OK:
		break;
	case Z_MEM_ERROR:
		p->err = -ENOMEM;
		break;
	default:	/* the zlib version differs from the one at compile time */
		p->err = -ELIBBAD;
		break;
	}
	return p;
}

/* ---- zstd ---- */

static int zstd_push(struct packed *p, const void *data, size_t n, ZSTD_EndDirective end)
{
	ZSTD_inBuffer src = { data, n, 0 };
	size_t left;
	int err = p->err;

	if (err)
		return err;
	do {
		ZSTD_outBuffer dst = { p->room, ROOM, 0 };

		left = ZSTD_compressStream2(p->zst, &dst, &src, end);
		if (ZSTD_isError(left))
			return -EIO;
		err = out_file_write(p->file, p->room, dst.pos);
	} while (!err && (end == ZSTD_e_continue ? src.pos < src.size : left != 0));
	return err;
}

static int zstd_write(void *ctx, const void *data, size_t n)
{
	struct packed *p = ctx;

	p->dirty = true;
	return zstd_push(p, data, n, ZSTD_e_continue);
}

static int zstd_sync(void *ctx)
{
	struct packed *p = ctx;
	int err;

	if (!p->dirty)
		return 0;
	p->dirty = false;
	err = zstd_push(p, NULL, 0, ZSTD_e_flush);
	return err ? err : out_file_sync(p->file);
}

static int zstd_close(void *ctx)
{
	struct packed *p = ctx;
	int err = zstd_push(p, NULL, 0, ZSTD_e_end);

	ZSTD_freeCStream(p->zst);
	return close_file(p, err);
}

static void *zstd_open(struct out_file *f)
{
	struct packed *p = xcalloc(1, sizeof(*p));

	p->file = f;
	p->zst = ZSTD_createCStream();
	if (!p->zst)
		p->err = -ENOMEM;
	else if (ZSTD_isError(ZSTD_CCtx_setParameter(p->zst, ZSTD_c_compressionLevel, ZSTD_LEVEL)))
		p->err = -ELIBBAD;	/* the version differs from the one at compile time */
	return p;
}

/* ---- choice by name ---- */

static void *plain_open(struct out_file *f)
{
	return f;
}

static const struct out_backend gzip = { .write = gzip_write, .close = gzip_close, .sync = gzip_sync };
static const struct out_backend zstd = { .write = zstd_write, .close = zstd_close, .sync = zstd_sync };

static const struct packing {
	const char *end;
	const struct out_backend *be;
	void *(*open)(struct out_file *f);
} packings[] = {
	{ ".gz", &gzip, gzip_open },
	{ ".zst", &zstd, zstd_open },
	{ "", &out_plain, plain_open },
};

static const struct packing *packing_of(const char *path)
{
	const struct packing *p = packings;
	size_t len = strlen(path);

	while (len < strlen(p->end) || strcmp(path + len - strlen(p->end), p->end))
		p++;
	return p;
}

const struct out_backend *out_backend_of(struct out_file *f, const char *path, void **ctx)
{
	const struct packing *p = packing_of(path);

	*ctx = p->open(f);
	return p->be;
}

const char *out_suffix(const char *path, size_t *len)
{
	const char *name = path_base(path);
	const char *end = path + strlen(path) - strlen(packing_of(path)->end);
	const char *dot = end > name ? memrchr(name, '.', (size_t)(end - name)) : NULL;

	*len = dot ? (size_t)(end - dot - 1) : 0;
	return dot ? dot + 1 : end;
}

bool out_is_view(const char *path)
{
	static const char end[] = ".view.fxt";
	size_t len, n = sizeof(end) - 1;
	const char *suffix = out_suffix(path, &len);
	size_t upto = (size_t)(suffix + len - path);

	return upto > n && !memcmp(path + upto - n, end, n) && path[upto - n - 1] != '/';
}
