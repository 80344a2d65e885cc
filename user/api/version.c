// SPDX-License-Identifier: GPL-2.0
/* Of what version the library is. */
#include "include/etrace.h"

const char *etrace_version(void)
{
	return ETRACE_VERSION;
}
