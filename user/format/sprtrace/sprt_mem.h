/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Memory helpers of the sp-rtrace files: interned byte strings, and text of logs made
 * printable.  Like those of xalloc.h, these functions never fail.
 */
#ifndef SPRT_MEM_H
#define SPRT_MEM_H

#include "base/map64.h"
#include "base/pool.h"
#include "format/sprtrace/sprt_model.h"

/* Buffers for what the pointers of an item point to.  Initialize with zeros. */
struct sprt_room {
	struct pool strings;
	struct sprt_arg *arg;
	size_t arg_cap;
	uint64_t *frame;
	size_t frame_cap;
};

void sprt_room_free(struct sprt_room *room);

/* Set of byte strings, each stored once with a NUL after it.  Initialize with zeros. */
struct sprt_intern {
	struct pool pool;
	struct map64 copies;	/* hash to copy: const void * */
};

/**
 * sprt_intern - get the only copy of a byte string
 * @data: @len bytes of any value
 *
 * Return: the copy, aligned as by malloc() and followed by a NUL, which @in owns.  Equal
 * strings have the same copy.
 */
const void *sprt_intern(struct sprt_intern *in, const void *data, size_t len);
const char *sprt_intern_str(struct sprt_intern *in, const char *s);
void sprt_intern_free(struct sprt_intern *in);

/**
 * sprt_shown - make text of a log printable: cut it to fit, replace control characters by '?'
 * @buf: @size bytes for the result
 *
 * Return: @buf.
 */
const char *sprt_shown(char *buf, size_t size, const char *text);

#endif
