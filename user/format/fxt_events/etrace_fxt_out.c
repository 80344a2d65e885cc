// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink of the etrace model: writes a Fuchsia trace.  Documentation/fxt-mapping.md describes
 * the mapping and its reasons; etrace_fxt_in.c reads the trace back.
 */
#include "format/fxt_events/etrace_fxt_event.h"
#include "base/xalloc.h"
#include "event/pid_bits.h"
#include "format/fxt_events/etrace_fxt_format.h"

#include <stdlib.h>

/* Writes an event without arguments. */
static void put_bare(struct fxt_out *f, enum fxt_event_type type, const struct task *t,
		     uint64_t time, struct fxt_str category, struct fxt_str name,
		     uint64_t value)
{
	begin_event(f, type, time, t, category, name);
	f->event.value = value;
	end_event(f);
}

/* ---- tasks ---- */

/* The name of a slice: the program's base name, as text. */
static struct fxt_str slice_name(struct fxt_out *f, const struct task *t)
{
	return fxt_out_text(f, t->program, t->program_len);
}

static struct fxt_str slice_category(struct fxt_out *f, const struct task *t)
{
	return t->execed ? used_name(f, &f->category[ET_K_EXEC]) : used_name(f, &f->name[N_FORK]);
}

/* Names the process and the thread after the program; viewers add the koid. */
static void put_names(struct fxt_out *f, const struct task *t)
{
	struct fxt_str program = slice_name(f, t), full;
	struct fxt_arg args[2];

	full = fxt_str(program.s, utf8_cut(program.s, program.len, 255));
	if (t->koid == t->process)
		fxt_process_name(f->w, t->process, full);
	args[0] = fxt_arg_koid(used_name(f, &f->name[N_PROCESS]), t->process);
	args[1] = fxt_arg_u(used_name(f, &f->name[N_UPID]), t->upid);
	fxt_kernel_object(f->w, FXT_KOBJ_THREAD, t->koid, full, args, f->view.cuts ? 1 : 2);
}

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct fxt_out *f = ctx;

	timeline_events_begin(&f->timeline, f->tab, t, parent, ev);
	if (f->inside && t->execed)
		fxt_inside_exec(f, ev);
	/* the task first appears with its execve: avoid a slice of zero length before it */
	if (!t->execed && ev->kind == ET_K_EXEC) {
		f->unborn = t;
		return;
	}
	/* if it executes no program, it is named and shown when it ends */
	if (f->view.cuts && !t->execed)
		return;
	put_names(f, t);
	if (t->execed) {
		begin_event(f, FXT_EV_DURATION_BEGIN, ev->time, t, slice_category(f, t),
			    slice_name(f, t));
		add_count(f, &f->name[N_PID], t->pid);
		fxt_out_add_event(f, t, ev);
		end_event(f);
		return;
	}
	/*
	 * A flow binds to the last slice pushed: the clone's at this end, the child's
	 * first at the other.
	 */
	if (parent && f->view.forks)
		put_bare(f, FXT_EV_FLOW_BEGIN, parent, ev->time, used_name(f, &f->name[N_FORK]),
			 used_name(f, &f->name[N_FLOW]), ++f->flows);
	begin_event(f, FXT_EV_DURATION_BEGIN, ev->time, t, slice_category(f, t), slice_name(f, t));
	add_count(f, &f->name[N_PID], t->pid);
	end_event(f);
	if (parent && f->view.forks)
		put_bare(f, FXT_EV_FLOW_END, t, ev->time, used_name(f, &f->name[N_FORK]),
			 used_name(f, &f->name[N_FLOW]), f->flows);
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct fxt_out *f = ctx;

	timeline_events_end(&f->timeline, t, why, time, ev);
	if (f->unborn == t) {
		f->unborn = NULL;
		return;
	}
	if (f->view.cuts && !t->execed) {
		if (why == TASK_EXEC)
			return;
		put_names(f, t);
		begin_event(f, FXT_EV_DURATION_COMPLETE, t->since, t, slice_category(f, t),
			    slice_name(f, t));
		f->event.value = time;
	} else {
		begin_event(f, FXT_EV_DURATION_END, time, t, slice_category(f, t),
			    slice_name(f, t));
	}
	if (why == TASK_EXIT) {
		fxt_out_leave_out(f, ev);
		fxt_out_add_event(f, t, ev);
	} else if (why != TASK_EXEC) {
		add_count(f, &f->name[N_UNFINISHED], 1);
	}
	end_event(f);
}

/* ---- the sink ---- */

static void put_head(struct fxt_out *f, uint64_t time)
{
	static const char writer[] = "etrace-read " ETRACE_VERSION;

	begin_event(f, FXT_EV_INSTANT, time, NULL, used_name(f, &f->name[N_META]),
		    FXT_STR(ETRACE_FXT_HEAD));
	add_count(f, &f->name[N_VERSION],
		  f->view.left_out ? ETRACE_FXT_VIEW_VERSION : ETRACE_FXT_VERSION);
	add_text(f, &f->name[N_WRITER], writer, sizeof(writer) - 1);
	if (f->view.left_out) {
		add_count(f, &f->name[N_VIEW], 1);
		add_text(f, &f->name[N_LEFT_OUT], f->view.left_out, strlen(f->view.left_out));
	}
	end_event(f);
	f->begun = true;
}

static void put_lost(struct fxt_out *f, const struct et_event *ev)
{
	struct fxt_str category = used_name(f, &f->category[ET_K_LOST]);
	uint64_t n = (uint64_t)et_value(ev, ET_V_LOST_count, 1);

	fxt_provider_event(f->w, ETRACE_FXT_PROVIDER_ID, FXT_PROVIDER_EVENT_BUFFER_FULL);
	begin_event(f, FXT_EV_INSTANT, ev->time, NULL, category, used_name(f, &f->kind[ET_K_LOST]));
	if (et_has(ev, ET_V_LOST_count))
		add_count(f, &f->name[N_COUNT], n);
	f->lost += n;
	add_count(f, &f->name[N_CPU], ev->cpu);
	end_event(f);
}

