// SPDX-License-Identifier: GPL-2.0
/* Ends the program when memory runs out.  See oom.h. */
#include "cli/oom.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *doing;

void oom_doing(const char *what)
{
	doing = what;
}

static void report_and_exit(void *arg, size_t wanted)
{
	(void)arg;
	fprintf(stderr, "%s: %s%sout of memory: cannot allocate %zu more bytes\n",
		program_invocation_short_name, doing ? doing : "", doing ? ": " : "", wanted);
	exit(2);
}

void oom_exits(void)
{
	xalloc_set_hook((struct xalloc_hook){ report_and_exit, NULL });
}
