// SPDX-License-Identifier: GPL-2.0
#include <areas.h>
#include "show.h"

int main(void)
{
	show(box(2));
	return 0;
}
