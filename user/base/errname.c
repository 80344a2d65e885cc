// SPDX-License-Identifier: LGPL-2.1
/* Converts between errno values and names.  See errname.h. */
#include "base/errname.h"

#include <string.h>

#define LAST_ERROR 4095		/* the kernel's MAX_ERRNO */

const char *error_name(int error)
{
	return error > 0 ? strerrorname_np(error) : NULL;
}

int error_number(const char *name, size_t len)
{
	for (int i = 1; i <= LAST_ERROR; i++) {
		const char *other = strerrorname_np(i);

		if (other && strlen(other) == len && !memcmp(other, name, len))
			return i;
	}
	return 0;
}
