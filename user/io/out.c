// SPDX-License-Identifier: LGPL-2.1
/* Output streams: a buffer over a backend.  See out.h. */
#include "io/out.h"
#include "io/out_file.h"
#include "io/out_place.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_SIZE (4 * OUT_RESERVE_MAX)

struct out {
	struct out_head h;	/* must be first: the functions of out.h expect it there */
	const struct out_backend *be;
	void *ctx;
	uint64_t flushed;	/* bytes written to the backend */
	/* aligned for callers that write whole words: see out_reserve() */
	_Alignas(8) char buf[BUF_SIZE];
};

struct out *out_new(const struct out_backend *be, void *ctx)
{
	struct out *o = xmalloc(sizeof(*o));

	o->h = (struct out_head){ o->buf, 0, BUF_SIZE, 0 };
	o->be = be;
	o->ctx = ctx;
	o->flushed = 0;
	return o;
}

static void pass_data(struct out *o, const void *data, size_t n)
{
	if (!o->h.err && n)
		o->h.err = o->be->write(o->ctx, data, n);
	o->flushed += n;
}

int out_flush(struct out *o)
{
	pass_data(o, o->buf, o->h.used);
	o->h.used = 0;
	return o->h.err;
}

int out_write_slow(struct out *o, const void *data, size_t n)
{
	if (n > BUF_SIZE - o->h.used) {
		out_flush(o);
		if (n >= BUF_SIZE) {
			pass_data(o, data, n);
			return o->h.err;
		}
	}
	if (n)
		memcpy(o->buf + o->h.used, data, n);
	o->h.used += n;
	return o->h.err;
}

int out_printf(struct out *o, const char *fmt, ...)
{
	char small[512], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return o->h.err ? o->h.err : (o->h.err = -EINVAL);
	if ((size_t)n < sizeof(small))
		return out_write(o, small, (size_t)n);
	big = xmalloc((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(big, (size_t)n + 1, fmt, ap);
	va_end(ap);
	out_write(o, big, (size_t)n);
	free(big);
	return o->h.err;
}

/*
 * Whether integers give the same result as doubles.  They may not if the quotient is near
 * the midpoint between two results, where the rounding error of doubles matters, or if
 * the numbers are too large.
 */
static bool is_clear(int64_t n, int64_t of, int64_t ten)
{
	int64_t far;

	if (n < 0 || n > INT64_MAX / ten || of <= 0 || of > INT64_MAX / 2 || n * ten / of > INT32_MAX)
		return false;
	far = 2 * (n * ten % of) - of;
	return (far < 0 ? -far : far) > (of >> 18) + 1;
}

int out_ratio(struct out *o, int64_t n, int64_t of, unsigned int digits, unsigned int width)
{
	static const int64_t tens[] = { 1, 10, 100, 1000 };
	int64_t ten = tens[digits], q;
	char text[2 * DECIMAL_ROOM];
	size_t len;

	if (!is_clear(n, of, ten))
		return out_printf(o, "%*.*f", (int)width, (int)digits, (double)n / (double)of);
	q = n * ten / of + (n * ten % of > of / 2);
	len = decimal(text, (uint64_t)(q / ten));
	text[len++] = '.';
	for (q %= ten; ten > 1; q %= ten) {
		ten /= 10;
		text[len++] = (char)('0' + q / ten);
	}
	for (size_t i = len; i < width; i++)
		out_write(o, " ", 1);
	return out_write(o, text, len);
}

int out_sync(struct out *o)
{
	out_flush(o);
	if (!o->h.err && o->be->sync)
		o->h.err = o->be->sync(o->ctx);
	return o->h.err;
}

uint64_t out_bytes(const struct out *o)
{
	return o->flushed + o->h.used;
}

void out_discard(struct out *o)
{
	if (o->be->discard)
		o->be->discard(o->ctx);
}

int out_close(struct out *o)
{
	int err, end;

	out_flush(o);
	if (o->h.err)
		out_discard(o);
	end = o->be->close(o->ctx);
	err = o->h.err ? o->h.err : end;
	free(o);
	return err;
}

/* ---- file descriptors ---- */

static struct out *to_file(int fd, bool owned, const char *path)
{
	struct out_file *f = xcalloc(1, sizeof(*f));
	const struct out_backend *be;
	void *ctx;

	f->fd = fd;
	f->owned = owned;
	f->cancel = -1;
	be = out_backend_of(f, path, &ctx);
	return out_new(be, ctx);
}

struct out *out_fd(int fd, int owned)
{
	return to_file(fd, owned, "");
}

struct out *out_named(int fd, const char *path)
{
	return to_file(fd, true, path);
}

/* ---- by name ---- */

/* The backend of out_create(): writes to @be, and moves the file into place at the end. */
struct created {
	struct out_place place;
	const struct out_backend *be;
	void *ctx;
	bool bad;
};

static int created_write(void *ctx, const void *data, size_t n)
{
	struct created *c = ctx;

	return c->be->write(c->ctx, data, n);
}

static int created_sync(void *ctx)
{
	struct created *c = ctx;

	return c->be->sync ? c->be->sync(c->ctx) : 0;
}

static void created_discard(void *ctx)
{
	((struct created *)ctx)->bad = true;
}

static int created_close(void *ctx)
{
	struct created *c = ctx;
	int err = c->be->close(c->ctx);

	if (!err && !c->bad)
		err = out_place_commit(&c->place, false);
	out_place_free(&c->place);
	free(c);
	return err;
}

struct out *out_create(const char *path, int *err)
{
	static const struct out_backend be = {
		created_write, created_close, created_sync, created_discard,
	};
	struct created *c = xcalloc(1, sizeof(*c));
	struct out_file *f;

	*err = out_place_open(&c->place, path, 0);
	if (!*err)
		*err = out_place_begin(&c->place);
	if (*err) {
		free(c);
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->fd = c->place.fd;
	f->owned = true;
	f->cancel = -1;
	c->be = out_backend_of(f, path, &c->ctx);
	return out_new(&be, c);
}

/* ---- memory ---- */

struct mem_ctx {
	char *data;
	size_t len, cap;
};

static int mem_write(void *p, const void *data, size_t n)
{
	struct mem_ctx *ctx = p;

	ctx->data = xgrow(ctx->data, &ctx->cap, ctx->len + n, 1);
	memcpy(ctx->data + ctx->len, data, n);
	ctx->len += n;
	return 0;
}

static int mem_close(void *p)
{
	struct mem_ctx *ctx = p;

	free(ctx->data);
	free(ctx);
	return 0;
}

struct out *out_mem(void)
{
	static const struct out_backend be = { .write = mem_write, .close = mem_close };

	return out_new(&be, xcalloc(1, sizeof(struct mem_ctx)));
}

const void *out_mem_data(struct out *o, size_t *len)
{
	struct mem_ctx *ctx = o->ctx;

	out_flush(o);
	*len = ctx->len;
	return ctx->data ? ctx->data : "";
}
