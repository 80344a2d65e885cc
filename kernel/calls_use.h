/* SPDX-License-Identifier: GPL-2.0 */
/* Who really read and wrote: uses of descriptors, counted and told. */
#ifndef ETRACE_CALLS_USE_H
#define ETRACE_CALLS_USE_H

#include "call.h"

struct task_struct;

/* Of etrace_emit_close(). */
#define ETRACE_CLOSE_GOING_ON	1	/* only where etrace_going_on() was on */
#define ETRACE_CLOSE_EXTENDED	2	/* the line format does not tell of it */
#define ETRACE_CLOSE_EXECVE	4	/* by execve */

void etrace_used(const struct etrace_syscall *sc, struct pt_regs *regs, long ret);
void etrace_use_read(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_write(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_fork(struct etrace_task *t, struct etrace_task *c,
		     struct task_struct *child);
void etrace_use_new(struct etrace_task *t, int fd);
bool etrace_fd_is_open(unsigned int fd);
void etrace_emit_close(struct etrace_task *t, int fd, unsigned int how);
void etrace_use_over(struct etrace_task *t);
void etrace_use_left(struct etrace_task *t);

#endif /* ETRACE_CALLS_USE_H */
