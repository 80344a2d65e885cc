// SPDX-License-Identifier: LGPL-2.1
/* Walks over a payload.  See swap_walk.h. */
#include "format/swap/swap_walk.h"

#include <inttypes.h>
#include <string.h>

float swap_f32(const uint8_t *p)
{
	uint32_t bits = swap_u32(p);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double read_f64(const uint8_t *p)
{
	uint64_t bits = bytes_first_low(p);
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

void swap_read_header(const uint8_t *p, struct swap_header *h)
{
	h->id = swap_u32(p);
	h->seq = swap_u32(p + 4);
	h->sec = swap_u32(p + 8);
	h->nsec = swap_u32(p + 12);
	h->len = swap_u32(p + 16);
}

/* Position in a payload, and the function to call. */
struct walk {
	const uint8_t *p;
	uint32_t len;
	uint32_t pos;
	const struct swap_counts *counts;
	swap_visit *visit;
	void *ctx;
	struct swap_step step;	/* passed to @visit; index and depth always match the position */
	struct swap_end end;
};

/* After a fault, no more bytes are taken, and no more steps visited but SWAP_CLOSE. */
static void fail_field(struct walk *w, enum swap_fault fault, const struct swap_field *f)
{
	if (w->end.fault != SWAP_OK)
		return;
	w->end.fault = fault;
	w->end.field = f;
}

/* Take @n bytes.  Return: their address; if there are fewer, that of zeros, after fail_field(). */
static const uint8_t *take_bytes(struct walk *w, const struct swap_field *f, uint64_t n)
{
	static const uint8_t zeros[12];
	const uint8_t *p = w->p + w->pos;

	if (n > w->len - w->pos)
		fail_field(w, SWAP_SHORT, f);
	if (w->end.fault != SWAP_OK)
		return zeros;
	w->pos += (uint32_t)n;
	return p;
}

static void visit_step(struct walk *w, int kind, const struct swap_field *f)
{
	w->step.kind = kind;
	w->step.field = f;
	if (w->visit)
		w->visit(w->ctx, &w->step);
}

static void visit_value(struct walk *w, const struct swap_field *f, const struct swap_value *v)
{
	w->step.value = *v;
	if (w->end.fault == SWAP_OK)
		visit_step(w, SWAP_VALUE, f);
}

static struct swap_value take_string(struct walk *w, const struct swap_field *f)
{
	struct swap_value v = { .kind = SWAP_V_STR };
	size_t left = w->len - w->pos;

	v.n = (uint32_t)strnlen((const char *)w->p + w->pos, left);
	v.p = take_bytes(w, f, v.n + 1ull);
	return v;
}

/* Types of fixed size: their bytes, and the kind of their values. */
static const struct {
	uint8_t size;
	enum swap_kind kind;
} fixed_types[] = {
	[SWAP_T_U8] = { 1, SWAP_V_UINT },
	[SWAP_T_U16] = { 2, SWAP_V_UINT },
	[SWAP_T_U32] = { 4, SWAP_V_UINT },
	[SWAP_T_I32] = { 4, SWAP_V_INT },
	[SWAP_T_U64] = { 8, SWAP_V_UINT },
	[SWAP_T_I64] = { 8, SWAP_V_INT },
	[SWAP_T_F32] = { 4, SWAP_V_FLOAT },
	[SWAP_T_F64] = { 8, SWAP_V_FLOAT },
	[SWAP_T_ADDR] = { 8, SWAP_V_ADDR },
	[SWAP_T_TIME] = { 8, SWAP_V_TIME },
	[SWAP_T_IP4] = { 4, SWAP_V_IP4 },
};

static struct swap_value read_fixed(enum swap_type type, const uint8_t *p)
{
	struct swap_value v = { .kind = fixed_types[type].kind };
	size_t size = fixed_types[type].size;

	if (v.kind == SWAP_V_FLOAT) {
		v.d = size == 4 ? (double)swap_f32(p) : read_f64(p);
	} else if (v.kind == SWAP_V_TIME) {
		v.u = swap_u32(p);
		v.n = swap_u32(p + 4);
	} else if (v.kind == SWAP_V_IP4) {
		v.p = p;
	} else {
		for (size_t i = size; i-- > 0;)
			v.u = v.u << 8 | p[i];
		if (type == SWAP_T_I32)
			v.i = (int32_t)v.u;
	}
	return v;
}

/* How to read an argument or return value by its type character. */
static const struct item_type {
	char item;
	uint8_t type;	/* enum swap_type, or 0 */
	uint8_t kind;	/* enum swap_kind that replaces the type's own, or 0 */
} item_types[] = {
	{ 'c', SWAP_T_U8, SWAP_V_CHAR },
	{ 'b', SWAP_T_U8, SWAP_V_BOOL },
	{ 'd', SWAP_T_I32, 0 },
	{ 'x', SWAP_T_I64, 0 },
	{ 'p', SWAP_T_ADDR, 0 },
	{ 'f', SWAP_T_F32, 0 },
	{ 'w', SWAP_T_F64, 0 },
	{ 's', SWAP_T_STR, 0 },
	{ 'n', 0, 0 },
	{ 'v', 0, 0 },
	{ 'D', SWAP_T_I32, SWAP_V_ARRAY },
	{ 'F', SWAP_T_F32, SWAP_V_ARRAY },
	{ 'W', SWAP_T_F64, SWAP_V_ARRAY },
};

static const struct item_type *item_type(char item)
{
	for (size_t i = 0; i < sizeof(item_types) / sizeof(item_types[0]); i++)
		if (item_types[i].item == item)
			return &item_types[i];
	return NULL;
}

struct swap_value swap_element(const struct swap_value *array, uint32_t i)
{
	const struct item_type *t = item_type(array->item);
	struct swap_value v = read_fixed(t->type, array->p + (size_t)i * fixed_types[t->type].size);

	v.item = array->item;
	return v;
}

static struct swap_value take_number(struct walk *w, const struct swap_field *f,
				     enum swap_type type)
{
	return read_fixed(type, take_bytes(w, f, fixed_types[type].size));
}

static void walk_item(struct walk *w, const struct swap_field *f)
{
	struct swap_value v = { .kind = SWAP_V_NONE };
	const struct item_type *t;
	const uint8_t *p;

	t = item_type((char)*take_bytes(w, f, 1));
	if (!t) {
		w->pos -= w->end.fault == SWAP_OK;
		fail_field(w, SWAP_BAD_ITEM, f);
		return;
	}
	if (t->kind == SWAP_V_ARRAY) {
		p = take_bytes(w, f, 12);
		v.u = bytes_first_low(p);
		v.n = swap_u32(p + 8);
		v.p = take_bytes(w, f, (uint64_t)v.n * fixed_types[t->type].size);
	} else if (t->type == SWAP_T_STR) {
		v = take_string(w, f);
	} else if (t->type) {
		v = take_number(w, f, t->type);
	}
	v.item = t->item;
	if (t->kind)
		v.kind = t->kind;
	visit_value(w, f, &v);
}

static void walk_fields(struct walk *w, const struct swap_field *f);

static void walk_element(struct walk *w, const struct swap_field *f)
{
	struct swap_value v;

	switch (f->type) {
	case SWAP_T_LIST:
		visit_step(w, SWAP_NEXT, f);
		walk_fields(w, f->sub);
		break;
	case SWAP_T_ARGS:
		walk_item(w, f);
		break;
	default:
		v = take_number(w, f, f->type == SWAP_T_CPUS_F32 ? SWAP_T_F32 : SWAP_T_U32);
		visit_value(w, f, &v);
		break;
	}
}

/* Walk over the elements of a list, of arguments or of an array. */
static void walk_elements(struct walk *w, const struct swap_field *f, uint32_t count)
{
	uint32_t i;

	if (w->end.fault != SWAP_OK)
		return;
	visit_step(w, SWAP_OPEN, f);
	w->step.depth++;
	for (i = 0; w->end.fault == SWAP_OK && i < count; i++) {
		/* Stop when no byte is left, however large the announced count is. */
		if (w->pos == w->len) {
			fail_field(w, SWAP_SHORT, f);
			break;
		}
		w->step.index = i;
		walk_element(w, f);
	}
	w->step.depth--;
	w->step.index = i;
	visit_step(w, SWAP_CLOSE, f);
}

/* Walk over an array whose number of elements is not in the message. */
static void walk_array(struct walk *w, const struct swap_field *f, uint32_t count)
{
	if (4ull * count > w->len - w->pos)
		fail_field(w, SWAP_SHORT, f);
	walk_elements(w, f, count);
}

static struct swap_value take_data(struct walk *w, const struct swap_field *f, uint32_t n)
{
	return (struct swap_value){ .kind = SWAP_V_BYTES, .n = n, .p = take_bytes(w, f, n) };
}

static void walk_field(struct walk *w, const struct swap_field *f, uint32_t *selected)
{
	struct swap_value v;

	switch (f->type) {
	case SWAP_T_ITEM:
		walk_item(w, f);
		return;
	case SWAP_T_ARGS:
	case SWAP_T_LIST:
		walk_elements(w, f, swap_u32(take_bytes(w, f, 4)));
		return;
	case SWAP_T_CPUS_F32:
		walk_array(w, f, w->counts ? w->counts->cpus : 0);
		return;
	case SWAP_T_DEVICES_U32:
		walk_array(w, f, w->counts ? w->counts->devices : 0);
		return;
	case SWAP_T_INCLUDE:
		walk_fields(w, f->sub);
		return;
	case SWAP_T_STR:
		v = take_string(w, f);
		break;
	case SWAP_T_SIZED:
		v = take_data(w, f, swap_u32(take_bytes(w, f, 4)));
		break;
	case SWAP_T_REST:
		v = take_data(w, f, w->len - w->pos);
		w->end.open_end = true;
		break;
	default:
		v = take_number(w, f, f->type);
		if (f->selector)
			*selected = v.u < 8 ? 1u << v.u : 0;
		break;
	}
	visit_value(w, f, &v);
}

static void walk_fields(struct walk *w, const struct swap_field *f)
{
	uint32_t selected = 0;

	for (; f->type != SWAP_T_END && w->end.fault == SWAP_OK; f++)
		if (!f->when || (f->when & selected))
			walk_field(w, f, &selected);
}

struct swap_end swap_walk(const struct swap_field *layout, const uint8_t *p, uint32_t len,
			  const struct swap_counts *counts, swap_visit *visit, void *ctx)
{
	struct walk w = { .p = p, .len = len, .counts = counts, .visit = visit, .ctx = ctx };

	walk_fields(&w, layout);
	w.end.used = w.pos;
	return w.end;
}

const struct swap_field *swap_choose(const struct swap_row *row, const uint8_t *p, uint32_t len,
				     const struct swap_counts *counts, struct swap_end *end)
{
	const struct swap_field *best = NULL;
	bool exact = false;

	*end = (struct swap_end){ .fault = SWAP_OK };
	for (size_t i = 0; !exact && i < 3 && row->layouts[i]; i++) {
		struct swap_end e = swap_walk(row->layouts[i], p, len, counts, NULL, NULL);

		exact = e.fault == SWAP_OK && e.used == len;
		if (!best || exact || (end->fault != SWAP_OK && e.fault == SWAP_OK)) {
			best = row->layouts[i];
			*end = e;
		}
	}
	return best;
}

/* ---- values as text ---- */

void swap_add_text(struct buf *text, const struct swap_value *v)
{
	switch (v->kind) {
	case SWAP_V_UINT:
		buf_addu(text, v->u);
		break;
	case SWAP_V_INT:
		buf_printf(text, "%" PRId64, v->i);
		break;
	case SWAP_V_ADDR:
		buf_printf(text, "0x%" PRIx64, v->u);
		break;
	case SWAP_V_FLOAT:
		buf_printf(text, "%.*g", v->item == 'f' || v->item == 'F' ? 9 : 17, v->d);
		break;
	case SWAP_V_BOOL:
		buf_adds(text, v->u ? "true" : "false");
		break;
	case SWAP_V_CHAR:
		if (v->u >= 0x20 && v->u < 0x7f)
			buf_printf(text, "'%c'", (int)v->u);
		else
			buf_printf(text, "'\\x%02x'", (unsigned int)v->u);
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
			swap_add_text(text, &element);
		}
		buf_printf(text, "]@0x%" PRIx64, v->u);
		break;
	case SWAP_V_TIME:
		buf_printf(text, "%" PRIu64 ".%09" PRIu32, v->u, v->n);
		break;
	case SWAP_V_IP4:
		buf_printf(text, "%u.%u.%u.%u", v->p[0], v->p[1], v->p[2], v->p[3]);
		break;
	default:
		buf_addc(text, v->item);
		break;
	}
}

/* ---- fields by name ---- */

#define NOWHERE	UINT32_MAX

struct gather {
	struct swap_fields *f;
	uint32_t depth;		/* of the fields that are wanted; NOWHERE outside of @list */
	/* For swap_each(): */
	const char *list;
	void (*fn)(void *ctx, const struct swap_fields *e);
	void *ctx;
};

static void keep_field(struct swap_fields *f, const struct swap_field *field, const struct swap_value *v)
{
	if (f->n == SWAP_FIELDS_MAX)
		return;
	f->at[f->n].field = field;
	f->at[f->n++].value = *v;
}

/* Index of a field, f->n if it is missing. */
static size_t find_field(const struct swap_fields *f, const char *name)
{
	size_t i = 0;

	while (i < f->n && strcmp(f->at[i].field->name, name))
		i++;
	return i;
}

const struct swap_value *swap_get(const struct swap_fields *f, const char *name)
{
	size_t i = find_field(f, name);

	return i < f->n ? &f->at[i].value : NULL;
}

const char *swap_get_name(const struct swap_fields *f, const char *name)
{
	size_t i = find_field(f, name);

	return i < f->n ? swap_value_name(f->at[i].field, f->at[i].value.u) : NULL;
}

uint64_t swap_wide(const struct swap_fields *f, const char *name)
{
	const struct swap_value *v = swap_get(f, name);

	return v ? v->u : 0;
}

uint32_t swap_num(const struct swap_fields *f, const char *name)
{
	return (uint32_t)swap_wide(f, name);
}

/* Handle a step at the beginning or end of g->list, or at one of its elements. */
static void step_list(struct gather *g, const struct swap_step *step)
{
	/* The previous element is complete. */
	if (step->kind != SWAP_OPEN && step->index)
		g->fn(g->ctx, g->f);
	if (step->kind == SWAP_OPEN)
		g->depth = step->depth + 1;
	else if (step->kind == SWAP_CLOSE)
		g->depth = NOWHERE;
	g->f->n = 0;
	g->f->list = step->field;
}

static void gather_step(void *ctx, const struct swap_step *step)
{
	static const struct swap_value none = { .kind = SWAP_V_NONE };
	struct gather *g = ctx;

	if (g->list && !strcmp(step->field->name, g->list))
		step_list(g, step);
	else if (step->depth == g->depth && step->kind == SWAP_VALUE)
		keep_field(g->f, step->field, &step->value);
	else if (step->depth == g->depth && step->kind == SWAP_OPEN)
		keep_field(g->f, step->field, &none);
	else if (step->kind == SWAP_VALUE && !strcmp(step->field->name, "pid"))
		g->f->outer_pid = (uint32_t)step->value.u;
}

static void gather_fields(struct gather *g, const struct swap_message *m)
{
	g->f->n = 0;
	if (m->layout)
		swap_walk(m->layout, m->payload, m->len, &m->counts, gather_step, g);
}

void swap_collect(const struct swap_message *m, struct swap_fields *f)
{
	gather_fields(&(struct gather){ .f = f }, m);
}

void swap_each(const struct swap_message *m, const char *list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx)
{
	struct swap_fields e = { 0 };

	gather_fields(&(struct gather){ &e, NOWHERE, list, fn, ctx }, m);
}
