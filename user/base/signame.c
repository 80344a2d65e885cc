// SPDX-License-Identifier: GPL-2.0
/* Names of signals.  See signame.h. */
#include "base/signame.h"

#include <stdio.h>
#include <string.h>

void signal_name(int signal, char *buf, size_t size)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		snprintf(buf, size, "SIG%s", name);
	else
		snprintf(buf, size, "signal %d", signal);
}
