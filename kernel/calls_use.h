/* SPDX-License-Identifier: GPL-2.0 */
/* Who really read and wrote: uses of descriptors, counted and told. */
#ifndef ETRACE_CALLS_USE_H
#define ETRACE_CALLS_USE_H

#include "call.h"

struct task_struct;

void etrace_used(const struct etrace_syscall *sc, struct pt_regs *regs, long ret);
void etrace_use_read(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_write(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_fork(struct etrace_task *t, struct etrace_task *c,
		     struct task_struct *child);
void etrace_use_new(struct etrace_task *t, int fd);
bool etrace_fd_is_open(unsigned int fd);
void etrace_use_closed(struct etrace_task *t, struct etrace_rec *r);
void etrace_use_over(struct etrace_task *t);
void etrace_use_left(struct etrace_task *t);

#endif /* ETRACE_CALLS_USE_H */
