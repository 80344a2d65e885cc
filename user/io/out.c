// SPDX-License-Identifier: LGPL-2.1
/* Output streams: a buffer over a backend.  See out.h. */
#include "io/out.h"
#include "io/out_file.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_SIZE (4 * OUT_RESERVE_MAX)

struct out {
	struct out_head h;	/* first: out.h looks for it there */
	const struct out_backend *be;
	void *ctx;
	uint64_t flushed;	/* bytes handed to the backend */
	/* aligned for writers of whole words: see out_reserve() */
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

static void pass(struct out *o, const void *data, size_t n)
{
	if (!o->h.err && n)
		o->h.err = o->be->write(o->ctx, data, n);
	o->flushed += n;
}

int out_flush(struct out *o)
{
	pass(o, o->buf, o->h.used);
	o->h.used = 0;
	return o->h.err;
}

int out_write_slow(struct out *o, const void *data, size_t n)
{
	if (n > BUF_SIZE - o->h.used) {
		out_flush(o);
		if (n >= BUF_SIZE) {
			pass(o, data, n);
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

int out_close(struct out *o)
{
	int err, end;

	out_flush(o);
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

struct out *out_create(const char *path, mode_t mode, int *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	return out_named(fd, path);
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
	static const struct out_backend be = { mem_write, mem_close, NULL };

	return out_new(&be, xcalloc(1, sizeof(struct mem_ctx)));
}

const void *out_mem_data(struct out *o, size_t *len)
{
	struct mem_ctx *ctx = o->ctx;

	out_flush(o);
	*len = ctx->len;
	return ctx->data ? ctx->data : "";
}
