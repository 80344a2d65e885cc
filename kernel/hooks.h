/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks: functions of the kernel that show which file it has resolved. */
#ifndef ETRACE_HOOKS_H
#define ETRACE_HOOKS_H

int etrace_hooks_init(void);
void etrace_hooks_register(void);
void etrace_hooks_unregister(void);
unsigned long etrace_hooks_missed(void);
unsigned int etrace_hooks_missing(void);

#endif /* ETRACE_HOOKS_H */
