// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes each message of SWAP as FXT, with its function of swap_messages.def: calls of
 * functions, samples and probes; and names, mappings, open files, setup stages, resources and
 * the end of processes.
 */
#include "format/swap/swap_fxt_state.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind kind_maps = {
	"mappings beyond the 8192 that are remembered for a process: names of functions may lack the library",
	DIAG_DAMAGE
};

/* ---- messages that become instants ---- */

/* Write the instant of the message's row, and those of the elements of its lists. */
static void put_instant(struct swap_fxt *s)
{
	swap_fxt_instant(s, s->m->row->category, s->m->row->text);
	for (size_t i = 0; i < s->f.n; i++)
		if (s->f.at[i].field->type == SWAP_T_LIST)
			swap_each(s->m, s->f.at[i].field->name, swap_fxt_element, s);
}

static void on_unknown(struct swap_fxt *s)
{
	const struct swap_message *m = s->m;

	fxt_args_reset(&s->args);
	fxt_args_u64(&s->args, "id", m->header.id);
	fxt_args_hex(&s->args, "payload", m->payload, m->len);
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, NULL, "unknown", "unknown message", 0);
}

/* ---- functions ---- */

/* Format a field as the name of its value, or as FIELD NUMBER if it has none. */
static void format_name(const struct swap_fxt *s, char *buf, size_t size, const char *prefix,
			const char *field)
{
	const char *name = swap_get_name(&s->f, field);

	if (name)
		snprintf(buf, size, "%s%s", prefix, name);
	else
		snprintf(buf, size, "%s%s %" PRIu32, prefix, field, swap_num(&s->f, field));
}

/* Add an address of the message as library and offset, if its library is known. */
static void add_location(struct swap_fxt *s, const char *address, const char *name)
{
	char text[SWAP_NAME_BYTES + 1];

	if (swap_fxt_location(text, swap_fxt_process(s), swap_wide(&s->f, address)))
		fxt_args_own(&s->args, name, text);
}

/* Before protocol 4.0, system calls were functions with probe type 3 (kernel). */
static const char *call_category(const struct swap_fxt *s)
{
	return swap_num(&s->f, "probe_type") == 3 ? "syscall" : s->m->row->category;
}

static void on_call(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	swap_fxt_location(name, swap_fxt_process(s), swap_wide(&s->f, "pc"));
	add_location(s, "caller", "called_from");
	swap_fxt_begin(s, call_category(s), swap_wide(&s->f, "pc"), name);
}

static void on_return(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	swap_fxt_location(name, swap_fxt_process(s), swap_wide(&s->f, "pc"));
	swap_fxt_finish(s, call_category(s), swap_wide(&s->f, "pc"), name);
}

static void on_file_entry(struct swap_fxt *s)
{
	char name[64];

	format_name(s, name, sizeof(name), "file ", "event");
	swap_fxt_begin(s, s->m->row->category, 0, name);
}

static void on_file_exit(struct swap_fxt *s)
{
	swap_fxt_finish(s, s->m->row->category, 0, "file function");
}

static void on_sample(struct swap_fxt *s)
{
	add_location(s, "pc", "location");
	put_instant(s);
}

/* ---- web ---- */

/* Format the name of a web page's function.  Return: the key of its slices. */
static uint64_t web_name(const struct swap_fxt *s, char *buf)
{
	const struct swap_value *name = swap_get(&s->f, "name");

	if (name && name->n)
		swap_fxt_make_name(buf, (const char *)name->p, name->n);
	else
		memcpy(buf, "(anonymous)", sizeof("(anonymous)"));
	return name ? hash_bytes(name->p, name->n) : 0;
}

static void on_web_sampling(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];
	uint64_t key;

	/* The protocol document's layout has a subtype and no exits: a sample. */
	if (swap_get(&s->f, "subtype")) {
		put_instant(s);
		return;
	}
	key = web_name(s, name);
	swap_fxt_begin(s, s->m->row->category, key, name);
}

static void on_web_exit(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];
	uint64_t key = web_name(s, name);

	swap_fxt_finish(s, s->m->row->category, key, name);
}

/* ---- probes ---- */

static void count_memory(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	uint64_t address = swap_wide(&s->f, "address"), size = swap_wide(&s->f, "size");
	struct swap_value first = { 0 };

	if (!p || !swap_get(&s->f, "address"))
		return;
	/* realloc is one message, an allocation with the old block as its first argument. */
	if (s->m->len >= 25 && swap_u32(s->m->payload + 12) && s->m->payload[16] == 'p')
		first.u = bytes_first_low(s->m->payload + 17);
	switch (swap_num(&s->f, "kind")) {
	case 0:
		if (address || !size)
			swap_block_remove(p, first.u);
		if (address)
			swap_block_add(p, address, size);
		break;
	case 1:
		swap_block_remove(p, address);
		break;
	default:
		return;
	}
	fxt_args_reset(&s->args);
	fxt_args_u64(&s->args, "live_bytes", p->bytes);
	fxt_args_u64(&s->args, "live_blocks", p->blocks.n);
	swap_fxt_counter(s, p, "live memory", 0);
}

