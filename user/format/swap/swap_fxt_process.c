// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the processes of SWAP as FXT: their names, mappings, open files, setup stages
 * and resources, and their end.
 */
#include "format/swap/swap_fxt_state.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind kind_maps = {
	"mappings beyond the 8192 that are remembered for a process: names of functions may lack the library",
	DIAG_DAMAGE
};

/* ---- processes ---- */

/* Add a mapping; a damaged message may lack the path. */
static void add_mapping(struct swap_fxt *s, const struct swap_fields *e)
{
	const struct swap_value *path = swap_get(e, "path");

	if (path && !swap_map(swap_fxt_process(s), swap_wide(e, "low"), swap_wide(e, "high"),
			      (const char *)path->p, path->n))
		diag_report(s->diag, &kind_maps, NULL, DIAG_OFFSET, s->m->offset, NULL);
}

static void put_library(void *ctx, const struct swap_fields *e)
{
	add_mapping(ctx, e);
	swap_fxt_element(ctx, e, "map", "library");
}

static void rename_process(struct swap_fxt *s, struct swap_process *p)
{
	const struct swap_value *name = swap_get(&s->f, "name");

	if (!name)
		return;
	swap_fxt_name_process(s, p, (const char *)name->p, name->n);
	swap_fxt_name_thread(s, swap_fxt_get_thread(s, p, p->pid), (const char *)name->p, name->n);
}

void swap_fxt_on_process_info(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const struct swap_value *at = swap_get(&s->f, "start");
	uint64_t start = at ? at->u * SWAP_SECOND + at->n : 0;

	if (!p) {
		swap_fxt_instant(s, "process", "process info");
		return;
	}
	/* The pid was reused: its process has ended, or we missed the end. */
	if (p->ended || (p->informed && p->start != start)) {
		swap_fxt_end_process(s, p, s->time, "another process has its pid");
		p = swap_fxt_add_process(s, swap_num(&s->f, "pid"));
		swap_fxt_collect(s, NULL);
	}
	p->informed = true;
	p->start = start;
	rename_process(s, p);
	swap_fxt_instant(s, "process", "process info");
	/* The message lists all current mappings; the executable may be missing. */
	swap_unmap(p, 0, UINT64_MAX);
	add_mapping(s, &s->f);
	swap_each(s->m, "libraries", put_library, s);
}

void swap_fxt_on_process_comm(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);

	if (p)
		rename_process(s, p);
	swap_fxt_instant(s, "process", "process name");
}

static void put_open_file(void *ctx, const struct swap_fields *e)
{
	swap_fxt_element(ctx, e, "process", "open file");
}

void swap_fxt_on_status_info(struct swap_fxt *s)
{
	swap_fxt_instant(s, "process", "process status");
	swap_each(s->m, "files", put_open_file, s);
}

void swap_fxt_on_map(struct swap_fxt *s)
{
	add_mapping(s, &s->f);
	swap_fxt_instant(s, "map", "map");
}

void swap_fxt_on_unmap(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);

	if (p && swap_get(&s->f, "high"))
		swap_unmap(p, swap_wide(&s->f, "low"), swap_wide(&s->f, "high"));
	swap_fxt_instant(s, "map", "unmap");
}

static const char *const span_names[] = { NULL, "resource load", "resource processing", "draw" };

/* Write a begin or end of the async span for a step of a resource. */
static void put_span(struct swap_fxt *s, struct swap_process *p, enum fxt_event_type type,
		     uint64_t time, unsigned int step, uint64_t id)
{
	const struct swap_thread *t = swap_fxt_get_thread(s, p, p->pid);

	time = swap_fxt_not_before(s, &p->spans_time, time);
	swap_fxt_event(s, type, time, t, "web", span_names[step], id);
}

static void end_spans(struct swap_fxt *s, struct swap_process *p, uint64_t time, const char *why)
{
	struct map64_slot *spans = map64_sorted(&p->spans, map64_by_value);

	for (size_t i = 0; i < p->spans.n; i++) {
		fxt_args_reset(&s->args);
		fxt_args_cstr(&s->args, "unfinished", why);
		put_span(s, p, FXT_EV_ASYNC_END, time, (unsigned int)(spans[i].key >> 32),
			 spans[i].value);
	}
	free(spans);
	map64_clear(&p->spans);
}

