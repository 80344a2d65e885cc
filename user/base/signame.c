// SPDX-License-Identifier: LGPL-2.1
/* Converts between signal numbers and names.  See signame.h. */
#include "base/signame.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *signal_abbrev(int signal)
{
	return sigabbrev_np(signal);
}

int signal_number(const char *name, size_t len)
{
	if (len <= 3 || memcmp(name, "SIG", 3) != 0)
		return 0;
	for (int i = 1; i < NSIG; i++) {
		const char *other = sigabbrev_np(i);

		if (other && strlen(other) == len - 3 && !memcmp(other, name + 3, len - 3))
			return i;
	}
	return 0;
}

void signal_name(int signal, char *buf, size_t size)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		snprintf(buf, size, "SIG%s", name);
	else
		snprintf(buf, size, "signal %d", signal);
}
