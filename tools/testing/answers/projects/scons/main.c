// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <areas.h>
#include "words.h"

int main(void)
{
	printf("%s %d\n", FIRST, box(2));
	return 0;
}
