/* SPDX-License-Identifier: LGPL-2.1 */
/* Names of errors, as errno(3) has them. */
#ifndef ETRACE_ERRNAME_H
#define ETRACE_ERRNAME_H

#include <stddef.h>

/** error_name - "ENOENT"; NULL where a number has no name
 * @error: positive errno
 */
const char *error_name(int error);

/** error_number - the errno of a name of @len bytes, 0 if there is no such error */
int error_number(const char *name, size_t len);

#endif
