// SPDX-License-Identifier: GPL-2.0
#include "sum.h"

int tested(int a, int b)
{
	return a + b;
}

int not_tested(int a)
{
	return a > 5;
}

int weakly_tested(int a)
{
	return a < 10;
}

int no_difference(int a)
{
	return a * 1;
}

int known_to_be_none(int a)
{
	return a > 0 ? a : -a;
}

int only_sanitizers_see(void)
{
	static const char text[] = "ab";

	return text[2];
}

int endless(bool more)
{
	while (more)
		more = false;
	return 7;
}
