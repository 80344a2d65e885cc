/* SPDX-License-Identifier: GPL-2.0 */
/* Which tasks the owner of a session may see. */
#ifndef ETRACE_RIGHTS_H
#define ETRACE_RIGHTS_H

#include "task.h"

struct cred;

bool etrace_session_may(const struct etrace_session *s, const struct cred *cred);
bool etrace_task_may_adopt(const struct etrace_session *s, struct task_struct *task);
void etrace_task_refuse(struct etrace_task *t);
bool etrace_task_shown(struct etrace_task *t);
void etrace_task_rights(struct etrace_task *t, bool secure);

#endif /* ETRACE_RIGHTS_H */
