/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Process attributes that the recorder changes for itself: actions of some signals,
 * limits, niceness. The command gets the values that the recorder inherited.
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
	int nice;		/* the recorder changes its niceness when it begins to read */
};

/**
 * inherit_own - save the attributes and change them for the recorder; call it before anything else
 */
void inherit_own(struct inherited *before);

/** inherit_restore - restore the attributes in a child, before the execve of another program */
void inherit_restore(const struct inherited *before);

#endif
