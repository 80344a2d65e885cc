/* SPDX-License-Identifier: GPL-2.0 */
/* Writing records into the ring buffer of ftrace. */
#ifndef ETRACE_OUTPUT_H
#define ETRACE_OUTPUT_H

#include <linux/preempt.h>

#include "counts.h"
#include "etrace.h"
#include "task.h"

struct etrace_open;

/**
 * struct etrace_trace_event - a trace event
 * @name: its name in tracefs
 * @fire: write a record to every ftrace instance that has enabled it
 * @enabled: has any instance enabled it?
 * @write: write a record to one buffer, given by its event file
 */
struct etrace_trace_event {
	const char *name;
	void (*fire)(struct etrace_rec *r);
	bool (*enabled)(void);
	void (*write)(void *file, struct etrace_rec *r);
};

extern const struct etrace_trace_event etrace_trace_events[ETRACE_NR_EV];

void etrace_output_lost(struct etrace_task *t, const struct etrace_rec *r);

/**
 * etrace_output - write one record for one session
 * @t: slot of the current task
 * @r: the record
 *
 * Counts whether the record arrived in the session's buffer; other ftrace instances
 * that have enabled root_pid's trace events count their own losses.
 */
static __always_inline void etrace_output(struct etrace_task *t, struct etrace_rec *r)
{
	const struct etrace_trace_event *ev = &etrace_trace_events[r->ev];
	struct etrace_session *s = t->session;

	/* stay on this CPU: etrace_output_lost() asks the buffer that refused the record */
	preempt_disable_notrace();
	r->file = s->files[r->ev];
	r->buffer = s->buffer;
	r->written = false;
	if (s->fire)
		ev->fire(r);
	else
		ev->write(r->file, r);

	if (likely(r->written))
		etrace_count(s, records, 1);
	else
		etrace_output_lost(t, r);
	preempt_enable_notrace();
}

int etrace_output_init(struct etrace_session *s);
void etrace_output_exit(struct etrace_session *s);
int etrace_output_make(struct etrace_session *s, unsigned long bytes);
void etrace_output_free(struct etrace_session *s);
struct file *etrace_output_open(const struct etrace_open *o);
ssize_t etrace_output_read(const struct etrace_session *s, unsigned int cpu, void *to);
unsigned int etrace_output_level(const struct etrace_session *s, unsigned int cpu);
unsigned long etrace_output_overwritten(const struct etrace_session *s);

#endif /* ETRACE_OUTPUT_H */
