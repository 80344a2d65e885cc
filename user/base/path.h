/* SPDX-License-Identifier: LGPL-2.1 */
/* Paths as text: no file system is asked. */
#ifndef ETRACE_PATH_H
#define ETRACE_PATH_H

#include "base/buf.h"

/** path_base - its last component: what stands behind the last slash */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** path_is_clean - whether path_clean() changes nothing; false also for some it leaves */
bool path_is_clean(const char *path, size_t len);

/**
 * path_clean - an absolute path without ".", ".." and double slashes, in place
 *
 * ".." takes the name before it away, as if that were no symbolic link.
 */
void path_clean(struct buf *path);

#endif
