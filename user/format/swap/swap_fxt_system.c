// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the state of a SWAP target's system as FXT: which thread runs on each processor,
 * and the counters of SYSTEM messages.
 */
#include "format/swap/swap_fxt_state.h"

#include <inttypes.h>
#include <string.h>

/* ---- scheduling ---- */

/*
 * If one thread leaves a processor, and another one comes there within this time (ns), one
 * context switch is written.  Only threads of traced programs are recorded, so after a longer
 * time another thread is assumed to have run in between.
 */
#define SWITCH_MAX_NS	10000000u

/* Not 0, because viewers take priority 0 of process 0 for idle. */
#define PRIORITY	1

static void put_switch(struct swap_fxt *s, uint64_t time, uint32_t cpu,
		       const struct swap_leaving *from, const struct swap_thread *to)
{
	struct fxt_switch sw = {
		.time = time, .cpu = cpu, .out_state = FXT_THREAD_BLOCKED,
	};

	if (from) {
		sw.out_process = from->process;
		sw.out_thread = from->thread;
		sw.out_priority = PRIORITY;
	}
	if (to) {
		sw.in_process = to->process->koid;
		sw.in_thread = to->koid;
		sw.in_priority = PRIORITY;
	}
	fxt_context_switch(s->w, &sw);
}

void swap_fxt_flush_leaving(struct swap_fxt *s, uint32_t cpu)
{
	struct swap_leaving *l = &s->leaving[cpu];

	if (l->thread)
		put_switch(s, l->time, cpu, l, NULL);
	l->thread = 0;
}

void swap_fxt_on_switch(struct swap_fxt *s)
{
	struct swap_thread *t = swap_fxt_thread(s);
	bool comes = s->m->header.id == SWAP_CONTEXT_SWITCH_EXIT;
	uint32_t cpu = swap_num(&s->f, "cpu");
	struct swap_leaving *l;

	if (!t || !swap_get(&s->f, "cpu") || cpu >= SWAP_FXT_CPUS) {
		swap_fxt_instant(s, "scheduling", comes ? "thread comes" : "thread leaves");
		return;
	}
	l = &s->leaving[cpu];
	if (comes && l->thread && l->thread != t->koid && s->time >= l->time &&
	    s->time - l->time <= SWITCH_MAX_NS) {
		put_switch(s, s->time, cpu, l, t);
		l->thread = 0;
		return;
	}
	swap_fxt_flush_leaving(s, cpu);
	if (comes)
		put_switch(s, s->time, cpu, NULL, t);
	else
		*l = (struct swap_leaving){ s->time, t->process->koid, t->koid };
}

/* ---- the state of the system ---- */

static void add_number(struct swap_fxt *s, const char *name, const struct swap_value *v)
{
	if (v->kind == SWAP_V_FLOAT)
		fxt_args_f64(&s->args, name, v->d);
	else if (v->u <= INT64_MAX || v->kind == SWAP_V_INT)
		fxt_args_i64(&s->args, name, v->i);
	else	/* too large for an i64 */
		fxt_args_f64(&s->args, name, (double)v->u);
}

/* Write the numbers of each counter, whose fields follow each other. */
static void put_counters(struct swap_fxt *s, struct swap_process *p, const struct swap_fields *f)
{
	const char *counter = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct swap_field *field = f->at[i].field;

		if (!field->category || f->at[i].value.kind == SWAP_V_NONE)
			continue;
		if (counter && strcmp(counter, field->category))
			swap_fxt_counter(s, p, counter, 0);
		counter = field->category;
		add_number(s, field->name, &f->at[i].value);
	}
	if (counter)
		swap_fxt_counter(s, p, counter, 0);
}

static void put_process_profile(void *ctx, const struct swap_fields *e)
{
	struct swap_fxt *s = ctx;

	if (swap_get(e, "pid"))
		put_counters(s, swap_fxt_get_process(s, swap_num(e, "pid")), e);
}

static void put_load(struct swap_fxt *s, struct swap_process *p, const char *what,
		     const char *id, const struct swap_fields *e)
{
	const struct swap_value *load = swap_get(e, "load");

	if (!swap_get(e, id) || !load)
		return;
	add_number(s, fxt_args_format(&s->args, "load of %s %" PRIu32, what, swap_num(e, id)),
		   load);
	swap_fxt_counter(s, p, fxt_args_format(&s->args, "%s load", what), swap_num(e, id));
}

static void put_thread_load(void *ctx, const struct swap_fields *e)
{
	struct swap_fxt *s = ctx;

	put_load(s, swap_fxt_get_process(s, e->outer_pid), "thread", "tid", e);
}

static void put_other_load(void *ctx, const struct swap_fields *e)
{
	struct swap_fxt *s = ctx;

	put_load(s, NULL, "other process", "pid", e);
}

/* Write the counter of an array when a record is full, or at the end of the array. */
static void put_array_step(void *ctx, const struct swap_step *step)
{
	const struct swap_field *f = step->field;
	uint32_t n = step->index;
	struct swap_fxt *s = ctx;

	if (!f->text || step->kind == SWAP_OPEN)
		return;
	if (step->kind == SWAP_VALUE)
		add_number(s, fxt_args_format(&s->args, "%s %u", f->text, n++), &step->value);
	if (step->kind == SWAP_CLOSE)
		swap_fxt_counter(s, NULL, f->category, n / FXT_MAX_ARGS);
	else if (n % FXT_MAX_ARGS == 0)
		swap_fxt_counter(s, NULL, f->category, n / FXT_MAX_ARGS - 1);
}

void swap_fxt_on_system(struct swap_fxt *s)
{
	const struct swap_message *m = s->m;

	if (!m->layout) {
		fxt_args_hex(&s->args, "payload", m->payload, m->len);
		swap_fxt_instant(s, "system", "system state, not read");
		return;
	}
	fxt_args_reset(&s->args);
	put_counters(s, NULL, &s->f);
	swap_walk(m->layout, m->payload, m->len, &m->counts, put_array_step, s);
	swap_each(s->m, "processes", put_process_profile, s);
	swap_each(s->m, "threads", put_thread_load, s);
	swap_each(s->m, "other_processes", put_other_load, s);
}
