/* SPDX-License-Identifier: LGPL-2.1 */
/* Works on paths as text, without looking at the file system. */
#ifndef ETRACE_PATH_H
#define ETRACE_PATH_H

#include "base/buf.h"

/** path_base - the last component of a path: everything after the last slash */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** path_base_of - the last component of a path of @len bytes; sets @len to its length */
static inline const char *path_base_of(const char *path, size_t *len)
{
	const char *slash = memrchr(path, '/', *len);

	if (!slash)
		return path;
	*len -= (size_t)(slash + 1 - path);
	return slash + 1;
}

/**
 * path_within - whether a clean path is a directory, or is below it
 * @dir: its @n bytes, which do not end in '/'
 */
static inline bool path_within(const char *path, size_t len, const char *dir, size_t n)
{
	return len >= n && (len == n || path[n] == '/') && !memcmp(path, dir, n);
}

/* Directories for temporary files, and of installed packages; NULL ends both lists. */
extern const char *const path_temporary[], *const path_installed[];

/** path_in - length of the first directory of a list that path_within() is true for; 0 if none */
size_t path_in(const char *path, size_t len, const char *const *dirs);

/** path_is_clean - whether path_clean() would not change a path; false if unsure */
bool path_is_clean(const char *path, size_t len);

/**
 * path_clean - remove ".", ".." and double slashes from an absolute path, in place
 *
 * ".." removes the name before it, as if that name were not a symbolic link.
 */
void path_clean(struct buf *path);

#endif
