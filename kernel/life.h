/* SPDX-License-Identifier: GPL-2.0 */
/* Records of the life of a task: fork, exec, names, exit, joining a session. */
#ifndef ETRACE_LIFE_H
#define ETRACE_LIFE_H

#include "cgroup.h"
#include "task.h"

struct linux_binprm;

void etrace_record_join(struct etrace_task *t);
void etrace_record_fork(struct etrace_task *t, struct task_struct *child);
void etrace_record_exec(struct etrace_task *t, struct linux_binprm *bprm);
void etrace_record_exit(struct etrace_task *t, struct task_struct *p, bool last);
void etrace_record_comm(struct etrace_task *t, struct task_struct *target,
			const char *comm);

/* Records the program of a task that joined a session through its cgroup, before anything else. */
static inline void etrace_joins(struct etrace_task *t)
{
	if (etrace_cgroups_watched())
		etrace_record_join(t);
}

#endif /* ETRACE_LIFE_H */
