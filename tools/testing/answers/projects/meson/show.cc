/* SPDX-License-Identifier: GPL-2.0 */
#include <cstdio>
#include "words.h"

void show(const char *word)
{
	std::printf("%s %c\n", word, tail(word));
}
