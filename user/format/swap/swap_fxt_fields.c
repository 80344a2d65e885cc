// SPDX-License-Identifier: LGPL-2.1
/* SWAP as FXT: writes the fields of a message as arguments of an event. */
#include "format/swap/swap_fxt_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- fields as arguments ---- */

__attribute__((format(printf, 2, 3)))
static void append_printf(struct buf *text, const char *fmt, ...)
{
	char s[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	buf_adds(text, s);
}

/* Append an argument of a call as in source code. */
static void append_value(struct buf *text, const struct swap_value *v)
{
	switch (v->kind) {
	case SWAP_V_UINT:
		buf_addu(text, v->u);
		break;
	case SWAP_V_INT:
		append_printf(text, "%" PRId64, v->i);
		break;
	case SWAP_V_ADDR:
		append_printf(text, "0x%" PRIx64, v->u);
		break;
	case SWAP_V_FLOAT:
		append_printf(text, "%.*g", v->item == 'f' || v->item == 'F' ? 9 : 17, v->d);
		break;
	case SWAP_V_BOOL:
		buf_adds(text, v->u ? "true" : "false");
		break;
	case SWAP_V_CHAR:
		if (v->u >= 0x20 && v->u < 0x7f)
			append_printf(text, "'%c'", (int)v->u);
		else
			append_printf(text, "'\\x%02x'", (unsigned int)v->u);
		break;
	case SWAP_V_STR:
		buf_addc(text, '"');
		buf_add(text, (const char *)v->p, v->n);
		buf_addc(text, '"');
		break;
	case SWAP_V_ARRAY:
		buf_addc(text, '[');
		for (uint32_t i = 0; i < v->n; i++) {
			const struct swap_value element = swap_element(v, i);

			buf_adds(text, i ? ", " : "");
			append_value(text, &element);
		}
		append_printf(text, "]@0x%" PRIx64, v->u);
		break;
	default:
		buf_addc(text, v->item);
		break;
	}
}

static void add_value(struct swap_fxt *s, const char *name, const struct swap_field *f,
		      const struct swap_value *v)
{
	const char *text = swap_value_name(f->names, v->u);
	char buf[32];

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
	case SWAP_V_TIME:
		snprintf(buf, sizeof(buf), "%" PRIu64 ".%09" PRIu32, v->u, v->n);
		fxt_args_own(&s->args, name, buf);
		break;
	case SWAP_V_IP4:
		snprintf(buf, sizeof(buf), "%u.%u.%u.%u", v->p[0], v->p[1], v->p[2], v->p[3]);
		fxt_args_own(&s->args, name, buf);
		break;
	case SWAP_V_ARRAY:
		s->text.len = 0;
		append_value(&s->text, v);
		fxt_args_own_text(&s->args, name, s->text.s, s->text.len);
		break;
	default:	/* void */
		break;
	}
}

/* Does the field tell how a call ended? */
static bool is_result(const struct swap_field *f)
{
	return !strcmp(f->name, "return") || !strcmp(f->name, "errno");
}

/* Is the field no argument: in the event itself, not known yet, or a reserved 0? */
static bool said_elsewhere(const struct swap_fxt *s, const struct swap_field *f,
			   const struct swap_value *v)
{
	return (s->starting && is_result(f)) || !strcmp(f->name, "pid") ||
	       !strcmp(f->name, "tid") || (!v->u && !strncmp(f->name, "reserved", 8));
}

static const char *arg_name(struct swap_fxt *s, const struct swap_field *f)
{
	if (!s->prefix || is_result(f))
		return f->name;
	return fxt_args_format(&s->args, "%s%s", s->prefix, f->name);
}

/* Add a value of the message: to its fields and arguments, or to the text of a call's arguments. */
static void take_value(struct swap_fxt *s, const struct swap_field *f, const struct swap_value *v)
{
	if (f->type == SWAP_T_ARGS) {
		if (s->text.len)
			buf_adds(&s->text, ", ");
		append_value(&s->text, v);
		return;
	}
	swap_keep(&s->f, f, v);
	if (!said_elsewhere(s, f, v))
		add_value(s, arg_name(s, f), f, v);
}

static void collect_step(void *ctx, const struct swap_step *step)
{
	const struct swap_field *f = step->field;
	struct swap_fxt *s = ctx;

	if (step->kind == SWAP_VALUE && (!step->depth || f->type == SWAP_T_ARGS))
		take_value(s, f, &step->value);
	else if (step->kind == SWAP_OPEN)
		s->text.len = 0;
	else if (step->kind == SWAP_CLOSE && f->type == SWAP_T_ARGS)
		fxt_args_own_text(&s->args, arg_name(s, f), s->text.s, s->text.len);
}

void swap_fxt_collect(struct swap_fxt *s, const char *prefix)
{
	const struct swap_message *m = s->m;

	fxt_args_reset(&s->args);
	s->f.n = 0;
	s->prefix = prefix;
	if (!m->layout)
		return;
	swap_walk(m->layout, m->payload, m->len, &m->counts, collect_step, s);
	if (!m->row->slack && m->end.used < m->len)
		fxt_args_hex(&s->args, "more", m->payload + m->end.used, m->len - m->end.used);
	if (m->damage)
		fxt_args_cstr(&s->args, "damaged", "this message was damaged");
}

void swap_fxt_element(struct swap_fxt *s, const struct swap_fields *e, const char *category,
		      const char *name)
{
	fxt_args_reset(&s->args);
	for (size_t i = 0; i < e->n; i++)
		add_value(s, e->at[i].field->name, e->at[i].field, &e->at[i].value);
	swap_fxt_instant(s, category, name);
}