void swap_fxt_end_process(struct swap_fxt *s, struct swap_process *p, uint64_t time,
			  const char *why)
{
	struct map64_slot *threads = map64_sorted(&p->threads, map64_by_key);

	for (size_t i = 0; i < p->threads.n; i++)
		swap_fxt_end_unfinished(s, (struct swap_thread *)(uintptr_t)threads[i].value, time,
					0, why);
	free(threads);
	end_spans(s, p, time, why);
}

void swap_fxt_on_terminate(struct swap_fxt *s)
{
	uint32_t pid = swap_num(&s->f, "pid");
	struct swap_process *p = swap_process_find(s->ps, pid);
	struct swap_thread *t = p ? NULL : swap_thread_by_tid(s->ps, pid);

	if (!swap_get(&s->f, "pid")) {
		swap_fxt_instant(s, "process", "terminate");
	} else if (p) {
		swap_fxt_end_process(s, p, s->time, "the process has ended");
		swap_fxt_collect(s, NULL);
		swap_fxt_instant(s, "process", "terminate");
		swap_process_end(s->ps, p);
	} else {
		/* A thread, or an unknown process. */
		if (t)
			swap_fxt_end_unfinished(s, t, s->time, 0, "the thread has ended");
		swap_fxt_collect(s, NULL);
		fxt_args_u64(&s->args, "pid", pid);
		swap_fxt_event(s, FXT_EV_INSTANT, s->time, t, "process", "terminate", 0);
	}
}

void swap_fxt_on_app_stage(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const struct swap_value *begin = swap_get(&s->f, "begin"), *end = swap_get(&s->f, "end");
	struct fxt_event ev = {
		.type = FXT_EV_DURATION_COMPLETE, .category = FXT_STR("setup"),
	};
	char track[64], name[32];
	static const char *const names[] = { "mapping", "main", "create", "service" };
	uint32_t stage = swap_num(&s->f, "stage");

	if (stage < sizeof(names) / sizeof(names[0]))
		snprintf(name, sizeof(name), "%s", names[stage]);
	else
		snprintf(name, sizeof(name), "stage %" PRIu32, stage);
	if (!end) {
		swap_fxt_instant(s, "setup", name);
		return;
	}
	ev.time = swap_fxt_time(s, begin->u * SWAP_SECOND + begin->n);
	ev.value = swap_fxt_time(s, end->u * SWAP_SECOND + end->n);
	if (begin->n >= SWAP_SECOND || end->n >= SWAP_SECOND || ev.value < ev.time) {
		swap_fxt_instant(s, "setup", name);
		return;
	}
	/*
	 * Stages have their own track, because they can overlap with functions in
	 * any way.  A stage that overlaps another one gets one more track.
	 */
	if (!p->stages || ev.time < p->stages_end) {
		p->stages = swap_koid(s->ps);
		snprintf(track, sizeof(track), "setup stages [%" PRIu32 "]", p->pid);
		swap_fxt_check(s, fxt_thread_name(s->w, p->koid, p->stages, fxt_cstr(track)));
	}
	p->stages_end = ev.value;
	ev.process = p->koid;
	ev.thread = p->stages;
	ev.name = fxt_cstr(name);
	swap_fxt_check(s, fxt_args_event(&s->args, s->w, &ev));
}

void swap_fxt_on_web_stage(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	uint32_t step = swap_num(&s->f, "step");
	unsigned int span = (step + 1) / 2;
	uint64_t key = (uint64_t)span << 32 | swap_num(&s->f, "resource_id");
	const uint64_t *open;

	if (!p || step < 1 || step > 6) {
		swap_fxt_instant(s, "web", "web setup step");
		return;
	}
	open = map64_get(&p->spans, key);
	if (step % 2) {
		if (open) {
			uint64_t id = *open;

			fxt_args_reset(&s->args);
			fxt_args_cstr(&s->args, "unfinished", "it has begun again");
			put_span(s, p, FXT_EV_ASYNC_END, s->time, span, id);
			swap_fxt_collect(s, NULL);
		}
		map64_put(&p->spans, key, ++s->next_span);
		put_span(s, p, FXT_EV_ASYNC_BEGIN, s->time, span, s->next_span);
	} else if (open) {
		put_span(s, p, FXT_EV_ASYNC_END, s->time, span, *open);
		map64_remove(&p->spans, key);
	} else {
		swap_fxt_instant(s, "web", "end of a step that has not begun");
	}
}
