// SPDX-License-Identifier: GPL-2.0
/*
 * SWAP as FXT: the sink, and what its parts share: names, events, the fields of
 * a message as arguments, the elements of its lists.  One row per message id
 * says which function writes it; those are in swap_fxt_*.c, by what they are
 * about.
 */
#include "import/swap/swap_fxt.h"
#include "import/swap/swap_fxt_state.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER	1
#define TICKS		1000000000u

/*
 * What waits until the time is known that the trace counts from: setup stages
 * begin before the message that tells of them, and the first messages can be
 * stamped a little out of order, or damaged.
 */
#define WAITING_MAX	32u
#define WAITING_BYTES	(256u << 10)
/* A stage that begins so long before its message has a damaged time. */
#define STAGE_MAX_NS	(3600ull * SWAP_SECOND)

static const struct diag_kind kind_early = {
	"messages stamped before the beginning of the trace, shown at its beginning", DIAG_NOTE
};

static const struct diag_kind kind_forgotten = {
	"processes and threads that were forgotten, because too many live at once: their slices end, names of functions may lack the library",
	DIAG_DAMAGE
};

static const struct diag_kind kind_write = {
	"records that FXT has no room for", DIAG_DAMAGE
};

/* ---- names ---- */

void swap_fxt_make_name(char *buf, const char *s, size_t len)
{
	char *copy = NULL;
	size_t n = len;

	if (!utf8_valid(s, len)) {
		/* Only the beginning is shown, and nothing gets shorter. */
		copy = utf8_replace(s, len < SWAP_NAME_BYTES ? len : SWAP_NAME_BYTES, &n);
		s = copy;
	}
	n = utf8_cut(s, n, SWAP_NAME_BYTES);
	memcpy(buf, s, n);
	buf[n] = 0;
	free(copy);
}

void swap_fxt_location(char *buf, size_t size, const struct swap_process *p, uint64_t addr)
{
	const struct swap_mapping *m = p ? swap_mapping_at(p, addr) : NULL;
	char name[SWAP_NAME_BYTES + 1];

	if (m) {
		swap_fxt_make_name(name, m->name, strlen(m->name));
		name[utf8_cut(name, strlen(name), SWAP_NAME_BYTES - 20)] = 0;
		snprintf(buf, size, "%s+0x%" PRIx64, name, addr - m->base);
	} else {
		snprintf(buf, size, "0x%" PRIx64, addr);
	}
}

/* ---- writing ---- */

void swap_fxt_check(struct swap_fxt *s, int ret)
{
	if (ret == -E2BIG)
		diag_report(s->diag, &kind_write, NULL, DIAG_OFFSET, s->m->offset, NULL);
}

static void begin_trace(struct swap_fxt *s)
{
	s->w = fxt_writer_new(s->out);
	fxt_magic(s->w);
	fxt_provider_info(s->w, PROVIDER, FXT_STR("swap"));
	fxt_init(s->w, TICKS);
	/* One consumer loses the names of threads unless this is the first. */
	fxt_pin(s->w, FXT_STR("process"));
	s->ps = swap_processes_new();
	s->system_process = swap_koid(s->ps);
	s->system_thread = swap_koid(s->ps);
	fxt_process_name(s->w, s->system_process, FXT_STR("system"));
	fxt_thread_name(s->w, s->system_process, s->system_thread, FXT_STR("system"));
}

void swap_fxt_name_process(struct swap_fxt *s, const struct swap_process *p, const char *text,
			   size_t len)
{
	char name[SWAP_NAME_BYTES + 1], full[SWAP_NAME_BYTES + 32];

	swap_fxt_make_name(name, text, len);
	snprintf(full, sizeof(full), "%s [%" PRIu32 "]", name, p->pid);
	swap_fxt_check(s, fxt_process_name(s->w, p->koid, swap_cstr(full)));
}

void swap_fxt_name_thread(struct swap_fxt *s, const struct swap_thread *t, const char *text,
			  size_t len)
{
	char name[SWAP_NAME_BYTES + 1], full[SWAP_NAME_BYTES + 32];

	swap_fxt_make_name(name, text, len);
	snprintf(full, sizeof(full), "%s [%" PRIu32 "]", name, t->tid);
	swap_fxt_check(s, fxt_thread_name(s->w, t->process->koid, t->koid, swap_cstr(full)));
}

