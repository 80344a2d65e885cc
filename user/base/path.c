// SPDX-License-Identifier: LGPL-2.1
/* Paths as text.  See path.h. */
#include "base/path.h"
#include "base/bytes.h"

#include <string.h>

const char *const path_temporary[] = { "/tmp", "/var/tmp", "/dev/shm", NULL };

/* Files that an administrator put there count as installed, too. */
const char *const path_installed[] = {
	"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix/store",
	"/gnu/store", NULL
};

size_t path_in(const char *path, size_t len, const char *const *dirs)
{
	for (; *dirs; dirs++) {
		const char *dir = *dirs;
		size_t n = 0;

		/* a loop is faster than memcmp() here: most paths differ in their second byte */
		while (n < len && dir[n] && path[n] == dir[n])
			n++;
		if (!dir[n] && (n == len || path[n] == '/'))
			return n;
	}
	return 0;
}

/* Whether a slash in 16 bytes is followed by a slash or a dot; reads 17 bytes. */
static bool unclean_16(const char *s)
{
	bytes_16 behind = bytes_load_16(s + 1);

	return bytes_any((bytes_load_16(s) == '/') & ((behind == '/') | (behind == '.')));
}

bool path_is_clean(const char *path, size_t len)
{
	if (len < 2 || path[0] != '/' || path[len - 1] == '/')
		return false;
	if (len < 17) {
		for (size_t i = 0; i + 1 < len; i++)
			if (path[i] == '/' && (path[i + 1] == '/' || path[i + 1] == '.'))
				return false;
		return true;
	}
	for (size_t i = 0; i + 17 < len; i += 16)
		if (unclean_16(path + i))
			return false;
	/* check the last 17 bytes, some of them for the second time */
	return !unclean_16(path + len - 17);
}

void path_clean(struct buf *path)
{
	const char *end = path->s + path->len, *from = path->s;
	char *to = path->s;

	if (path_is_clean(path->s, path->len))
		return;
	while (from < end) {
		const char *slash = memchr(from, '/', (size_t)(end - from));
		size_t len = (size_t)((slash ? slash : end) - from);

		if (len == 2 && from[0] == '.' && from[1] == '.') {
			while (to > path->s && *--to != '/')
				;
		} else if (len && !(len == 1 && *from == '.')) {
			/* @to never passes @from: a slash stood before each name */
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
