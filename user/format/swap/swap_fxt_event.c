// SPDX-License-Identifier: LGPL-2.1
/*
 * SWAP as FXT: names the tracks of processes and threads, and writes the events on them,
 * with the fields of a message as arguments.  Matches ends of slices with begins, and
 * adds missing ends.
 */
#include "format/swap/swap_fxt_state.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

void swap_fxt_make_name(char *buf, const char *s, size_t len)
{
	char *copy = NULL;
	size_t n = len;

	if (!utf8_valid(s, len)) {
		/* The beginning is enough: replacing bytes makes nothing shorter. */
		copy = utf8_replace(s, len < SWAP_NAME_BYTES ? len : SWAP_NAME_BYTES, &n);
		s = copy;
	}
	n = utf8_cut(s, n, SWAP_NAME_BYTES);
	memcpy(buf, s, n);
	buf[n] = 0;
	free(copy);
}

bool swap_fxt_location(char *buf, const struct swap_process *p, uint64_t addr)
{
	const struct range *m = p ? ranges_at(&p->maps, addr) : NULL;
	size_t n = 0;

	if (m) {
		swap_fxt_make_name(buf, m->name, strlen(m->name));
		n = utf8_cut(buf, strlen(buf), SWAP_NAME_BYTES - 20);
		buf[n++] = '+';
		addr -= m->base;
	}
	snprintf(buf + n, SWAP_NAME_BYTES + 1 - n, "0x%" PRIx64, addr);
	return m;
}

/* ---- tracks ---- */

void swap_fxt_name_track(struct swap_fxt *s, const struct swap_process *p,
			 const struct swap_thread *t, const char *text, size_t len)
{
	char name[SWAP_NAME_BYTES + 1], full[SWAP_NAME_BYTES + 32];

	swap_fxt_make_name(name, text, len);
	snprintf(full, sizeof(full), "%s [%" PRIu32 "]", name, t ? t->tid : p->pid);
	if (t)
		fxt_thread_name(s->w, p->koid, t->koid, fxt_cstr(full));
	else
		fxt_process_name(s->w, p->koid, fxt_cstr(full));
}

struct swap_process *swap_fxt_add_process(struct swap_fxt *s, uint32_t pid)
{
	struct swap_process *p = swap_process_add(s->ps, pid);

	swap_fxt_name_track(s, p, NULL, "process", 7);
	return p;
}

struct swap_process *swap_fxt_get_process(struct swap_fxt *s, uint32_t pid)
{
	struct swap_process *p = swap_process_find(s->ps, pid);

	return p ? p : swap_fxt_add_process(s, pid);
}

struct swap_thread *swap_fxt_get_thread(struct swap_fxt *s, struct swap_process *p, uint32_t tid)
{
	struct swap_thread *t = swap_thread_find(p, tid);

	if (t)
		return t;
	t = swap_thread_add(s->ps, p, tid);
	swap_fxt_name_track(s, p, t, tid == p->pid ? "main" : "thread", tid == p->pid ? 4 : 6);
	return t;
}

struct swap_process *swap_fxt_process(struct swap_fxt *s)
{
	return swap_get(&s->f, "pid") ? swap_fxt_get_process(s, swap_num(&s->f, "pid")) : NULL;
}

struct swap_thread *swap_fxt_thread(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const char *id = swap_get(&s->f, "tid") ? "tid" : "pid";

	return p ? swap_fxt_get_thread(s, p, swap_num(&s->f, id)) : NULL;
}

/* ---- events ---- */

void swap_fxt_event(struct swap_fxt *s, enum fxt_event_type type, uint64_t time,
		    const struct swap_thread *t, const char *category, const char *name,
		    uint64_t value)
{
	struct fxt_event ev = {
		.type = type,
		.time = time,
		.process = t ? t->process->koid : s->system_process,
		.thread = t ? t->koid : s->system_thread,
		.category = fxt_cstr(category),
		.name = fxt_cstr(name),
		.value = value,
	};

	/* Viewers take each instant with "frame" in its name for a frame marker. */
	if (type == FXT_EV_INSTANT && strstr(name, "frame")) {
		fxt_args_own(&s->args, "event", name);
		ev.name = fxt_cstr(category);
	}
	fxt_args_event(&s->args, s->w, &ev);
}

void swap_fxt_instant(struct swap_fxt *s, const char *category, const char *name)
{
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, swap_fxt_thread(s), category, name, 0);
}

void swap_fxt_counter(struct swap_fxt *s, struct swap_process *p, const char *name, uint64_t id)
{
	const struct swap_thread *t = p ? swap_fxt_get_thread(s, p, p->pid) : NULL;

	if (s->args.n)
		swap_fxt_event(s, FXT_EV_COUNTER, s->time, t, "system", name, id);
	fxt_args_reset(&s->args);
}

/* ---- fields as arguments ---- */

static void add_value(struct swap_fxt *s, const char *name, const struct swap_field *f,
		      const struct swap_value *v)
{
	const char *text = swap_value_name(f, v->u);

	if (text) {
		fxt_args_cstr(&s->args, name, text);
		return;
	}
	switch (v->kind) {
	case SWAP_V_UINT:
	case SWAP_V_BOOL:
	case SWAP_V_CHAR:
		fxt_args_u64(&s->args, name, v->u);
		break;
	case SWAP_V_INT:
		fxt_args_i64(&s->args, name, v->i);
		break;
	case SWAP_V_ADDR:
		fxt_args_pointer(&s->args, name, v->u);
		break;
	case SWAP_V_FLOAT:
		fxt_args_f64(&s->args, name, v->d);
		break;
	case SWAP_V_STR:
		fxt_args_text(&s->args, name, (const char *)v->p, v->n);
		break;
	case SWAP_V_BYTES:
		fxt_args_hex(&s->args, name, v->p, v->n);
		break;
	case SWAP_V_NONE:
		break;
	default:
		s->text.len = 0;
		swap_add_text(&s->text, v);
		fxt_args_own_text(&s->args, name, s->text.s, s->text.len);
		break;
	}
}

