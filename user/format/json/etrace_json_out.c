// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink of the etrace model: writes JSON, one object in a line for each event.  Names are
 * those of the FXT mapping, Documentation/fxt-mapping.md; for strings that are not UTF-8,
 * a second member "<name>_hex" has the bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/errname.h"
#include "base/signame.h"
#include "event/pid_bits.h"
#include "format/json/etrace_json_out.h"
#include "event/event.h"
#include "io/json_out.h"
#include "base/utf8.h"
#include "base/xalloc.h"

/* Prepared JSON text: the beginning of an event, or a comma and a key. */
#define READY_MAX 64u
#define READY_COPY 32u	/* copied in one go: most are no longer */
struct ready {
	char s[READY_MAX];
	size_t n;
};

/* Bytes for a number with its key. */
#define NUMBER_ROOM (READY_MAX + DECIMAL_ROOM)

/* JSON text of an event's task and processor: most often as in the event before. */
struct task_text {
	uint64_t upid;
	uint32_t cpu;
	size_t n;	/* length of @s; 0 if not set */
	char s[3 * NUMBER_ROOM];
};

struct json_sink {
	struct sink sink;
	struct json json;
	struct ready begin[ET_K_COUNT];		/* such as {"event":"open","time_ns": */
	struct ready value[ET_K_COUNT][ET_MAX_VALUES];
	struct ready string[ET_K_COUNT][ET_MAX_STRINGS];
	uint16_t signals[ET_K_COUNT];	/* bit i: value i is a signal number */
	struct task_text task;
	uint64_t tenths;	/* latest time in 0.1 s: in ns without its last 8 digits */
	char tenths_text[DECIMAL_ROOM];
	size_t tenths_len;
	unsigned int pid_bits;
};

static inline char *put_ready(char *to, const struct ready *r)
{
	memcpy(to, r->s, READY_COPY);
	if (r->n > READY_COPY)
		memcpy(to + READY_COPY, r->s + READY_COPY, READY_MAX - READY_COPY);
	return to + r->n;
}

static inline char *put_number(char *to, const char *key, uint64_t v)
{
	size_t n = strlen(key);

	bytes_copy(to, key, n);
	return to + n + decimal(to + n, v);
}

static void make_task(struct json_sink *js, const struct et_event *ev)
{
	struct task_text *t = &js->task;
	char *to = t->s;

	t->upid = ev->upid;
	t->cpu = ev->cpu;
	to = put_number(to, ",\"cpu\":", ev->cpu);
	to = put_number(to, ",\"upid\":", ev->upid);
	to = put_number(to, ",\"pid\":", et_pid(ev->upid, js->pid_bits));
	t->n = (size_t)(to - t->s);
}

static inline char *put_task(struct json_sink *js, const struct et_event *ev, char *to)
{
	const struct task_text *t = &js->task;

	if (ev->upid != t->upid || ev->cpu != t->cpu || !t->n)
		make_task(js, ev);
	bytes_copy(to, t->s, t->n);
	return to + t->n;
}

/* Writes a signal's name. Return: the end of it, NULL if it has no name. */
static char *put_signal(char *to, int64_t v)
{
	if (v <= 0 || v > INT32_MAX || !signal_abbrev((int)v))
		return NULL;
	*to++ = '"';
	signal_name((int)v, to, NUMBER_ROOM - READY_MAX);
	to += strlen(to);
	*to++ = '"';
	return to;
}

static inline char *put_value(const struct json_sink *js, const struct et_event *ev,
			      unsigned int i, char *to)
{
	int64_t v = ev->val[i];

	if (js->signals[ev->kind] >> i & 1) {
		char *end = put_signal(to, v);

		if (end)
			return end;
	}
	if (v < 0 && !(ev->big >> i & 1)) {
		*to++ = '-';
		v = (int64_t)-(uint64_t)v;
	}
	return to + decimal(to, (uint64_t)v);
}

