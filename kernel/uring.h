/* SPDX-License-Identifier: GPL-2.0 */
/* Operations of io_uring, recorded as system calls. */
#ifndef ETRACE_URING_H
#define ETRACE_URING_H

#include <linux/types.h>

void etrace_uring_allow(bool allow);
unsigned long etrace_uring_missed(void);

#endif /* ETRACE_URING_H */
