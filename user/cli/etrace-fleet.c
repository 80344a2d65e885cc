// SPDX-License-Identifier: GPL-2.0
/*
 * etrace-fleet: the commands push and fleet of etrace, which runs this program for them
 * (external.h).
 */
#include "cli/etrace.h"
#include "cli/fleet.h"
#include "cli/oom.h"
#include "io/diag.h"

#include <string.h>

static const struct command commands[] = {
	{ "push", NULL, fleet_push },
	{ "fleet", NULL, fleet_query },
	{ 0 }
};

int main(int argc, char **argv)
{
	oom_exits();
	for (const struct command *c = commands; c->name && argc > 1; c++)
		if (!strcmp(c->name, argv[1]))
			return diag_stdout(PROG, c->main(argc - 1, argv + 1));
	fputs("etrace-fleet: run by " PROG " push and " PROG " fleet: call these\n", stderr);
	return 2;
}
