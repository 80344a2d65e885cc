/* SPDX-License-Identifier: GPL-2.0 */
#include "words.h"
#include "table.h"

unsigned int count(void)
{
	return sizeof(words) / sizeof(*words);
}