static void on_probe(struct swap_fxt *s)
{
	const struct swap_row *probe = s->m->row;
	uint32_t api = swap_num(&s->f, "api_id");
	uint64_t key = (uint64_t)probe->id << 32 | api;
	uint32_t operation = swap_num(&s->f, "operation");
	uint32_t bit = operation < 31 ? 1u << operation : 0;
	char name[SWAP_NAME_BYTES + 1];

	if (s->item->api)
		swap_fxt_make_name(name, s->item->api, strlen(s->item->api));
	else
		snprintf(name, sizeof(name), "api %" PRIu32, api);
	if (bit & probe->starts) {
		s->starting = true;
		swap_fxt_collect(s, NULL);
		s->starting = false;
		swap_fxt_begin(s, probe->category, key, name);
		return;
	}
	if (bit && (bit >> 1 & probe->starts)) {
		swap_fxt_finish(s, probe->category, key, name);
		return;
	}
	swap_fxt_instant(s, probe->category, name);
	if (probe->id == SWAP_PROBE_MEMORY)
		count_memory(s);
}

/* ---- processes ---- */

/* Add a mapping; a damaged message may lack the path. */
static void add_mapping(void *ctx, const struct swap_fields *e)
{
	const struct swap_value *path = swap_get(e, "path");
	struct swap_fxt *s = ctx;

	if (path && !swap_map(swap_fxt_process(s), swap_wide(e, "low"), swap_wide(e, "high"),
			      (const char *)path->p, path->n))
		diag_report(s->diag, &kind_maps, NULL, DIAG_OFFSET, s->m->offset, NULL);
}

static void rename_process(struct swap_fxt *s, struct swap_process *p)
{
	const struct swap_value *name = swap_get(&s->f, "name");

	if (!name)
		return;
	swap_fxt_name_track(s, p, NULL, (const char *)name->p, name->n);
	swap_fxt_name_track(s, p, swap_fxt_get_thread(s, p, p->pid), (const char *)name->p,
			    name->n);
}

static void on_process_info(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const struct swap_value *at = swap_get(&s->f, "start");
	uint64_t start = at ? at->u * SWAP_SECOND + at->n : 0;

	if (!p) {
		put_instant(s);
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
	put_instant(s);
	/* The message lists all current mappings; the executable may be missing. */
	swap_unmap(p, 0, UINT64_MAX);
	add_mapping(s, &s->f);
	swap_each(s->m, "libraries", add_mapping, s);
}

static void on_process_comm(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);

	if (p)
		rename_process(s, p);
	put_instant(s);
}

static void on_map(struct swap_fxt *s)
{
	add_mapping(s, &s->f);
	put_instant(s);
}

static void on_unmap(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);

	if (p && swap_get(&s->f, "high"))
		swap_unmap(p, swap_wide(&s->f, "low"), swap_wide(&s->f, "high"));
	put_instant(s);
}

static const char *const span_names[] = { NULL, "resource load", "resource processing", "draw" };

/* Write the begin or end of the async span of one setup step of a resource. */
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

static void on_terminate(struct swap_fxt *s)
{
	uint32_t pid = swap_num(&s->f, "pid");
	struct swap_process *p = swap_process_find(s->ps, pid);
	struct swap_thread *t = p ? NULL : map64_pointer(&s->ps->by_tid, pid);

	if (!swap_get(&s->f, "pid")) {
		put_instant(s);
	} else if (p) {
		swap_fxt_end_process(s, p, s->time, "the process has ended");
		swap_fxt_collect(s, NULL);
		put_instant(s);
		swap_process_end(s->ps, p);
	} else {
		/* the pid is that of a thread, or of an unknown process */
		if (t)
			swap_fxt_end_unfinished(s, t, s->time, 0, "the thread has ended");
		swap_fxt_collect(s, NULL);
		fxt_args_u64(&s->args, "pid", pid);
		swap_fxt_event(s, FXT_EV_INSTANT, s->time, t, "process", "terminate", 0);
	}
}

static void on_app_stage(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const struct swap_value *begin = swap_get(&s->f, "begin"), *end = swap_get(&s->f, "end");
	struct fxt_event ev = {
		.type = FXT_EV_DURATION_COMPLETE, .category = FXT_STR("setup"),
	};
	char track[64], name[32];

	format_name(s, name, sizeof(name), "", "stage");
	if (end) {
		ev.time = swap_fxt_time(s, begin->u * SWAP_SECOND + begin->n);
		ev.value = swap_fxt_time(s, end->u * SWAP_SECOND + end->n);
	}
	if (!end || begin->n >= SWAP_SECOND || end->n >= SWAP_SECOND || ev.value < ev.time) {
		swap_fxt_instant(s, "setup", name);
		return;
	}
	/*
	 * Stages have their own track, because they can overlap with functions in
	 * any way.  A stage that overlaps another one gets one more track.
	 */
	if (!p->stages || ev.time < p->stages_end) {
		p->stages = s->ps->next_koid++;
		snprintf(track, sizeof(track), "setup stages [%" PRIu32 "]", p->pid);
		fxt_thread_name(s->w, p->koid, p->stages, fxt_cstr(track));
	}
	p->stages_end = ev.value;
	ev.process = p->koid;
	ev.thread = p->stages;
	ev.name = fxt_cstr(name);
	fxt_args_event(&s->args, s->w, &ev);
}

static void on_web_stage(struct swap_fxt *s)
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

/* ---- all messages ---- */

static const struct handler {
	uint16_t id;
	void (*fn)(struct swap_fxt *s);
} handlers[] = {
#define SWAP_MESSAGE(id, name, fn, ...) { id, fn },
#include "format/swap/swap_messages.def"
	{ SWAP_PROBE, on_probe },
};

void swap_fxt_message(struct swap_fxt *s)
{
	const struct handler *h = handlers;

	swap_fxt_collect(s, NULL);
	if (!s->m->row) {
		on_unknown(s);
		return;
	}
	while (h->id != s->m->row->id)
		h++;
	if (h->fn)
		h->fn(s);
	else
		put_instant(s);
}
