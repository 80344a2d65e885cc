// SPDX-License-Identifier: GPL-2.0
#include "sum.h"

int main(void)
{
	return !(tested(1, 2) == 3 && weakly_tested(5) && !weakly_tested(15) &&
		 no_difference(7) == 7 && known_to_be_none(-3) == 3 &&
		 known_to_be_none(3) == 3 && only_sanitizers_see() == 0 && endless(true) == 7);
}
