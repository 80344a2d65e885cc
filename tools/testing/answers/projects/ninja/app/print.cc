// SPDX-License-Identifier: GPL-2.0
#include <cstdio>
#include "config.h"

void print(const char *name, long v)
{
#ifdef LOUD
	std::printf("sample %s: ", SAMPLE_VERSION);
#endif
	std::printf("%s %ld\n", name, v);
}
