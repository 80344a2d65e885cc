// SPDX-License-Identifier: GPL-2.0
/* What is done to many bytes.  See bytes.h. */
#include "base/bytes.h"

void bytes_copy_many(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}
