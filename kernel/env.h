/* SPDX-License-Identifier: GPL-2.0 */
/* The environment of a program that is run, for sessions that want it. */
#ifndef ETRACE_ENV_H
#define ETRACE_ENV_H

#include "table.h"
#include "task.h"

struct etrace_work;

/* Does any session want environments? */
static inline bool etrace_env_wanted(void)
{
	return unlikely(atomic_read(&etrace_wanted[ETRACE_WHERE_ENV]));
}

struct etrace_work *etrace_env_get(struct etrace_task *t);

#endif /* ETRACE_ENV_H */