struct swap_process *swap_fxt_add_process(struct swap_fxt *s, uint32_t pid)
{
	struct swap_process *p = swap_process_add(s->ps, pid);

	swap_fxt_name_process(s, p, "process", 7);
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
	swap_fxt_name_thread(s, t, tid == p->pid ? "main" : "thread", tid == p->pid ? 4 : 6);
	return t;
}

/* The process of the message, NULL when it names none. */
struct swap_process *swap_fxt_process(struct swap_fxt *s)
{
	return s->f.has[SWAP_F_PID] ? swap_fxt_get_process(s, swap_num(&s->f, SWAP_F_PID)) : NULL;
}

/* The thread of the message: of its tid, or the main thread of its pid. */
struct swap_thread *swap_fxt_thread(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	enum swap_field_id id = s->f.has[SWAP_F_TID] ? SWAP_F_TID : SWAP_F_PID;

	return p ? swap_fxt_get_thread(s, p, swap_num(&s->f, id)) : NULL;
}

void swap_fxt_event(struct swap_fxt *s, enum fxt_event_type type, uint64_t time,
		    const struct swap_thread *t, const char *category, const char *name,
		    uint64_t value)
{
	struct fxt_event ev = {
		.type = type,
		.time = time,
		.process = t ? t->process->koid : s->system_process,
		.thread = t ? t->koid : s->system_thread,
		.category = swap_cstr(category),
		.name = swap_cstr(name),
		.value = value,
	};

	/* A consumer takes every instant with this word for a frame marker. */
	if (type == FXT_EV_INSTANT && strstr(name, "frame")) {
		swap_args_own(&s->args, "event", name);
		ev.name = swap_cstr(category);
	}
	swap_fxt_check(s, swap_args_event(&s->args, s->w, &ev));
}

/* An instant with the message's fields on the message's thread. */
void swap_fxt_instant(struct swap_fxt *s, const char *category, const char *name)
{
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, swap_fxt_thread(s), category, name, 0);
}

/* ---- fields as arguments ---- */

static void append(struct swap_fxt *s, const char *p, size_t n)
{
	s->text = xgrow(s->text, &s->text_cap, s->text_len + n, 1);
	memcpy(s->text + s->text_len, p, n);
	s->text_len += n;
}

