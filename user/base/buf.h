/* SPDX-License-Identifier: LGPL-2.1 */
/* A growing buffer for building text. */
#ifndef ETRACE_BUF_H
#define ETRACE_BUF_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"

/* Initialize with zeros; buf_free() frees its memory.  Not terminated by NUL. */
struct buf {
	char *s;
	size_t len, cap;
};

/* Make room for @n more bytes.  The caller adds the bytes that it wrote to @b->len. */
static inline char *buf_room(struct buf *b, size_t n)
{
	if (b->len + n > b->cap)
		b->s = xgrow(b->s, &b->cap, b->len + n, 1);
	return b->s + b->len;
}

static inline void buf_add(struct buf *b, const char *s, size_t n)
{
	if (!n)
		return;
	bytes_copy(buf_room(b, n), s, n);
	b->len += n;
}

static inline void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void buf_addc(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->len++;
}

/* Append a number in decimal. */
static inline void buf_addu(struct buf *b, uint64_t v)
{
	b->len += decimal(buf_room(b, DECIMAL_ROOM), v);
}

/* Append text as printf() would print it. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void buf_free(struct buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

#endif
