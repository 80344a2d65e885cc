// SPDX-License-Identifier: LGPL-2.1
/* A growing buffer for text.  See buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_printf(struct buf *b, const char *fmt, ...)
{
	size_t room = 64;
	va_list ap;
	int n;

	for (;;) {
		va_start(ap, fmt);
		n = vsnprintf(buf_room(b, room), room, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n < room)
			break;
		room = (size_t)n + 1;
	}
	b->len += (size_t)n;
}