static void append_printf(struct swap_fxt *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void append_printf(struct swap_fxt *s, const char *fmt, ...)
{
	char buf[400];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	append(s, buf, (size_t)n);
}

static void append_array(struct swap_fxt *s, const struct swap_value *v)
{
	append_printf(s, "[");
	for (uint32_t i = 0; i < v->n; i++) {
		const char *comma = i ? ", " : "";

		if (v->item == 'D')
			append_printf(s, "%s%" PRId32, comma,
				      (int32_t)swap_u32(v->p + 4ull * i));
		else if (v->item == 'F')
			append_printf(s, "%s%.9g", comma, (double)swap_f32(v->p + 4ull * i));
		else
			append_printf(s, "%s%.17g", comma, swap_f64(v->p + 8ull * i));
	}
	append_printf(s, "]@0x%" PRIx64, v->u);
}

/* One argument of a call as a person would write it. */
static void append_value(struct swap_fxt *s, const struct swap_value *v)
{
	switch (v->kind) {
	case SWAP_V_UINT:
		append_printf(s, "%" PRIu64, v->u);
		break;
	case SWAP_V_INT:
		append_printf(s, "%" PRId64, v->i);
		break;
	case SWAP_V_ADDR:
		append_printf(s, "0x%" PRIx64, v->u);
		break;
	case SWAP_V_FLOAT:
		append_printf(s, "%.*g", v->item == 'f' ? 9 : 17, v->d);
		break;
	case SWAP_V_BOOL:
		append_printf(s, v->u ? "true" : "false");
		break;
	case SWAP_V_CHAR:
		if (v->u >= 0x20 && v->u < 0x7f)
			append_printf(s, "'%c'", (int)v->u);
		else
			append_printf(s, "'\\x%02x'", (unsigned int)v->u);
		break;
	case SWAP_V_STR:
		append(s, "\"", 1);
		append(s, (const char *)v->p, v->n);
		append(s, "\"", 1);
		break;
	case SWAP_V_ARRAY:
		append_array(s, v);
		break;
	default:
		append_printf(s, "%c", v->item);
		break;
	}
}

static void add_value(struct swap_fxt *s, const char *name, const struct swap_field *f,
		      const struct swap_value *v)
{
	const char *text = swap_value_name(f->names, v->u);
	char buf[32];

	if (text) {
		swap_args_cstr(&s->args, name, text);
		return;
	}
	switch (v->kind) {
	case SWAP_V_UINT:
	case SWAP_V_BOOL:
	case SWAP_V_CHAR:
		swap_args_u64(&s->args, name, v->u);
		break;
	case SWAP_V_INT:
		swap_args_i64(&s->args, name, v->i);
		break;
	case SWAP_V_ADDR:
		swap_args_pointer(&s->args, name, v->u);
		break;
	case SWAP_V_FLOAT:
		swap_args_f64(&s->args, name, v->d);
		break;
	case SWAP_V_STR:
		swap_args_text(&s->args, name, (const char *)v->p, v->n);
		break;
	case SWAP_V_BYTES:
		swap_args_hex(&s->args, name, v->p, v->n);
		break;
	case SWAP_V_TIME:
		snprintf(buf, sizeof(buf), "%" PRIu64 ".%09" PRIu32, v->u, v->n);
		swap_args_own(&s->args, name, buf);
		break;
	case SWAP_V_IP4:
		snprintf(buf, sizeof(buf), "%u.%u.%u.%u", v->p[0], v->p[1], v->p[2], v->p[3]);
		swap_args_own(&s->args, name, buf);
		break;
	case SWAP_V_ARRAY:
		s->text_len = 0;
		append_array(s, v);
		swap_args_own_text(&s->args, name, s->text, s->text_len);
		break;
	default:	/* void */
		break;
	}
}

/* What the event says by itself. */
static bool said_elsewhere(const struct swap_fxt *s, const struct swap_field *f,
			   const struct swap_value *v)
{
	switch (f->id) {
	case SWAP_F_RETURN:
	case SWAP_F_ERRNO:
		return s->starting;
	case SWAP_F_PID:
	case SWAP_F_TID:
		return true;
	case SWAP_F_RESERVED1:
	case SWAP_F_RESERVED2:
		return !v->u;
	default:
		return false;
	}
}

static const char *arg_name(struct swap_fxt *s, enum swap_field_id id)
{
	const char *name = swap_field_name(id);

	if (!s->prefix || id == SWAP_F_RETURN || id == SWAP_F_ERRNO)
		return name;
	return swap_args_name(&s->args, "%s%s", s->prefix, name);
}

static void on_value(void *ctx, const struct swap_field *f, const struct swap_value *v)
{
	struct swap_fxt *s = ctx;

	if (s->in_args) {
		if (s->text_len)
			append(s, ", ", 2);
		append_value(s, v);
		return;
	}
	if (s->depth)
		return;
	s->f.has[f->id] = true;
	s->f.v[f->id] = *v;
	if (!said_elsewhere(s, f, v))
		add_value(s, arg_name(s, f->id), f, v);
}

static void on_open(void *ctx, const struct swap_field *f, uint32_t count)
{
	struct swap_fxt *s = ctx;

	(void)count;
	s->depth++;
	s->in_args = f->type == SWAP_T_ARGS;
	s->text_len = 0;
}

static void on_close(void *ctx, const struct swap_field *f)
{
	struct swap_fxt *s = ctx;

	s->depth--;
	if (s->in_args)
		swap_args_own_text(&s->args, arg_name(s, f->id), s->text, s->text_len);
	s->in_args = false;
}

static const struct swap_visitor collector = {
	.value = on_value,
	.open = on_open,
	.close = on_close,
};

/*
 * Collect the fields of the message, and make arguments of them whose names
 * begin with @prefix.
 */
void swap_fxt_collect(struct swap_fxt *s, const char *prefix)
{
	const struct swap_message *m = s->m;

	swap_args_reset(&s->args);
	memset(s->f.has, 0, sizeof(s->f.has));
	s->prefix = prefix;
	if (!m->layout)
		return;
	swap_walk(m->layout, m->payload, m->len, &m->counts, &collector, s);
	if (!m->row->slack && m->end.used < m->len)
		swap_args_hex(&s->args, "more", m->payload + m->end.used, m->len - m->end.used);
	if (m->damage)
		swap_args_cstr(&s->args, "damaged", "this message was damaged");
}

/* ---- lists: one call for each element ---- */

static void end_element(struct swap_fxt *s)
{
	if (s->element_begun)
		s->element(s, &s->e);
	s->element_begun = false;
}

static void element_value(void *ctx, const struct swap_field *f, const struct swap_value *v)
{
	struct swap_fxt *s = ctx;

	if (s->depth == 1) {
		s->e.has[f->id] = true;
		s->e.v[f->id] = *v;
	} else if (!s->depth && f->id == SWAP_F_PID) {
		s->outer_pid = (uint32_t)v->u;
	}
}

static void element_open(void *ctx, const struct swap_field *f, uint32_t count)
{
	struct swap_fxt *s = ctx;

	(void)count;
	if (f->id == s->list || s->depth)
		s->depth++;
}

static void element_next(void *ctx, const struct swap_field *f)
{
	struct swap_fxt *s = ctx;

	if (f->id != s->list)
		return;
	end_element(s);
	memset(s->e.has, 0, sizeof(s->e.has));
	s->element_begun = true;
}

static void element_close(void *ctx, const struct swap_field *f)
{
	struct swap_fxt *s = ctx;

	if (f->id == s->list)
		end_element(s);
	if (s->depth)
		s->depth--;
}

static const struct swap_visitor elements = {
	.value = element_value,
	.open = element_open,
	.next = element_next,
	.close = element_close,
};

/* Call @fn for each element of a list of the message. */
void swap_fxt_each(struct swap_fxt *s, enum swap_field_id list,
		   void (*fn)(struct swap_fxt *s, const struct swap_fields *e))
{
	s->element = fn;
	s->list = list;
	s->depth = 0;
	s->element_begun = false;
	swap_walk(s->m->layout, s->m->payload, s->m->len, &s->m->counts, &elements, s);
	s->depth = 0;
}

/* ---- messages: the others ---- */

static void put_event_record(struct swap_fxt *s, const struct swap_fields *e)
{
	static const enum swap_field_id ids[] = {
		SWAP_F_EVENT_ID, SWAP_F_EVENT_TYPE, SWAP_F_EVENT_CODE, SWAP_F_EVENT_VALUE,
	};

	swap_args_reset(&s->args);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (e->has[ids[i]])
			swap_args_u64(&s->args, swap_field_name(ids[i]), e->v[ids[i]].u);
	swap_fxt_instant(s, "input", "input event");
}

static void on_record(struct swap_fxt *s)
{
	swap_fxt_instant(s, "input", "recorded events");
	swap_fxt_each(s, SWAP_F_EVENTS, put_event_record);
}

static void on_error(struct swap_fxt *s)
{
	swap_fxt_instant(s, "error", "error");
}

static void on_fbi(struct swap_fxt *s)
{
	swap_fxt_instant(s, "fbi", "variable");
}

static void on_ui_hierarchy(struct swap_fxt *s)
{
	swap_fxt_instant(s, "ui", "ui hierarchy");
}

static void on_lsan(struct swap_fxt *s)
{
	swap_fxt_instant(s, "lsan", "lsan");
}

static void on_unknown(struct swap_fxt *s)
{
	const struct swap_message *m = s->m;

	swap_args_reset(&s->args);
	swap_args_u64(&s->args, "id", m->header.id);
	swap_args_hex(&s->args, "payload", m->payload, m->len);
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, NULL, "unknown", "unknown message", 0);
}

