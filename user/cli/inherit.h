/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process inherits and the recorder wants otherwise for itself: what
 * becomes of some signals, limits, niceness.  The command gets what the recorder got.
 */
#ifndef ETRACE_INHERIT_H
#define ETRACE_INHERIT_H

#include <signal.h>
#include <sys/resource.h>

#define INHERIT_SIGNALS	4
#define INHERIT_LIMITS	6

struct inherited {
	struct sigaction actions[INHERIT_SIGNALS];
	struct rlimit limits[INHERIT_LIMITS];
	int nice;		/* the recorder's own changes when it reads */
};

/** inherit_own - change them for the recorder; before anything else is done */
void inherit_own(struct inherited *before);

/** inherit_restore - in the process of a program that is not the recorder's, before its execve */
void inherit_restore(const struct inherited *before);

#endif
