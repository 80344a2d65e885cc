/* SPDX-License-Identifier: GPL-2.0 */
#include "shapes.h"
#include "table.h"

const char *name_of(unsigned int n)
{
	return n < WORDS ? words[n] : "nothing";
}
