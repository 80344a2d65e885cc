/* SPDX-License-Identifier: GPL-2.0 */
#include "math.h"
#include "hidden.h"

int flags(void)
{
	return FLAG + HIDDEN;
}
