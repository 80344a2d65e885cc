// SPDX-License-Identifier: LGPL-2.1
/* libetrace: its version. */
#include "include/etrace.h"

const char *etrace_version(void)
{
	return ETRACE_VERSION;
}
