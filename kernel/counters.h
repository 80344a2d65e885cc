/* SPDX-License-Identifier: GPL-2.0 */
/* The files /sys/module/etrace/counters/. */
#ifndef ETRACE_COUNTERS_H
#define ETRACE_COUNTERS_H

int etrace_counters_init(void);
void etrace_counters_exit(void);

#endif /* ETRACE_COUNTERS_H */
