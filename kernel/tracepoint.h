/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the kernel's tracepoints by name. */
#ifndef ETRACE_TRACEPOINT_H
#define ETRACE_TRACEPOINT_H

struct tracepoint;

struct tracepoint *etrace_tracepoint_find(const char *name);

#endif /* ETRACE_TRACEPOINT_H */
