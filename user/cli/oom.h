/* SPDX-License-Identifier: GPL-2.0 */
/* Programs end with a message and exit status 2 when memory runs out. */
#ifndef ETRACE_OOM_H
#define ETRACE_OOM_H

/** oom_exits - exit with a message and status 2 when memory runs out in this thread */
void oom_exits(void);

/**
 * oom_doing - set what the message names
 * @what: a file's name, for example; must stay valid; NULL for nothing
 */
void oom_doing(const char *what);

#endif
