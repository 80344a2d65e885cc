/* SPDX-License-Identifier: LGPL-2.1 */
/* Converts between errno values and their names ("ENOENT"). */
#ifndef ETRACE_ERRNAME_H
#define ETRACE_ERRNAME_H

#include <stddef.h>

/** error_name - the name of an error: "ENOENT"; NULL if it has none
 * @error: positive errno
 */
const char *error_name(int error);

/** error_number - the errno of a name of @len bytes, 0 if no error has that name */
int error_number(const char *name, size_t len);

#endif
