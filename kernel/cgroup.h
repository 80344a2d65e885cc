/* SPDX-License-Identifier: GPL-2.0 */
/* Tracing all tasks of a cgroup. */
#ifndef ETRACE_CGROUP_H
#define ETRACE_CGROUP_H

#include <linux/list.h>
#include <linux/sched.h>

#include "etrace.h"

extern struct list_head etrace_watches;

void etrace_cgroups_init(void);
int etrace_cgroup_watch(struct etrace_session *s, int fd);
void etrace_cgroup_unwatch(struct etrace_session *s);
void etrace_cgroup_seen(struct task_struct *task);

/* Does any session trace a cgroup? If not, no task joins by its cgroup. */
static inline bool etrace_cgroups_watched(void)
{
	return unlikely(!list_empty(&etrace_watches));
}

/**
 * etrace_cgroup_fork - trace a new task if it is in a traced cgroup
 * @child: the new task, which has not run yet
 *
 * Its cgroup may differ from its parent's (CLONE_INTO_CGROUP).
 */
static inline void etrace_cgroup_fork(struct task_struct *child)
{
	if (etrace_cgroups_watched())
		etrace_cgroup_seen(child);
}

#endif /* ETRACE_CGROUP_H */
