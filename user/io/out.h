/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Output streams: a buffer in front of a file descriptor or memory, independent of the format of
 * the data (FXT, lines, JSON).
 *
 * Errors are sticky: after the first failed write every further call does
 * nothing and returns the same negative errno, so that a caller may check once
 * at the end.
 */
#ifndef ETRACE_OUT_H
#define ETRACE_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

struct out;

/* First member of struct out, for the inline functions, which run for every few bytes. */
struct out_head {
	char *buf;
	size_t used, size;	/* bytes in the buffer, and its size in bytes */
	int err;
};

static inline struct out_head *out_head(struct out *o)
{
	return (struct out_head *)o;
}


/*
 * What an output stream writes to.
 *
 * write() writes all of the n bytes or returns a negative errno.  close() ends the
 * stream, with trailers if there are any, and frees ctx, also after an error.  sync(),
 * which may be NULL, makes everything written so far readable; the stream stays open.
 */
struct out_backend {
	int (*write)(void *ctx, const void *data, size_t n);
	int (*close)(void *ctx);
	int (*sync)(void *ctx);
	void (*discard)(void *ctx);	/* before close(), if the data is incomplete; or NULL */
};

/**
 * out_new - make an output stream over any backend
 * @be: the backend's functions, which must outlive the stream
 * @ctx: passed to the functions; owned by the stream from now on
 *
 * Return: the stream; never NULL (the program ends when memory runs out).
 */
struct out *out_new(const struct out_backend *be, void *ctx);

/**
 * out_fd - make an output stream to an open file descriptor
 * @fd: the descriptor
 * @owned: whether out_close() closes it too
 */
struct out *out_fd(int fd, int owned);

/**
 * out_create - create an output file (out_place.h), compressed if its suffix says so
 * @path: its name, see out_named()
 * @err: set to 0, or to a negative errno on failure
 *
 * The file appears when out_close() returns 0; until then an old file of that name stays.
 *
 * Return: the stream, or NULL.
 */
struct out *out_create(const char *path, int *err);

/** out_discard - mark the output of out_create() as incomplete: out_close() keeps the old file */
void out_discard(struct out *o);

/**
 * out_named - make an output stream, compressed if the suffix of a name says so
 * @fd: the descriptor; owned by the stream from now on
 * @path: may end in .gz or .zst
 */
struct out *out_named(int fd, const char *path);

/**
 * out_suffix - the part of a name from which the format follows: "json" in "a.json.gz"
 * @len: set to its length in bytes, 0 if none
 *
 * Return: a pointer into @path, without a NUL after @len bytes.
 */
const char *out_suffix(const char *path, size_t *len);

/** out_is_view - whether a name asks for a file to be viewed: "build.view.fxt" */
bool out_is_view(const char *path);

/** out_mem - make an output stream into memory, for tests: see out_mem_data() */
struct out *out_mem(void);

/**
 * out_mem_data - what was written to an out_mem() stream so far
 * @len: set to its length in bytes
 *
 * Return: the bytes, owned by the stream, valid until the next call on it.
 */
const void *out_mem_data(struct out *o, size_t *len);

/* The slow path of out_write(): the buffer is full. */
int out_write_slow(struct out *o, const void *data, size_t n);

/** out_write - append @n bytes. Return: 0 or the sticky negative errno. */
static inline int out_write(struct out *o, const void *data, size_t n)
{
	struct out_head *h = out_head(o);

	if (n > h->size - h->used)
		return out_write_slow(o, data, n);
	if (n)
		bytes_copy(h->buf + h->used, data, n);
	h->used += n;
	return h->err;
}

/** out_puts - append a string without its NUL. */
static inline int out_puts(struct out *o, const char *s)
{
	return out_write(o, s, strlen(s));
}

/** out_printf - append formatted text. */
int out_printf(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** out_flush - write the buffer to the backend.  Return: 0 or the sticky negative errno. */
int out_flush(struct out *o);

/**
 * out_reserve - get room in the buffer to write into directly
 * @n: number of bytes, at most OUT_RESERVE_MAX
 *
 * Return: at least @n writable bytes, valid until the next call on the
 * stream; never NULL, not even after an error.  Call out_commit() with the number
 * of bytes used.  They are aligned to 8 bytes if the size of everything written
 * before was a multiple of 8 bytes.
 */
static inline void *out_reserve(struct out *o, size_t n)
{
	struct out_head *h = out_head(o);

	if (n > h->size - h->used)
		out_flush(o);
	return h->buf + h->used;
}

static inline void out_commit(struct out *o, size_t n)
{
	out_head(o)->used += n;
}

#define OUT_RESERVE_MAX 65536u

/** out_u64 - append an unsigned number in decimal. */
static inline int out_u64(struct out *o, uint64_t v)
{
	char *to = out_reserve(o, DECIMAL_ROOM);

	out_commit(o, decimal(to, v));
	return out_head(o)->err;
}

/** out_i64 - append a signed number in decimal. */
static inline int out_i64(struct out *o, int64_t v)
{
	if (v >= 0)
		return out_u64(o, (uint64_t)v);
	out_write(o, "-", 1);
	return out_u64(o, -(uint64_t)v);
}

/**
 * out_ratio - append @n / @of with @digits digits, 1 to 3, after the decimal point
 * @width: minimum width in bytes, padded with blanks on the left
 *
 * The same text as printf()'s "%*.*f" of the quotient as double, in a tenth of the time.
 */
int out_ratio(struct out *o, int64_t n, int64_t of, unsigned int digits, unsigned int width);

/**
 * out_sync - flush, so that a program that opens the file now can read everything
 *
 * Each call makes a compressed file a little larger.  Return: 0 or the sticky negative
 * errno.
 */
int out_sync(struct out *o);

/** out_bytes - number of bytes appended so far, flushed or not. */
uint64_t out_bytes(const struct out *o);

/** out_error - the sticky error: 0 or a negative errno. */
static inline int out_error(const struct out *o)
{
	return ((const struct out_head *)o)->err;
}

/** out_close - flush, end and free. Return: 0 or the first negative errno. */
int out_close(struct out *o);

#endif
