// SPDX-License-Identifier: GPL-2.0
/*
 * Sink of the etrace model: JSON, one object in a line for each event.  Names
 * are those of the FXT mapping, Documentation/fxt-mapping.md; strings that are
 * not UTF-8 have their bytes in "<name>_hex" beside them.
 */
#include <stdlib.h>

#include "build/etrace_formats.h"
#include "build/event.h"
#include "io/json_out.h"
#include "base/utf8.h"
#include "base/xalloc.h"

struct json_sink {
	struct sink sink;
	struct json json;
	unsigned int pid_bits;
};

static void put_header(struct json *j, const struct et_event *ev,
		       const struct et_item *it)
{
	const struct et_tag_row *row = &et_tags[it->tag];

	for (unsigned int i = 0; i < row->nfields; i++) {
		int64_t v = ev->vals[it->off + i];

		if (!row->fields[i].arg || !(it->have >> i & 1))
			continue;
		json_key(j, row->fields[i].arg);
		if (it->big >> i & 1)
			json_u64(j, (uint64_t)v);
		else
			json_i64(j, v);
	}
}

/*
 * All strings with one tag as a list, and their bytes as another where one of
 * them is not UTF-8.
 */
static void put_list(struct json *j, const struct et_event *ev, enum et_tag tag,
		     const char *name, const char *hex_name)
{
	bool begun = false, text = true;

	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct et_item *it = &ev->items[i];

		if (it->tag != tag)
			continue;
		if (!begun) {
			json_key(j, name);
			json_begin(j, '[');
			begun = true;
		}
		text = text && utf8_valid(et_bytes(ev, it), it->len);
		json_str(j, et_bytes(ev, it), it->len);
	}
	if (begun)
		json_end(j, ']');
	if (text)
		return;
	json_key(j, hex_name);
	json_begin(j, '[');
	for (uint32_t i = 0; i < ev->nitems; i++)
		if (ev->items[i].tag == tag)
			json_hex(j, et_bytes(ev, &ev->items[i]), ev->items[i].len);
	json_end(j, ']');
}

/* The fields of headers that the format does not have, as "name=value". */
static bool put_unknown(struct json *j, const struct et_event *ev, bool hex)
{
	bool begun = false, text = true;

	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct et_item *it = &ev->items[i];
		const char *s, *end;

		if (et_tags[it->tag].role == ET_STRING || !it->len)
			continue;
		s = ev->bytes + it->text;
		end = s + it->len;
		if (!begun) {
			json_key(j, hex ? "unknown_fields_hex" : "unknown_fields");
			json_begin(j, '[');
			begun = true;
		}
		for (;;) {
			const char *comma = memchr(s, ',', (size_t)(end - s));
			size_t n = (size_t)((comma ? comma : end) - s);

			text = text && utf8_valid(s, n);
			if (hex)
				json_hex(j, s, n);
			else
				json_str(j, s, n);
			if (!comma)
				break;
			s = comma + 1;
		}
	}
	if (begun)
		json_end(j, ']');
	return text;
}

static void put_findings(struct json *j, const struct et_event *ev)
{
	struct et_finding f[8];
	unsigned int n = et_check(ev, f, 8);
	char text[160];

	if (!n)
		return;
	json_key(j, "incomplete");
	json_begin(j, '[');
	for (unsigned int i = 0; i < n && i < 8; i++) {
		et_finding_text(&f[i], text, sizeof(text));
		json_cstr(j, text);
	}
	json_end(j, ']');
}

/* When and where the later records of an event were made. */
static void put_stamps(struct json *j, const struct et_event *ev)
{
	bool begun = false;

	for (uint32_t i = 0; i < ev->nmarks; i++) {
		const struct et_mark *m = &ev->marks[i];

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

static void put_items(struct json *j, const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct et_item *it = &ev->items[i];

		if (et_tags[it->tag].role != ET_STRING)
			put_header(j, ev, it);
		else if (it->tag != ET_T_A && it->tag != ET_T_OTHER)
			json_text(j, et_tags[it->tag].arg, et_bytes(ev, it), it->len);
	}
	put_list(j, ev, ET_T_A, "argv", "argv_hex");
	if (et_no_args(ev)) {
		json_key(j, "argv");
		json_begin(j, '[');
		json_end(j, ']');
	}
	if (!put_unknown(j, ev, false))
		put_unknown(j, ev, true);
	/* lines outside the format, as they are */
	put_list(j, ev, ET_T_OTHER, "other", "other_hex");
	if (ev->flags & ET_F_FAILED) {
		json_key(j, "failed");
		json_bool(j, true);
	}
	put_findings(j, ev);
	put_stamps(j, ev);
}

static int json_sink_item(struct sink *s, const void *item)
{
	struct json_sink *js = (struct json_sink *)s;
	const struct et_event *ev = item;
	struct json *j = &js->json;

	json_begin(j, '{');
	json_key(j, "event");
	json_cstr(j, et_kinds[ev->kind].name);
	json_key(j, "time_ns");
	json_u64(j, ev->time);
	json_key(j, "cpu");
	json_u64(j, ev->cpu);
	if (ev->kind == ET_K_LOST) {
		json_key(j, "count");
		if (ev->nvals)
			json_i64(j, ev->vals[0]);
		else
			json_null(j);
	} else {
		json_key(j, "upid");
		json_u64(j, ev->upid);
		json_key(j, "pid");
		json_u64(j, et_pid(ev->upid, js->pid_bits));
		put_items(j, ev);
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
	return &js->sink;
}