/* Writes a time: all but its last 8 digits are most often those of the event before. */
static inline char *put_time(struct json_sink *js, uint64_t time, char *to)
{
	uint64_t tenths = time / 100000000u;

	if (!tenths)
		return to + decimal(to, time);
	if (tenths != js->tenths) {
		js->tenths = tenths;
		js->tenths_len = decimal(js->tenths_text, tenths);
	}
	memcpy(to, js->tenths_text, DECIMAL_ROOM);
	to += js->tenths_len;
	decimal_store(to, decimal_8((uint32_t)(time - tenths * 100000000u)) + DECIMAL_ZEROS);
	return to + 8;
}

/* Writes all numbers of an event, with one reservation of space. */
static inline void put_numbers(struct json_sink *js, const struct et_event *ev)
{
	const struct ready *keys = js->value[ev->kind];
	struct json *j = &js->json;
	char *to = json_room(j, (ET_MAX_VALUES + 1) * NUMBER_ROOM + sizeof(js->task.s));

	to = put_ready(to, &js->begin[ev->kind]);
	to = put_time(js, ev->time, to);
	to = put_task(js, ev, to);
	for (unsigned int left = ev->given; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		to = put_value(js, ev, i, put_ready(to, &keys[i]));
	}
	json_put(j, to, true);
}

/* Writes a list of strings, and a list of their bytes if one of them is not UTF-8. */
static void put_list(struct json *j, const char *name, const char *hex_name,
		     const struct et_event *ev, const struct et_string *s, uint32_t n)
{
	bool text = true;

	json_key(j, name);
	json_begin(j, '[');
	for (uint32_t i = 0; i < n; i++)
		text &= json_str(j, et_text(ev, &s[i]), s[i].len);
	json_end(j, ']');
	if (text)
		return;
	json_key(j, hex_name);
	json_begin(j, '[');
	for (uint32_t i = 0; i < n; i++)
		json_hex(j, et_text(ev, &s[i]), s[i].len);
	json_end(j, ']');
}

/* Writes what is outside the schema: fields "name=value" of lines, or lines. */
static void put_extras(struct json *j, const struct et_event *ev, bool field,
		       const char *name, const char *hex_name)
{
	struct et_string *list = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < ev->nextras; i++) {
		struct et_string s = { ev->extras[i].off, ev->extras[i].len };

		if (ev->extras[i].field != field)
			continue;
		for (;;) {
			const char *text = et_text(ev, &s);
			const char *comma = field ? memchr(text, ',', s.len) : NULL;
			uint32_t len = comma ? (uint32_t)(comma - text) : s.len;

			list = xgrow(list, &cap, n + 1, sizeof(*list));
			list[n++] = (struct et_string){ s.off, len };
			if (!comma)
				break;
			s.off += len + 1;
			s.len -= len + 1;
		}
	}
	if (n)
		put_list(j, name, hex_name, ev, list, (uint32_t)n);
	free(list);
}

/* Writes which strings are not the names that the kernel resolved: "cut":["path"]. */
static void put_marks(struct json *j, const struct et_event *ev)
{
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		if (!ev->marks[m])
			continue;
		json_key(j, et_marking_names[m]);
		json_begin(j, '[');
		for (unsigned int i = 0; i < 8; i++)
			if (ev->marks[m] >> i & 1 && et_marked(ev->kind, i))
				json_cstr(j, et_marked(ev->kind, i));
		json_end(j, ']');
	}
}

static void put_error(struct json *j, const struct et_event *ev)
{
	if (ev->error) {
		const char *name = error_name(ev->error);

		json_key(j, "error");
		if (name)
			json_cstr(j, name);
		else
			json_i64(j, ev->error);
	}
	if (ev->flags & ET_F_FAILED) {
		json_key(j, "failed");
		json_bool(j, true);
	}
}

static void put_findings(struct json *j, const struct et_event *ev)
{
	char text[160];

	if (!ev->nfindings)
		return;
	json_key(j, "incomplete");
	json_begin(j, '[');
	for (unsigned int i = 0; i < ev->nfindings && i < ET_MAX_FINDINGS; i++) {
		et_finding_text(&ev->findings[i], text, sizeof(text));
		json_cstr(j, text);
	}
	json_end(j, ']');
}

