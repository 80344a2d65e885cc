/* SPDX-License-Identifier: GPL-2.0 */
#include "made.h"

int other(void);

int other(void)
{
	return MADE;
}
