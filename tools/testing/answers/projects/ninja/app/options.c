/* SPDX-License-Identifier: GPL-2.0 */
#include <stdlib.h>
#include "options.h"

long option_of(int argc, char **argv)
{
	return argc > 1 ? atol(argv[1]) : 3;
}
