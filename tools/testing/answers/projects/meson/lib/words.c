/* SPDX-License-Identifier: GPL-2.0 */
#include "words.h"
#include "table.h"

const char *word(unsigned int n)
{
	return n < count() ? words[n] : "";
}
