// SPDX-License-Identifier: GPL-2.0
module;
#include "side.h"
export module shapes:square;

export int square(SIDE side)
{
	return side * side;
}