static void on_lost(struct swap_fxt *s)
{
	swap_args_reset(&s->args);
	swap_args_u64(&s->args, "count", s->item->lost);
	swap_args_u64(&s->args, "first", s->item->first);
	fxt_provider_event(s->w, PROVIDER, FXT_PROVIDER_EVENT_BUFFER_FULL);
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, NULL, "lost", "lost", 0);
}

/* One row per message id. */
static const struct handler {
	uint16_t id;
	void (*fn)(struct swap_fxt *s);
} handlers[] = {
	{ SWAP_PROCESS_INFO, swap_fxt_on_process_info },
	{ SWAP_TERMINATE, swap_fxt_on_terminate },
	{ SWAP_ERROR, on_error },
	{ SWAP_SAMPLE, swap_fxt_on_sample },
	{ SWAP_SYSTEM, swap_fxt_on_system },
	{ SWAP_RECORD, on_record },
	{ SWAP_FUNCTION_ENTRY, swap_fxt_on_function_entry },
	{ SWAP_FUNCTION_EXIT, swap_fxt_on_function_exit },
	{ SWAP_SYSCALL_ENTRY, swap_fxt_on_syscall_entry },
	{ SWAP_SYSCALL_EXIT, swap_fxt_on_syscall_exit },
	{ SWAP_FILE_FUNCTION_ENTRY, swap_fxt_on_file_entry },
	{ SWAP_FILE_FUNCTION_EXIT, swap_fxt_on_file_exit },
	{ SWAP_PROCESS_STATUS_INFO, swap_fxt_on_status_info },
	{ SWAP_CONTEXT_SWITCH_ENTRY, swap_fxt_on_switch },
	{ SWAP_CONTEXT_SWITCH_EXIT, swap_fxt_on_switch },
	{ SWAP_PROCESS_MAP, swap_fxt_on_map },
	{ SWAP_PROCESS_UNMAP, swap_fxt_on_unmap },
	{ SWAP_PROCESS_COMM, swap_fxt_on_process_comm },
	{ SWAP_WEB_SAMPLING, swap_fxt_on_web_sampling },
	{ SWAP_WEB_FUNCTION_EXIT, swap_fxt_on_web_exit },
	{ SWAP_APP_SETUP_STAGE, swap_fxt_on_app_stage },
	{ SWAP_WEB_APP_SETUP_STAGE, swap_fxt_on_web_stage },
	{ SWAP_FBI, on_fbi },
	{ SWAP_UI_HIERARCHY, on_ui_hierarchy },
	{ SWAP_LSAN, on_lsan },
	{ SWAP_PROBE, swap_fxt_on_probe },
	{ SWAP_PROBE_MEMORY, swap_fxt_on_probe },
	{ SWAP_PROBE_UICONTROL, swap_fxt_on_probe },
	{ SWAP_PROBE_UIEVENT, swap_fxt_on_probe },
	{ SWAP_PROBE_FILE, swap_fxt_on_probe },
	{ SWAP_PROBE_LIFECYCLE, swap_fxt_on_probe },
	{ SWAP_PROBE_SCREENSHOT, swap_fxt_on_probe },
	{ SWAP_PROBE_SCENE, swap_fxt_on_probe },
	{ SWAP_PROBE_THREAD, swap_fxt_on_probe },
	{ SWAP_PROBE_CUSTOM, swap_fxt_on_probe },
	{ SWAP_PROBE_SYNC, swap_fxt_on_probe },
	{ SWAP_PROBE_NETWORK, swap_fxt_on_probe },
	{ SWAP_PROBE_GL, swap_fxt_on_probe },
};

