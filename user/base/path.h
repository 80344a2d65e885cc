/* SPDX-License-Identifier: LGPL-2.1 */
/* Paths as text: no file system is asked. */
#ifndef ETRACE_PATH_H
#define ETRACE_PATH_H

#include "base/buf.h"

/** path_is_clean - whether path_clean() changes nothing; false also for some it leaves */
bool path_is_clean(const char *path, size_t len);

/**
 * path_clean - an absolute path without ".", ".." and double slashes, in place
 *
 * ".." takes the name before it away, as if that were no symbolic link.
 */
void path_clean(struct buf *path);

#endif
