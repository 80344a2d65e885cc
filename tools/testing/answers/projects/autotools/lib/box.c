// SPDX-License-Identifier: GPL-2.0
#include <config.h>
#include "areas.h"

int box(int side)
{
	return 6 * square(side);
}
