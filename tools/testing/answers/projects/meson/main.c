/* SPDX-License-Identifier: GPL-2.0 */
#include <string.h>
#include "config.h"
#include "words.h"

int main(void)
{
	for (unsigned int i = 0; i < count(); i++)
		show(word(i));
	return tail(SAMPLE_VERSION) != strlen("12") + '0';
}
