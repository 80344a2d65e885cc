// SPDX-License-Identifier: LGPL-2.1
/* Copies of more than 32 bytes.  See bytes.h. */
#include "base/bytes.h"

void bytes_copy_many(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}
