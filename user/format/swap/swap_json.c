// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink that prints SWAP as JSON: walks over each message's layout and prints each field.
 * Values are not interpreted, but the names of numbers are added.
 */
#include "format/swap/swap_formats.h"
#include "io/json_out.h"
#include "format/swap/swap_frame.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct swap_json {
	struct sink base;
	struct json j;
	const char *api;
};

static void put_value(struct json *j, const struct swap_value *v)
{
	struct buf text = { 0 };

	switch (v->kind) {
	case SWAP_V_UINT:
	case SWAP_V_CHAR:
		json_u64(j, v->u);
		break;
	case SWAP_V_INT:
		json_i64(j, v->i);
		break;
	case SWAP_V_ADDR:
		json_addr(j, v->u);
		break;
	case SWAP_V_FLOAT:
		json_f64(j, v->d);
		break;
	case SWAP_V_BOOL:
		json_bool(j, v->u != 0);
		break;
	case SWAP_V_TIME:
	case SWAP_V_IP4:
		swap_add_text(&text, v);
		json_str(j, text.s, text.len);
		buf_free(&text);
		break;
	default:	/* SWAP_V_BYTES */
		json_hex(j, v->p, v->n);
		break;
	}
}

/* Print an argument or a return value as an object with its type character. */
static void put_item(struct json *j, const struct swap_value *v)
{
	char type[2] = { v->item, 0 };

	json_begin(j, '{');
	json_member(j, "type", type);
	if (v->kind == SWAP_V_ARRAY) {
		json_member_addr(j, "address", v->u);
		json_list(j, "value");
		for (uint32_t i = 0; i < v->n; i++) {
			const struct swap_value element = swap_element(v, i);

			put_value(j, &element);
		}
		json_end(j, ']');
	} else if (v->kind == SWAP_V_STR) {
		json_text(j, "value", (const char *)v->p, v->n);
	} else if (v->kind != SWAP_V_NONE) {
		json_key(j, "value");
		put_value(j, v);
	}
	json_end(j, '}');
}

static void put_name(struct swap_json *s, const struct swap_field *f, const struct swap_value *v)
{
	bool api = !strcmp(f->name, "api_id");
	const char *name = api ? s->api : swap_value_name(f, v->u);
	char key[32];

	if (!name)
		return;
	snprintf(key, sizeof(key), "%s_name", api ? "api" : f->name);
	json_text(&s->j, key, name, strlen(name));
}

/* Print the value of a field, or of an element of an array or argument list. */
static void put_field(struct swap_json *s, const struct swap_field *f, const struct swap_value *v)
{
	bool element = f->type == SWAP_T_ARGS || f->type == SWAP_T_CPUS_F32 ||
		       f->type == SWAP_T_DEVICES_U32;

	if (!element && v->kind == SWAP_V_STR && !v->item) {
		json_text(&s->j, f->name, (const char *)v->p, v->n);
		return;
	}
	if (!element)
		json_key(&s->j, f->name);
	if (v->item)
		put_item(&s->j, v);
	else
		put_value(&s->j, v);
	put_name(s, f, v);
}

static void put_step(void *ctx, const struct swap_step *step)
{
	struct swap_json *s = ctx;
	bool objects = step->field->type == SWAP_T_LIST;

	/* End the object of the previous element. */
	if (step->kind != SWAP_VALUE && step->kind != SWAP_OPEN && objects && step->index)
		json_end(&s->j, '}');
	if (step->kind == SWAP_VALUE)
		put_field(s, step->field, &step->value);
	else if (step->kind == SWAP_OPEN)
		json_list(&s->j, step->field->name);
	else if (step->kind == SWAP_NEXT)
		json_begin(&s->j, '{');
	else
		json_end(&s->j, ']');
}

static void put_header(struct json *j, const struct swap_message *m)
{
	struct swap_value time = {
		.kind = SWAP_V_TIME, .u = m->header.sec, .n = m->header.nsec,
	};

	json_member_u64(j, "seq", m->header.seq);
	json_key(j, "time");
	put_value(j, &time);
	json_member_u64(j, "offset", m->offset);
}

static void put_damage(struct json *j, const struct swap_message *m)
{
	/* by bit of SWAP_DAMAGE_* */
	static const char *const names[] = { "time", "length", "fields", "cut" };

	if (!m->damage)
		return;
	json_list(j, "damaged");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (m->damage >> i & 1)
			json_cstr(j, names[i]);
	json_end(j, ']');
}

static void put_counts(struct json *j, const struct swap_message *m)
{
	static const char *const names[] = {
		[SWAP_UNKNOWN] = "unknown", [SWAP_CPUS_ONLY] = "lengths, processors only",
		[SWAP_ASSUMED] = "assumed", [SWAP_PINNED] = "lengths", [SWAP_GIVEN] = "option",
	};

	json_key(j, "counts");
	json_begin(j, '{');
	json_member(j, "known_by", names[m->certainty]);
	if (m->certainty > SWAP_UNKNOWN)
		json_member_u64(j, "cpus", m->counts.cpus);
	if (m->certainty > SWAP_CPUS_ONLY)
		json_member_u64(j, "energy_devices", m->counts.devices);
	json_end(j, '}');
}

static void put_message(struct swap_json *s, const struct swap_item *item)
{
	const struct swap_message *m = item->message;
	struct json *j = &s->j;

	json_member(j, "type", m->row ? m->row->name : "UNKNOWN");
	json_member_u64(j, "id", m->header.id);
	put_header(j, m);
	json_member_u64(j, "length", m->header.len);
	if (m->row && m->row->id == SWAP_SYSTEM)
		put_counts(j, m);
	if (m->layout) {
		s->api = item->api;
		swap_walk(m->layout, m->payload, m->len, &m->counts, put_step, s);
		if (m->row->slack) {
			json_member_u64(j, "slack", m->len - m->end.used);
		} else if (m->end.used < m->len) {
			json_key(j, "more");
			json_hex(j, m->payload + m->end.used, m->len - m->end.used);
		}
	} else {
		json_key(j, "payload");
		json_hex(j, m->payload, m->len);
	}
	put_damage(j, m);
}

static int swap_json_item(struct sink *base, const void *data)
{
	struct swap_json *s = (struct swap_json *)base;
	const struct swap_item *item = data;

	json_begin(&s->j, '{');
	if (item->lost) {
		json_member(&s->j, "type", "LOST");
		json_member_u64(&s->j, "first", item->first);
		json_member_u64(&s->j, "count", item->lost);
		put_header(&s->j, item->message);
	} else {
		put_message(s, item);
	}
	json_end(&s->j, '}');
	json_line(&s->j);
	return out_error(s->j.out);
}

static int swap_json_end(struct sink *base)
{
	return out_flush(((struct swap_json *)base)->j.out);
}

static void swap_json_free(struct sink *base)
{
	free(base);
}

struct sink *swap_json_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { swap_json_item, swap_json_end, swap_json_free };
	struct swap_json *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->j.out = args->out;
	return &s->base;
}
