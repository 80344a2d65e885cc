/* SPDX-License-Identifier: GPL-2.0 */
/* What processes write to descriptors 1 and 2. */
#ifndef ETRACE_CALLS_PRINT_H
#define ETRACE_CALLS_PRINT_H

#include <linux/jump_label.h>

#include "printed.h"
#include "table.h"
#include "task.h"

/* On if a session wants output; otherwise it is a nop in the paths of calls. */
DECLARE_STATIC_KEY_FALSE(etrace_printing);

void etrace_print_want(bool on);
void etrace_print_call(const struct etrace_syscall *sc, struct pt_regs *regs, long ret);
void etrace_print_unseen(struct etrace_task *t, u32 fd, u64 bytes);
void etrace_print_over(struct etrace_task *t, struct task_struct *p, bool last);

#endif /* ETRACE_CALLS_PRINT_H */
