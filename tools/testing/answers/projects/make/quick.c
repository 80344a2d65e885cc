/* SPDX-License-Identifier: GPL-2.0 */
#include <stddef.h>
#include "math.h"

number quick(number a)
{
	return a << sizeof(size_t);
}
