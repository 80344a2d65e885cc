// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink that writes SWAP as FXT: begins and ends the trace, and forgets processes and threads
 * if there are too many.  swap_fxt_messages.c writes the messages.
 */
#include "format/swap/swap_formats.h"
#include "format/swap/swap_fxt_state.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROVIDER	1

/*
 * How many messages, and bytes of payloads, are kept to find the start time of the trace.
 * The first message need not have the earliest time:
 * setup stages begin before the message that reports them, and times can be a little out
 * of order, or damaged.
 */
#define WAITING_MAX	32u
#define WAITING_BYTES	(256u << 10)
/* A stage that begins more than this before its message has a damaged time. */
#define STAGE_MAX_NS	(3600ull * SWAP_SECOND)

static const struct diag_kind kind_early = {
	"messages stamped before the beginning of the trace, shown at its beginning", DIAG_NOTE
};

static const struct diag_kind kind_forgotten = {
	"tasks forgotten, because too many live at once: the slices end, names of functions may lack the library",
	DIAG_DAMAGE
};

/* ---- all messages ---- */

static void on_lost(struct swap_fxt *s)
{
	fxt_args_reset(&s->args);
	fxt_args_u64(&s->args, "count", s->item->lost);
	fxt_args_u64(&s->args, "first", s->item->first);
	fxt_provider_event(s->w, PROVIDER, FXT_PROVIDER_EVENT_BUFFER_FULL);
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, NULL, "lost", "lost", 0);
}

/*
 * Forget the least recently used processes and threads if there are too many.  Call it
 * only between messages, because it ends their open slices.
 */
static void make_room(struct swap_fxt *s)
{
	struct swap_process *p;
	struct swap_thread *t;

	while ((p = swap_process_surplus(s->ps))) {
		swap_fxt_end_process(s, p, s->time, "too many processes at once");
		diag_report(s->diag, &kind_forgotten, NULL, DIAG_OFFSET, s->m->offset,
			    "process %" PRIu32 " is forgotten", p->pid);
		swap_process_forget(s->ps, p);
	}
	while ((t = swap_thread_surplus(s->ps))) {
		swap_fxt_end_unfinished(s, t, s->time, 0, "too many threads at once");
		diag_report(s->diag, &kind_forgotten, NULL, DIAG_OFFSET, s->m->offset,
			    "thread %" PRIu32 " is forgotten", t->tid);
		swap_thread_forget(s->ps, t);
	}
}

static int write_item(struct swap_fxt *s, const struct swap_item *item)
{
	s->item = item;
	s->m = item->message;
	if (swap_time(s->m) < s->zero)
		diag_report(s->diag, &kind_early, NULL, DIAG_OFFSET, s->m->offset, NULL);
	s->time = swap_fxt_time(s, swap_time(s->m));
	if (s->time > s->last_time)
		s->last_time = s->time;
	make_room(s);
	if (s->item->lost)
		on_lost(s);
	else
		swap_fxt_message(s);
	return out_error(s->out);
}

/* ---- the beginning ---- */

static void begin_trace(struct swap_fxt *s)
{
	s->w = fxt_writer_new(s->out);
	fxt_begin(s->w, PROVIDER, FXT_STR("swap"));
	s->ps = swap_processes_new();
	s->system_process = s->ps->next_koid++;
	s->system_thread = s->ps->next_koid++;
	fxt_process_name(s->w, s->system_process, FXT_STR("system"));
	fxt_thread_name(s->w, s->system_process, s->system_thread, FXT_STR("system"));
}

/* Earliest time in a message, ns: its own, or the beginning of its setup stage. */
static uint64_t earliest_time(struct swap_fxt *s, const struct swap_message *m)
{
	const struct swap_value *begin;
	uint64_t time = swap_time(m), at;

	if (m->header.id != SWAP_APP_SETUP_STAGE)
		return time;
	s->m = m;
	swap_fxt_collect(s, NULL);
	begin = swap_get(&s->f, "begin");
	if (!begin || begin->n >= SWAP_SECOND)
		return time;
	at = begin->u * SWAP_SECOND + begin->n;
	return at < time && time - at <= STAGE_MAX_NS ? at : time;
}

/* Write the waiting messages.  Their earliest time is the start of the trace. */
static int write_waiting(struct swap_fxt *s)
{
	char text[40];
	int err = 0;

	begin_trace(s);
	for (size_t i = 0; i < s->waiting.n; i++) {
		uint64_t time = earliest_time(s, s->waiting.items[i].message);

		if (!i || time < s->zero)
			s->zero = time;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, s->zero / SWAP_SECOND,
		 s->zero % SWAP_SECOND);
	fxt_args_reset(&s->args);
	fxt_args_u64(&s->args, "wall_clock_ns", s->zero);
	fxt_args_cstr(&s->args, "wall_clock", text);
	swap_fxt_event(s, FXT_EV_INSTANT, 0, NULL, "metadata", "clock", 0);
	for (size_t i = 0; i < s->waiting.n && !err; i++)
		err = write_item(s, &s->waiting.items[i]);
	return err;
}

static int swap_fxt_item(struct sink *base, const void *data)
{
	struct swap_fxt *s = (struct swap_fxt *)base;

	if (s->w)
		return write_item(s, data);
	swap_queue_add(&s->waiting, data);
	return s->waiting.n == WAITING_MAX || s->waiting.bytes > WAITING_BYTES ?
	       write_waiting(s) : 0;
}

/* End everything that is still open at the end of the trace. */
static int swap_fxt_end(struct sink *base)
{
	struct swap_fxt *s = (struct swap_fxt *)base;
	struct swap_process *p;

	if (!s->w)
		write_waiting(s);
	s->m = &(struct swap_message){ 0 };
	for (p = TAILQ_FIRST(&s->ps->processes); p; p = TAILQ_NEXT(p, by_use))
		swap_fxt_end_process(s, p, s->last_time, "the trace has ended");
	for (uint32_t cpu = 0; cpu < SWAP_FXT_CPUS; cpu++)
		swap_fxt_flush_leaving(s, cpu);
	return out_flush(s->out);
}

static void swap_fxt_free(struct sink *base)
{
	struct swap_fxt *s = (struct swap_fxt *)base;

	swap_queue_free(&s->waiting);
	swap_processes_free(s->ps);
	fxt_args_free(&s->args);
	fxt_writer_free(s->w);
	buf_free(&s->text);
	free(s);
}

struct sink *swap_fxt_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { swap_fxt_item, swap_fxt_end, swap_fxt_free };
	struct swap_fxt *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->out = args->out;
	s->diag = args->diag;
	return &s->base;
}
