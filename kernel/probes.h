/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints and hooks, registered while tasks are traced. */
#ifndef ETRACE_PROBES_H
#define ETRACE_PROBES_H

struct etrace_listener;

int etrace_probes_init(void);
extern const struct etrace_listener etrace_probes;

#endif /* ETRACE_PROBES_H */
