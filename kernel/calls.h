/* SPDX-License-Identifier: GPL-2.0 */
/* Recording system calls, and events that have their own tracepoints. */
#ifndef ETRACE_CALLS_H
#define ETRACE_CALLS_H

#include "task.h"

struct linux_binprm;
struct pt_regs;

void etrace_syscall_done(struct pt_regs *regs, long ret);

void etrace_record_join(struct etrace_task *t);
void etrace_record_fork(struct etrace_task *t, struct task_struct *child);
void etrace_record_exec(struct etrace_task *t, struct linux_binprm *bprm);
void etrace_record_exit(struct etrace_task *t, struct task_struct *p, bool last);
void etrace_record_comm(struct etrace_task *t, struct task_struct *target,
			const char *comm);

#endif /* ETRACE_CALLS_H */
