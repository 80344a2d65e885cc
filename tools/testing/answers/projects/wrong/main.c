/* SPDX-License-Identifier: GPL-2.0 */
#include "shared.h"
int other(void);

int main(void)
{
	return other() != SHARED;
}
