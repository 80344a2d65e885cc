/* SPDX-License-Identifier: GPL-2.0 */
#include <stdio.h>
#include "math.h"

int main(void)
{
	printf("%ld %d\n", add(mul(2, 3), quick(start)), flags());
	return 0;
}
