/* SPDX-License-Identifier: GPL-2.0 */
#include "config.h"
#ifdef HAVE_STDINT
#include <stdint.h>
#endif

int main(void)
{
	return 0;
}
