// SPDX-License-Identifier: LGPL-2.1
/* Paths as text.  See path.h. */
#include "base/path.h"

#include <string.h>

void path_clean(struct buf *path)
{
	const char *end = path->s + path->len, *from = path->s;
	char *to = path->s;

	while (from < end) {
		const char *slash = memchr(from, '/', (size_t)(end - from));
		size_t len = (size_t)((slash ? slash : end) - from);

		if (len == 2 && from[0] == '.' && from[1] == '.') {
			while (to > path->s && *--to != '/')
				;
		} else if (len && !(len == 1 && *from == '.')) {
			/* never behind what is read: a slash stood before each name */
			*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len + 1;
	}
	if (to == path->s && path->len)
		*to++ = '/';
	path->len = (size_t)(to - path->s);
}
