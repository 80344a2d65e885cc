// SPDX-License-Identifier: LGPL-2.1
/* Of what version the library is. */
#include "include/etrace.h"

const char *etrace_version(void)
{
	return ETRACE_VERSION;
}
