/* SPDX-License-Identifier: GPL-2.0 */
/* Recording system calls. */
#ifndef ETRACE_CALLS_H
#define ETRACE_CALLS_H

struct pt_regs;

void etrace_syscall_done(struct pt_regs *regs, long ret);

#endif /* ETRACE_CALLS_H */
