/* SPDX-License-Identifier: GPL-2.0 */
/* The ftrace side: records into the ring buffer. */
#ifndef ETRACE_OUTPUT_H
#define ETRACE_OUTPUT_H

#include "etrace.h"

struct etrace_open;
struct etrace_task;

void etrace_output(struct etrace_task *t, struct etrace_rec *r);

int etrace_output_init(struct etrace_session *s);
void etrace_output_exit(struct etrace_session *s);
void etrace_output_empty(struct etrace_session *s);
int etrace_output_remove(struct etrace_session *s);
int etrace_output_resize(struct etrace_session *s, unsigned long bytes);
struct file *etrace_output_open(const struct etrace_open *o);
ssize_t etrace_output_read(const struct etrace_session *s, unsigned int cpu, void *to);
unsigned int etrace_output_level(const struct etrace_session *s, unsigned int cpu);
unsigned long etrace_output_overwritten(const struct etrace_session *s);

#endif /* ETRACE_OUTPUT_H */
