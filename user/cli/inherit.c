// SPDX-License-Identifier: GPL-2.0
/* Changes inherited attributes for the recorder, and restores them.  See inherit.h. */
#include "cli/inherit.h"

#include <stdbool.h>
#include <stddef.h>

static const struct {
	int signal;
	void (*handler)(int);
} signals[] = {
	{ SIGCHLD, SIG_DFL },	/* if it were ignored, the exit status would be lost */
	{ SIGPIPE, SIG_IGN },	/* a closed output must only cause an error */
	{ SIGXFSZ, SIG_IGN },
	{ SIGXCPU, SIG_IGN },
};
_Static_assert(sizeof(signals) / sizeof(signals[0]) == INHERIT_SIGNALS, "all are kept");

/*
 * FREE: remove the limit if permitted, because it could kill the recorder. HARD: raise it to the
 * hard limit, as any user may.
 */
static const struct {
	int limit;
	enum { HARD, FREE } up_to;
} limits[] = {
	{ RLIMIT_FSIZE, HARD },
	{ RLIMIT_NOFILE, HARD },
	{ RLIMIT_MEMLOCK, HARD },
	{ RLIMIT_CPU, FREE },
	{ RLIMIT_AS, FREE },
	{ RLIMIT_DATA, FREE },
};
_Static_assert(sizeof(limits) / sizeof(limits[0]) == INHERIT_LIMITS, "all are kept");

static void raise_limit(int limit, bool free, const struct rlimit *before)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit hard = { before->rlim_max, before->rlim_max };

	if (!free || setrlimit(limit, &all))
		setrlimit(limit, &hard);
}

void inherit_own(struct inherited *before)
{
	before->nice = getpriority(PRIO_PROCESS, 0);
	for (size_t i = 0; i < INHERIT_SIGNALS; i++) {
		struct sigaction sa = { .sa_handler = signals[i].handler };

		sigaction(signals[i].signal, &sa, &before->actions[i]);
	}
	for (size_t i = 0; i < INHERIT_LIMITS; i++)
		if (!getrlimit(limits[i].limit, &before->limits[i]))
			raise_limit(limits[i].limit, limits[i].up_to == FREE, &before->limits[i]);
}

void inherit_restore(const struct inherited *before)
{
	setpriority(PRIO_PROCESS, 0, before->nice);
	for (size_t i = 0; i < INHERIT_LIMITS; i++)
		setrlimit(limits[i].limit, &before->limits[i]);
	for (size_t i = 0; i < INHERIT_SIGNALS; i++)
		sigaction(signals[i].signal, &before->actions[i], NULL);
}