/*
 * Who was not heard of for the longest time is forgotten when there are too many.
 * Between messages only, because what is open ends.
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
	void (*fn)(struct swap_fxt *s) = on_unknown;
	const struct swap_row *row;

	s->item = item;
	s->m = item->message;
	if (swap_time(s->m) < s->zero)
		diag_report(s->diag, &kind_early, NULL, DIAG_OFFSET, s->m->offset, NULL);
	s->time = swap_fxt_time(s, swap_time(s->m));
	if (s->time > s->last_time)
		s->last_time = s->time;
	make_room(s);
	if (s->item->kind == SWAP_ITEM_LOST) {
		fn = on_lost;
	} else {
		row = s->m->row;
		for (size_t i = 0; row && i < sizeof(handlers) / sizeof(handlers[0]); i++)
			if (handlers[i].id == row->id)
				fn = handlers[i].fn;
		swap_fxt_collect(s, NULL);
	}
	fn(s);
	return out_error(s->out);
}

/* ---- the beginning ---- */

struct swap_waiting {
	struct swap_item item;
	struct swap_message message;
	char *api;
	uint8_t payload[];
};

static void wait_for_zero(struct swap_fxt *s, const struct swap_item *item)
{
	const struct swap_message *m = item->message;
	struct swap_waiting *w = xmalloc(sizeof(*w) + m->len);

	w->message = *m;
	if (m->len)
		memcpy(w->payload, m->payload, m->len);
	w->message.payload = w->payload;
	w->item = *item;
	w->item.message = &w->message;
	w->api = item->api ? xstrdup(item->api) : NULL;
	w->item.api = w->api;
	s->waiting = xgrow(s->waiting, &s->waiting_cap, s->nwaiting + 1, sizeof(*s->waiting));
	s->waiting[s->nwaiting++] = w;
	s->waiting_bytes += m->len;
}

