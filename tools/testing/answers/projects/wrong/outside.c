/* SPDX-License-Identifier: GPL-2.0 */
#include "/root/outside.h"

int other(void);

int other(void)
{
	return OUTSIDE;
}