/* Writes an event that is not plain. */
static __attribute__((noinline)) int put_event(struct fxt_out *f, struct task *t,
					       const struct et_event *ev)
{
	if (!t || (ev->kind != ET_K_EXEC && ev->kind != ET_K_EXIT)) {
		struct fxt_str category = used_name(f, &f->category[ev->kind]);

		begin_event(f, FXT_EV_INSTANT, ev->time, t, category,
			    used_name(f, &f->kind[ev->kind]));
		/* the flow that begins here needs a slice, even one of zero length */
		if (ev->kind == ET_K_CLONE && et_has(ev, ET_V_CLONE_child)) {
			f->event.type = FXT_EV_DURATION_COMPLETE;
			f->event.value = ev->time;
		}
		fxt_out_add_event(f, t, ev);
		end_event(f);
		fxt_out_learn(f, ev);
		fxt_out_note_values(f, ev);
	}
	if (t)
		proctab_apply(f->tab, t, ev);
	return out_error(f->out);
}

static int fxt_out_item(struct sink *s, const void *item)
{
	struct fxt_out *f = (struct fxt_out *)s;
	const struct et_event *ev = item;
	struct task *t;

	if (!f->begun) {
		put_head(f, ev->time);
		timeline_events_start(&f->timeline, ev->time);
	}
	f->events++;
	t = proctab_actor(f->tab, ev);
	if (!t) {
		if (ev->time > f->last_time)
			f->last_time = ev->time;
		if (ev->kind == ET_K_LOST) {
			put_lost(f, ev);
			return out_error(f->out);
		}
	} else if (ev->time > f->build_end) {
		/* events of the recorder itself are not part of the build */
		f->build_end = ev->time;
	}
	if (f->inside && t)
		fxt_inside_event(f, t, ev);
	if (f->view.left_out && !fxt_view_shows(&f->view, ev)) {
		if (t)
			proctab_apply(f->tab, t, ev);
		return 0;
	}
	fxt_out_leave_out(f, ev);
	return t && fxt_out_put_plain(f, t, ev) ? out_error(f->out) : put_event(f, t, ev);
}

static int fxt_out_end(struct sink *s)
{
	struct fxt_out *f = (struct fxt_out *)s;
	bool complete = diag_complete(f->diag);
	const struct diag_kind *kind;
	uint64_t n;

	if (!f->begun)
		put_head(f, 0);
	if (f->build_end > f->last_time)
		f->last_time = f->build_end;
	proctab_end(f->tab, f->last_time);
	fxt_out_put_build(f);
	if (f->inside)
		fxt_out_put_inside(f);
	begin_event(f, FXT_EV_INSTANT, f->last_time, NULL, used_name(f, &f->name[N_META]),
		    FXT_STR(ETRACE_FXT_VERDICT));
	add_count(f, &f->name[N_COMPLETE], complete);
	add_count(f, &f->name[N_EVENTS], f->events);
	add_count(f, &f->name[N_LOST], f->lost);
	for (unsigned int i = 0; (kind = diag_next(f->diag, i, &n)); i++) {
		struct fxt_str name;

		make_room(f);
		name = passing_name(f, kind->what, strlen(kind->what));
		add_count(f, &name, n);
	}
	end_event(f);
	return out_flush(f->out);
}

static void fxt_out_free(struct sink *s)
{
	struct fxt_out *f = (struct fxt_out *)s;

	buf_free(&f->text);
	free(f->program);
	free(f->values);
	timeline_events_free(&f->timeline);
	fxt_inside_free(f->inside);
	proctab_free(f->tab);
	fxt_writer_free(f->w);
	free(f);
}

static void begin_file(struct fxt_out *f)
{
	struct fxt_arg own[2];

	fxt_out_take_names(f);
	fxt_magic(f->w);
	fxt_provider_info(f->w, ETRACE_FXT_PROVIDER_ID, FXT_STR(ETRACE_FXT_PROVIDER));
	fxt_init(f->w, 1000000000);
	/* viewers need this to be the first string */
	name_ref(f, &f->name[N_PROCESS]);
	fxt_process_name(f->w, PROCTAB_OWN_KOID, FXT_STR("etrace"));
	own[0] = fxt_arg_koid(used_name(f, &f->name[N_PROCESS]), PROCTAB_OWN_KOID);
	own[1] = fxt_arg_u(used_name(f, &f->name[N_UPID]), 0);
	fxt_kernel_object(f->w, FXT_KOBJ_THREAD, PROCTAB_OWN_KOID, FXT_STR("etrace"), own, 2);
}

struct sink *etrace_fxt_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { fxt_out_item, fxt_out_end, fxt_out_free };
	static const struct proctab_ops tab_ops = { on_begin, on_end };
	struct fxt_out *f;
	struct fxt_view view;
	unsigned int bits;

	if (!pid_bits_of(args->opts, args->diag, &bits) ||
	    !fxt_view_take(&view, args->opts, args->diag))
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->sink.ops = &ops;
	f->out = args->out;
	f->diag = args->diag;
	f->view = view;
	f->inside = view.inside ? fxt_inside_new(view.inside) : NULL;
	f->w = fxt_writer_new(args->out);
	/* pages from calloc use no memory until they are written */
	f->values = xcalloc(FXT_MAX_STRING_INDEX + 1, sizeof(*f->values));
	f->tab = proctab_new(bits, &tab_ops, f);
	begin_file(f);
	return &f->sink;
}
