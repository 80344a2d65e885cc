// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink of the etrace model: JSON, one object in a line for each event.  Names
 * are those of the FXT mapping, Documentation/fxt-mapping.md; strings that are
 * not UTF-8 have their bytes in "<name>_hex" beside them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/errname.h"
#include "base/signame.h"
#include "build/etrace_formats.h"
#include "build/event.h"
#include "io/json_out.h"
#include "base/utf8.h"
#include "base/xalloc.h"

/* A key as it is written, or what begins an event. */
struct ready {
	char s[64];
	size_t n;
};

struct json_sink {
	struct sink sink;
	struct json json;
	struct ready begin[ET_K_COUNT];		/* {"event":"open","time_ns": */
	struct ready value[ET_K_COUNT][ET_MAX_VALUES];
	struct ready string[ET_K_COUNT][ET_MAX_STRINGS];
	unsigned int pid_bits;
};

/* A signal by its name, where it has one. */
static bool put_signal(struct json *j, int64_t v)
{
	char name[32];

	if (v <= 0 || v > INT32_MAX || !signal_abbrev((int)v))
		return false;
	signal_name((int)v, name, sizeof(name));
	json_cstr(j, name);
	return true;
}

static void put_values(struct json_sink *js, const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	struct json *j = &js->json;

	for (unsigned int i = 0; i < kind->nvalues; i++) {
		int64_t v = ev->val[i];

		if (!et_has(ev, i))
			continue;
		json_ready(j, js->value[ev->kind][i].s, js->value[ev->kind][i].n, false);
		if (kind->values[i].means == ET_MEANS_SIGNAL && put_signal(j, v))
			continue;
		if (ev->big >> i & 1)
			json_u64(j, (uint64_t)v);
		else
			json_i64(j, v);
	}
}

/* A list of strings, and their bytes as another where one of them is not UTF-8. */
static void put_list(struct json *j, const char *name, const char *hex_name,
		     const struct et_event *ev, const struct et_string *s, uint32_t n)
{
	bool text = true;

	json_key(j, name);
	json_begin(j, '[');
	for (uint32_t i = 0; i < n; i++) {
		text = text && utf8_valid(et_text(ev, &s[i]), s[i].len);
		json_str(j, et_text(ev, &s[i]), s[i].len);
	}
	json_end(j, ']');
	if (text)
		return;
	json_key(j, hex_name);
	json_begin(j, '[');
	for (uint32_t i = 0; i < n; i++)
		json_hex(j, et_text(ev, &s[i]), s[i].len);
	json_end(j, ']');
}

/* What is outside the schema: "name=value" of lines, or lines. */
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

/* Which strings are not the names that the kernel resolved: "cut":["path"]. */
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

/* When and where the later records of an event were made. */
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

	put_values(js, ev);
	for (unsigned int i = 0; i < kind->nstrings; i++)
		if (et_has_string(ev, i)) {
			const struct ready *key = &js->string[ev->kind][i];

			json_ready(j, key->s, key->n, false);
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
	/* lines outside the format, as they are */
	if (ev->nextras)
		put_extras(j, ev, false, "other", "other_hex");
	put_findings(j, ev);
	put_later(j, ev);
}

static int json_sink_item(struct sink *s, const void *item)
{
	struct json_sink *js = (struct json_sink *)s;
	const struct et_event *ev = item;
	struct json *j = &js->json;

	json_ready(j, js->begin[ev->kind].s, js->begin[ev->kind].n, false);
	json_u64(j, ev->time);
	JSON_READY_KEY(j, "cpu");
	json_u64(j, ev->cpu);
	if (ev->kind == ET_K_LOST) {
		json_key(j, "count");
		if (et_has(ev, ET_V_LOST_count))
			json_i64(j, ev->val[ET_V_LOST_count]);
		else
			json_null(j);
	} else {
		JSON_READY_KEY(j, "upid");
		json_u64(j, ev->upid);
		JSON_READY_KEY(j, "pid");
		json_u64(j, et_pid(ev->upid, js->pid_bits));
		put_event(js, ev);
	}
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
	r->n = (size_t)snprintf(r->s, sizeof(r->s), "\"%s\":", name);
}

static void make_ready(struct json_sink *js)
{
	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		const struct et_kind_row *kind = &et_kinds[k];
		struct ready *r = &js->begin[k];

		r->n = (size_t)snprintf(r->s, sizeof(r->s), "{\"event\":\"%s\",\"time_ns\":",
					kind->name);
		for (unsigned int i = 0; i < kind->nvalues; i++)
			make_key(&js->value[k][i], kind->values[i].name);
		for (unsigned int i = 0; i < kind->nstrings; i++)
			make_key(&js->string[k][i], kind->strings[i].name);
	}
}

struct sink *etrace_json_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { json_sink_item, json_sink_end, json_sink_free };
	struct json_sink *js;
	unsigned int bits;

	if (!etrace_pid_bits(args->opts, args->diag, &bits))
		return NULL;
	js = xcalloc(1, sizeof(*js));
	js->sink.ops = &ops;
	js->json.out = args->out;
	js->pid_bits = bits;
	make_ready(js);
	return &js->sink;
}
