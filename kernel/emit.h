/* SPDX-License-Identifier: GPL-2.0 */
/* Splits events with strings of any length into records of bounded size. */
#ifndef ETRACE_EMIT_H
#define ETRACE_EMIT_H

#include "capture.h"
#include "task.h"

struct etrace_argv;
struct etrace_work;

void etrace_emit(struct etrace_task *t, struct etrace_rec *r);
void etrace_emit_one(struct etrace_task *t, struct etrace_rec *r);
unsigned int etrace_going_on(struct etrace_task *t, bool on);
void etrace_emit_going_on(struct etrace_task *t, struct etrace_rec *r);
void etrace_emit_exec(struct etrace_task *t, struct etrace_rec *r,
		      const struct etrace_argv *argv, struct etrace_scratch *sc,
		      struct etrace_work *l);

#endif /* ETRACE_EMIT_H */
