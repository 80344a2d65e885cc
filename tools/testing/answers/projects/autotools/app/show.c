// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "show.h"
#include "unit.h"

void show(int area)
{
	printf("%d %s\n", area, UNIT);
}
