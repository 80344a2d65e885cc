// SPDX-License-Identifier: GPL-2.0
/* Messages of etrace and its subcommands.  See etrace.h. */
#include "cli/etrace.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
	va_list ap;

	fputs(PROG ": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
