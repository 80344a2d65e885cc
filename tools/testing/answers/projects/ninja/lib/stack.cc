// SPDX-License-Identifier: GPL-2.0
#include "stack.h"

void stack::push(long v)
{
	if (n < 16)
		values[n++] = v;
}

long stack::pop()
{
	return n ? values[--n] : 0;
}