/* Whether a field is the result of a call. */
static bool is_result(const struct swap_field *f)
{
	return !strcmp(f->name, "return") || !strcmp(f->name, "errno");
}

/* Whether a field is in the event itself, not known yet, or a reserved 0: not an argument. */
static bool is_left_out(const struct swap_fxt *s, const struct swap_field *f,
			const struct swap_value *v)
{
	return (s->starting && is_result(f)) || !strcmp(f->name, "pid") ||
	       !strcmp(f->name, "tid") || (!v->u && !strncmp(f->name, "reserved", 8));
}

/* Add an argument of a call to the text of all its arguments. */
static void call_step(void *ctx, const struct swap_step *step)
{
	struct buf *text = ctx;

	if (step->field->type != SWAP_T_ARGS || step->kind != SWAP_VALUE)
		return;
	if (text->len)
		buf_adds(text, ", ");
	swap_add_text(text, &step->value);
}

static void add_call(struct swap_fxt *s, const char *name)
{
	s->text.len = 0;
	swap_walk(s->m->layout, s->m->payload, s->m->len, NULL, call_step, &s->text);
	fxt_args_own_text(&s->args, name, s->text.s, s->text.len);
}

void swap_fxt_collect(struct swap_fxt *s, const char *prefix)
{
	const struct swap_message *m = s->m;

	fxt_args_reset(&s->args);
	swap_collect(m, &s->f);
	for (size_t i = 0; i < s->f.n; i++) {
		const struct swap_field *f = s->f.at[i].field;
		const char *name = f->name;

		if (is_left_out(s, f, &s->f.at[i].value))
			continue;
		if (prefix && !is_result(f))
			name = fxt_args_format(&s->args, "%s%s", prefix, name);
		if (f->type == SWAP_T_ARGS)
			add_call(s, name);
		else
			add_value(s, name, f, &s->f.at[i].value);
	}
	if (!m->layout)
		return;
	if (!m->row->slack && m->end.used < m->len)
		fxt_args_hex(&s->args, "more", m->payload + m->end.used, m->len - m->end.used);
	if (m->damage)
		fxt_args_cstr(&s->args, "damaged", "this message was damaged");
}

void swap_fxt_element(void *ctx, const struct swap_fields *e)
{
	struct swap_fxt *s = ctx;

	fxt_args_reset(&s->args);
	for (size_t i = 0; i < e->n; i++)
		add_value(s, e->at[i].field->name, e->at[i].field, &e->at[i].value);
	swap_fxt_instant(s, e->list->category, e->list->text);
}

/* ---- slices ---- */

/*
 * Slices of a thread, and spans of a process, would nest wrongly if their times went back.
 * The target's times can, because the kernel and the probes use different clocks, one of
 * which has a resolution of a microsecond.
 */
uint64_t swap_fxt_not_before(struct swap_fxt *s, uint64_t *last, uint64_t time)
{
	if (time < *last) {
		fxt_args_u64(&s->args, "stamped_earlier_ns", *last - time);
		time = *last;
	}
	*last = time;
	return time;
}

/* End the innermost slice with the current arguments. */
static void end_slice(struct swap_fxt *s, struct swap_thread *t, uint64_t time)
{
	const struct swap_slice *slice = &t->slices[t->depth - 1];

	time = swap_fxt_not_before(s, &t->time, time);
	swap_fxt_event(s, slice->name ? FXT_EV_DURATION_END : FXT_EV_INSTANT, time, t,
		       slice->category, slice->name ? slice->name : "end, nested too deep", 0);
	swap_slice_pop(t);
}

void swap_fxt_end_unfinished(struct swap_fxt *s, struct swap_thread *t, uint64_t time,
			     size_t depth, const char *why)
{
	while (t->depth > depth) {
		fxt_args_reset(&s->args);
		fxt_args_cstr(&s->args, "unfinished", why);
		end_slice(s, t, time);
	}
}

void swap_fxt_begin(struct swap_fxt *s, const char *category, uint64_t key,
		    const char *name)
{
	struct swap_thread *t = swap_fxt_thread(s);
	uint64_t time;
	int shown;

	if (!t) {
		swap_fxt_instant(s, "damaged", name);
		return;
	}
	shown = swap_slice_push(t, category, key, name);
	time = swap_fxt_not_before(s, &t->time, s->time);
	swap_fxt_event(s, shown > 0 ? FXT_EV_DURATION_BEGIN : FXT_EV_INSTANT, time, t, category,
		       name, 0);
}

void swap_fxt_finish(struct swap_fxt *s, const char *category, uint64_t key,
		     const char *name)
{
	struct swap_thread *t = swap_fxt_thread(s);
	long at = t ? swap_slice_match(t, category, key) : -1;
	char text[SWAP_NAME_BYTES + 32];

	if (at < 0) {
		snprintf(text, sizeof(text), "end of %s", name);
		swap_fxt_collect(s, NULL);
		swap_fxt_instant(s, category, text);
		return;
	}
	swap_fxt_end_unfinished(s, t, s->time, (size_t)at + 1, "its end is missing");
	swap_fxt_collect(s, "end_");
	end_slice(s, t, s->time);
}
