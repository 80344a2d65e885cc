/* SPDX-License-Identifier: GPL-2.0 */
#include "shared.h"

int other(void);

int other(void)
{
	return SHARED;
}
