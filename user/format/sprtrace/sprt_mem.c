// SPDX-License-Identifier: LGPL-2.1
/* Interned strings, and text made printable.  See sprt_mem.h. */
#include "format/sprtrace/sprt_mem.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void sprt_room_free(struct sprt_room *room)
{
	pool_free(&room->strings);
	free(room->arg);
	free(room->frame);
}

const void *sprt_intern(struct sprt_intern *in, const void *data, size_t len)
{
	uint64_t *at = map64_at(&in->copies, hash_bytes(data, len));

	if (!*at)
		*at = (uintptr_t)pool_keep(&in->pool, xstrndup(data, len));
	return (const void *)(uintptr_t)*at;
}

const char *sprt_intern_str(struct sprt_intern *in, const char *s)
{
	return sprt_intern(in, s, strlen(s));
}

void sprt_intern_free(struct sprt_intern *in)
{
	pool_free(&in->pool);
	map64_clear(&in->copies);
}

const char *sprt_shown(char *buf, size_t size, const char *text)
{
	size_t n;

	for (n = 0; n < size - 1 && text[n]; n++)
		buf[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
	buf[n] = '\0';
	return buf;
}
