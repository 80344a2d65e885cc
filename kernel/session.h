/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions: one for the parameter root_pid, and one for each open /dev/etrace. */
#ifndef ETRACE_SESSION_H
#define ETRACE_SESSION_H

#include "etrace.h"

int etrace_session_init(struct etrace_session *s);
void etrace_session_exit(struct etrace_session *s);
void etrace_session_count(const struct etrace_session *s, int add);
extern struct etrace_session etrace_root;	/* session of the parameter root_pid */
extern unsigned int etrace_max_sessions;	/* open at a time on /dev/etrace */
extern unsigned int etrace_max_user_sessions;	/* by one user without capabilities */

int etrace_device_register(void);
void etrace_device_unregister(void);

#endif /* ETRACE_SESSION_H */