/* The earliest time that a message tells. */
static uint64_t earliest(struct swap_fxt *s, const struct swap_message *m)
{
	const struct swap_value *begin = &s->f.v[SWAP_F_BEGIN];
	uint64_t time = swap_time(m), at;

	if (m->header.id != SWAP_APP_SETUP_STAGE)
		return time;
	s->m = m;
	swap_fxt_collect(s, NULL);
	at = begin->u * SWAP_SECOND + begin->n;
	if (s->f.has[SWAP_F_BEGIN] && begin->n < SWAP_SECOND && at < time &&
	    time - at <= STAGE_MAX_NS)
		return at;
	return time;
}

/* Write what waits: the earliest time of it is that of the beginning. */
static int begin(struct swap_fxt *s)
{
	char text[40];
	int err = 0;

	s->begun = true;
	begin_trace(s);
	for (size_t i = 0; i < s->nwaiting; i++) {
		uint64_t time = earliest(s, &s->waiting[i]->message);

		if (!i || time < s->zero)
			s->zero = time;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, s->zero / SWAP_SECOND,
		 s->zero % SWAP_SECOND);
	swap_args_reset(&s->args);
	swap_args_u64(&s->args, "wall_clock_ns", s->zero);
	swap_args_cstr(&s->args, "wall_clock", text);
	swap_fxt_event(s, FXT_EV_INSTANT, 0, NULL, "metadata", "clock", 0);
	for (size_t i = 0; i < s->nwaiting && !err; i++)
		err = write_item(s, &s->waiting[i]->item);
	return err;
}

static int swap_fxt_item(struct sink *base, const void *data)
{
	struct swap_fxt *s = (struct swap_fxt *)base;

	if (s->begun)
		return write_item(s, data);
	wait_for_zero(s, data);
	return s->nwaiting == WAITING_MAX || s->waiting_bytes > WAITING_BYTES ? begin(s) : 0;
}

/* What is still open ends with the trace. */
static int swap_fxt_end(struct sink *base)
{
	struct swap_fxt *s = (struct swap_fxt *)base;
	struct swap_process *p = NULL;
	struct map64_slot *leaving;
	size_t n;

	if (!s->begun)
		begin(s);
	s->m = &(struct swap_message){ 0 };
	while ((p = swap_process_next(s->ps, p)))
		swap_fxt_end_process(s, p, s->last_time, "the trace has ended");
	n = s->leaving.n;
	leaving = map64_sorted(&s->leaving, map64_by_key);
	for (size_t i = 0; i < n; i++)
		swap_fxt_flush_leaving(s, (uint32_t)leaving[i].key);
	free(leaving);
	return out_flush(s->out);
}

static void swap_fxt_free(struct sink *base)
{
	struct swap_fxt *s = (struct swap_fxt *)base;
	struct map64_slot *e;

	for (size_t i = 0; i < s->nwaiting; i++) {
		free(s->waiting[i]->api);
		free(s->waiting[i]);
	}
	free(s->waiting);
	for (size_t i = 0; (e = map64_each(&s->leaving, &i));)
		free((void *)(uintptr_t)e->value);
	map64_clear(&s->leaving);
	swap_processes_free(s->ps);
	swap_args_free(&s->args);
	fxt_writer_free(s->w);
	free(s->text);
	free(s);
}

static const struct sink_ops swap_fxt_ops = {
	.item = swap_fxt_item,
	.end = swap_fxt_end,
	.free = swap_fxt_free,
};

struct sink *swap_fxt_open(const struct sink_args *args)
{
	struct swap_fxt *s = xcalloc(1, sizeof(*s));

	s->base.ops = &swap_fxt_ops;
	s->out = args->out;
	s->diag = args->diag;
	return &s->base;
}
