// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "square.h"

static const char *const words[] = {
#include "table.h"
};

int main(void)
{
	printf("%s %d\n", words[0], square(2));
	return 0;
}
