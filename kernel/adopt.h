/* SPDX-License-Identifier: GPL-2.0 */
/* Starts tracing tasks that are already running. */
#ifndef ETRACE_ADOPT_H
#define ETRACE_ADOPT_H

#include <linux/types.h>

struct etrace_session;
struct task_struct;

struct task_struct *etrace_task_get(pid_t nr);
int etrace_tasks_start(struct etrace_session *s, struct task_struct *task);
int etrace_tasks_start_if(struct etrace_session *s,
			  bool (*in)(struct task_struct *task, const void *ctx),
			  const void *ctx);
void etrace_task_join(struct etrace_session *s, struct task_struct *task);

#endif /* ETRACE_ADOPT_H */
