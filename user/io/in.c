// SPDX-License-Identifier: GPL-2.0
/* Input streams: a window over a file, a pipe or memory.  See in.h. */
#include "io/in.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define WINDOW		(64u << 10)
#define RAW_SIZE	(128u << 10)

struct in {
	struct in_head h;	/* first: in.h looks for it there */
	char *name;
	int fd;			/* -1: memory */
	bool owned;		/* close fd */
	int err;
	const char *why;	/* what is wrong with compressed data */
	bool end;		/* nothing more comes into the window */
	size_t cap;		/* of the window's memory */
	/* compressed input */
	enum { UNDECIDED, PLAIN, GZIP, ZSTD } packing;
	uint8_t *raw;
	size_t raw_start, raw_fill;
	bool raw_end;
	bool frame_open;	/* inside a gzip member or zstd frame */
	z_stream gz;
	ZSTD_DStream *zst;
};

static struct in *new_in(const char *name, int fd, bool owned)
{
	struct in *in = xcalloc(1, sizeof(*in));

	in->name = xstrdup(name);
	in->fd = fd;
	in->owned = owned;
	return in;
}

struct in *in_open(const char *path, int *err)
{
	int fd;

	if (!strcmp(path, "-"))
		return new_in("standard input", STDIN_FILENO, false);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	return new_in(path, fd, true);
}

struct in *in_mem(const void *data, size_t n, const char *name)
{
	struct in *in = new_in(name, -1, false);

	in->h.data = (uint8_t *)(uintptr_t)data;
	in->h.fill = n;
	in->packing = PLAIN;
	in->end = true;
	return in;
}

void in_close(struct in *in)
{
	if (!in)
		return;
	if (in->fd >= 0) {
		if (in->owned)
			close(in->fd);
		free(in->h.data);
	}
	if (in->packing == GZIP)
		inflateEnd(&in->gz);
	ZSTD_freeDStream(in->zst);
	free(in->raw);
	free(in->name);
	free(in);
}

const char *in_name(const struct in *in)
{
	return in->name;
}

static size_t read_fd(struct in *in, uint8_t *to, size_t n)
{
	ssize_t got;

	do {
		got = read(in->fd, to, n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		in->err = -errno;
	return got > 0 ? (size_t)got : 0;
}

/* More compressed bytes behind those that are there. */
static void fill_raw(struct in *in)
{
	size_t got;

	if (in->raw_start) {
		memmove(in->raw, in->raw + in->raw_start, in->raw_fill - in->raw_start);
		in->raw_fill -= in->raw_start;
		in->raw_start = 0;
	}
	if (in->raw_end || in->raw_fill == RAW_SIZE)
		return;
	got = read_fd(in, in->raw + in->raw_fill, RAW_SIZE - in->raw_fill);
	in->raw_fill += got;
	if (!got)
		in->raw_end = true;
}

/* Look at the first bytes: is the input compressed? */
static void decide(struct in *in)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	in->raw = xmalloc(RAW_SIZE);
	while (in->raw_fill < sizeof(zstd) && !in->raw_end)
		fill_raw(in);
	in->packing = PLAIN;
	if (in->raw_fill >= sizeof(gzip) && !memcmp(in->raw, gzip, sizeof(gzip))) {
		/* 16: expect a gzip header */
		if (inflateInit2(&in->gz, 16 + MAX_WBITS) == Z_OK)
			in->packing = GZIP;
	} else if (in->raw_fill >= sizeof(zstd) && !memcmp(in->raw, zstd, sizeof(zstd))) {
		in->zst = ZSTD_createDStream();
		if (in->zst)
			in->packing = ZSTD;
	}
}

static size_t expand_gzip(struct in *in, uint8_t *to, size_t n)
{
	int ret;

	in->gz.next_in = in->raw + in->raw_start;
	in->gz.avail_in = (unsigned int)(in->raw_fill - in->raw_start);
	in->gz.next_out = to;
	in->gz.avail_out = (unsigned int)n;
	ret = inflate(&in->gz, Z_NO_FLUSH);
	in->raw_start = in->raw_fill - in->gz.avail_in;
	in->frame_open = true;
	if (ret == Z_STREAM_END) {
		/* another member may follow */
		in->frame_open = false;
		inflateReset(&in->gz);
	} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
		in->err = -EBADMSG;
		in->why = "its gzip data are damaged";
	}
	return n - in->gz.avail_out;
}

static size_t expand_zstd(struct in *in, uint8_t *to, size_t n)
{
	ZSTD_inBuffer src = { in->raw, in->raw_fill, in->raw_start };
	ZSTD_outBuffer dst = { to, n, 0 };
	size_t ret = ZSTD_decompressStream(in->zst, &dst, &src);

	in->raw_start = src.pos;
	if (ZSTD_isError(ret)) {
		in->err = -EBADMSG;
		in->why = ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge ?
			  "its zstd data want too much memory" : "its zstd data are damaged";
	}
	in->frame_open = ret != 0;
	return dst.pos;
}

/* Put more bytes into the window; 0: none came this time. */
static size_t more(struct in *in, uint8_t *to, size_t n)
{
	size_t got;

	if (in->packing == UNDECIDED)
		decide(in);
	if (in->packing == PLAIN) {
		got = in->raw_fill - in->raw_start;
		if (got) {
			/* what decide() read */
			if (got > n)
				got = n;
			memcpy(to, in->raw + in->raw_start, got);
			in->raw_start += got;
			return got;
		}
		got = in->raw_end ? 0 : read_fd(in, to, n);
		if (!got)
			in->end = true;
		return got;
	}
	if (in->raw_start == in->raw_fill) {
		fill_raw(in);
		if (in->raw_start == in->raw_fill) {
			if (in->frame_open && !in->err) {
				in->err = -ENODATA;
				in->why = in->packing == GZIP ?
					  "its gzip data end too early: it was cut off" :
					  "its zstd data end too early: it was cut off";
			}
			in->end = true;
			return 0;
		}
	}
	if (n > 1u << 30)
		n = 1u << 30;
	got = in->packing == GZIP ? expand_gzip(in, to, n) : expand_zstd(in, to, n);
	if (in->err)
		in->end = true;
	return got;
}

const uint8_t *in_peek_slow(struct in *in, size_t want, size_t *have)
{
	if (want > IN_MAX_PEEK)
		want = IN_MAX_PEEK;
	while (in->h.fill - in->h.start < want && !in->end) {
		if (in->h.start && in->cap - in->h.start < (want > WINDOW ? want : WINDOW)) {
			memmove(in->h.data, in->h.data + in->h.start, in->h.fill - in->h.start);
			in->h.fill -= in->h.start;
			in->h.start = 0;
		}
		if (in->h.fill == in->cap || in->cap < want) {
			size_t cap = in->cap ? in->cap : WINDOW;

			while (cap < want || cap <= in->h.fill)
				cap *= 2;
			in->h.data = xrealloc(in->h.data, cap);
			in->cap = cap;
		}
		in->h.fill += more(in, in->h.data + in->h.fill, in->cap - in->h.fill);
	}
	*have = in->h.fill - in->h.start;
	return *have ? in->h.data + in->h.start : (const uint8_t *)"";
}

int in_error(const struct in *in)
{
	return in->err;
}

const char *in_why(const struct in *in)
{
	return in->why ? in->why : strerror(-in->err);
}

int in_is_tty(const struct in *in)
{
	return in->fd >= 0 && isatty(in->fd);
}
