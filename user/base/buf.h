/* SPDX-License-Identifier: LGPL-2.1 */
/* A growing piece of memory to put text together in. */
#ifndef ETRACE_BUF_H
#define ETRACE_BUF_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"

/* Starts as all zeros; buf_free() ends it.  Not terminated by NUL. */
struct buf {
	char *s;
	size_t len, cap;
};

/* Room for @n more bytes; the caller adds what it used to len. */
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

/* A number in decimal. */
static inline void buf_addu(struct buf *b, uint64_t v)
{
	b->len += decimal(buf_room(b, DECIMAL_ROOM), v);
}

static inline void buf_free(struct buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

#endif
