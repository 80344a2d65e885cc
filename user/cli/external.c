// SPDX-License-Identifier: GPL-2.0
/* Runs commands of etrace that are separate programs.  See external.h. */
#include "cli/external.h"
#include "cli/etrace.h"
#include "base/xalloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLEET "etrace-fleet"

bool external_dir(char *dir, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	if (n <= 0)
		return false;
	dir[n] = 0;
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = 0;
	return true;
}

/* Returns only on failure, with errno. */
static void run_fleet(char **argv)
{
	/* in a build directory, and as installed */
	static const char *const places[] = { FLEET, "../libexec/etrace/" FLEET };
	char dir[PATH_MAX], path[PATH_MAX + 64];

	if (!external_dir(dir, sizeof(dir)))
		return;
	errno = ENOENT;
	for (size_t i = 0; errno == ENOENT && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, places[i]);
		execv(path, argv);
	}
}

int external_fleet(int argc, char **argv)
{
	static char program[] = FLEET;
	char **args = xcalloc((size_t)argc + 2, sizeof(*args));

	args[0] = program;
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	run_fleet(args);
	free(args);
	if (errno == ENOENT)
		say("%s: the program " FLEET " is not installed: install the package " FLEET
		    " (the static etrace has none)", argv[0]);
	else
		say("%s: " FLEET ": %s", argv[0], strerror(errno));
	return 2;
}