/* Writes times and processors of the later records of an event. */
static void put_later(struct json *j, const struct et_event *ev)
{
	bool begun = false;

	for (uint32_t i = 0; i < ev->nlater; i++) {
		const struct et_mark *m = &ev->later[i];

		if (m->what != ET_M_STAMP)
			continue;
		if (!begun) {
			json_key(j, "later_records");
			json_begin(j, '[');
			begun = true;
		}
		json_begin(j, '{');
		json_key(j, "time_ns");
		json_u64(j, m->time);
		json_key(j, "cpu");
		json_u64(j, m->cpu);
		json_end(j, '}');
	}
	if (begun)
		json_end(j, ']');
}

static void put_event(struct json_sink *js, const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	struct json *j = &js->json;

	put_numbers(js, ev);
	for (unsigned int i = 0; i < kind->nstrings; i++)
		if (et_has_string(ev, i)) {
			json_put(j, put_ready(out_reserve(j->out, READY_MAX),
					      &js->string[ev->kind][i]), false);
			json_text_value(j, kind->strings[i].name, et_text(ev, &ev->str[i]),
					ev->str[i].len);
		}
	if (et_has_string(ev, ET_ARGS))
		put_list(j, "argv", "argv_hex", ev, ev->args, ev->nargs);
	if (ev->nextras)
		put_extras(j, ev, true, "unknown_fields", "unknown_fields_hex");
	put_error(j, ev);
	if (et_any_marks(ev))
		put_marks(j, ev);
	/* lines outside the format, unchanged */
	if (ev->nextras)
		put_extras(j, ev, false, "other", "other_hex");
	put_findings(j, ev);
	put_later(j, ev);
}

static void put_lost(struct json_sink *js, const struct et_event *ev)
{
	struct json *j = &js->json;

	json_begin(j, '{');
	json_member(j, "event", et_kinds[ev->kind].name);
	json_key(j, "time_ns");
	json_u64(j, ev->time);
	json_key(j, "cpu");
	json_u64(j, ev->cpu);
	json_key(j, "count");
	if (et_has(ev, ET_V_LOST_count))
		json_i64(j, ev->val[ET_V_LOST_count]);
	else
		json_null(j);
}

static int json_sink_item(struct sink *s, const void *item)
{
	struct json_sink *js = (struct json_sink *)s;
	const struct et_event *ev = item;
	struct json *j = &js->json;

	if (ev->kind == ET_K_LOST)
		put_lost(js, ev);
	else
		put_event(js, ev);
	json_end(j, '}');
	json_line(j);
	return out_error(j->out);
}

static int json_sink_end(struct sink *s)
{
	return out_flush(((struct json_sink *)s)->json.out);
}

static void json_sink_free(struct sink *s)
{
	free(s);
}

static void make_key(struct ready *r, const char *name)
{
	r->n = (size_t)snprintf(r->s, sizeof(r->s), ",\"%s\":", name);
}

static void make_ready(struct json_sink *js)
{
	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		const struct et_kind_row *kind = &et_kinds[k];
		struct ready *r = &js->begin[k];

		r->n = (size_t)snprintf(r->s, sizeof(r->s), "{\"event\":\"%s\",\"time_ns\":",
					kind->name);
		for (unsigned int i = 0; i < kind->nvalues; i++) {
			make_key(&js->value[k][i], kind->values[i].name);
			if (kind->values[i].means == ET_MEANS_SIGNAL)
				js->signals[k] |= (uint16_t)(1u << i);
		}
		for (unsigned int i = 0; i < kind->nstrings; i++)
			make_key(&js->string[k][i], kind->strings[i].name);
	}
}

struct sink *etrace_json_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { json_sink_item, json_sink_end, json_sink_free };
	struct json_sink *js;
	unsigned int bits;

	if (!pid_bits_of(args->opts, args->diag, &bits))
		return NULL;
	js = xcalloc(1, sizeof(*js));
	js->sink.ops = &ops;
	js->json.out = args->out;
	js->pid_bits = bits;
	make_ready(js);
	return &js->sink;
}
