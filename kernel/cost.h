/* SPDX-License-Identifier: GPL-2.0 */
/* Resources that a process used, recorded when it ends. */
#ifndef ETRACE_COST_H
#define ETRACE_COST_H

#include "etrace.h"

struct task_struct;

bool etrace_cost_is_last(struct task_struct *p);
u16 etrace_cost(struct task_struct *p, struct etrace_rec *r);

#endif /* ETRACE_COST_H */
