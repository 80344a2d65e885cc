/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroups whose processes are recorded (--cgroup). */
#ifndef ETRACE_CLI_CGROUPS_H
#define ETRACE_CLI_CGROUPS_H

#include "record/session.h"

struct cgroups;

/**
 * cgroups_add - trace the processes in these cgroups
 * @paths: @n of them: each a directory of a cgroup2 file system, or a cgroup's path
 *	from the top of that file system, as in /proc/PID/cgroup
 *
 * Return: NULL on failure; @why is a message for the user.
 */
struct cgroups *cgroups_add(struct session *s, const char *const *paths, size_t n, char *why,
			    size_t size);
void cgroups_free(struct cgroups *c);

/** cgroups_there - whether at least one of them still exists */
bool cgroups_there(const struct cgroups *c);

#endif
