// SPDX-License-Identifier: LGPL-2.1
/* Walks over a payload.  See swap_walk.h. */
#include "format/swap/swap_walk.h"

#include <string.h>

float swap_f32(const uint8_t *p)
{
	uint32_t bits = swap_u32(p);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

double swap_f64(const uint8_t *p)
{
	uint64_t bits = swap_u64(p);
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

/* Position in a payload, and the visitor to call. */
struct walk {
	const uint8_t *p;
	uint32_t len;
	uint32_t pos;
	const struct swap_counts *counts;
	const struct swap_visitor *visitor;
	void *ctx;
	struct swap_end end;
};

static bool fail_field(struct walk *w, enum swap_fault fault, const struct swap_field *f)
{
	w->end.fault = fault;
	w->end.field = f;
	return false;
}

/* Take @n bytes.  Return: their address, or NULL after fail_field() if there are fewer. */
static const uint8_t *take_bytes(struct walk *w, const struct swap_field *f, uint64_t n)
{
	const uint8_t *p = w->p + w->pos;

	if (n > w->len - w->pos) {
		fail_field(w, SWAP_SHORT, f);
		return NULL;
	}
	w->pos += (uint32_t)n;
	return p;
}

static void visit_value(const struct walk *w, const struct swap_field *f,
			const struct swap_value *v)
{
	if (w->visitor && w->visitor->value)
		w->visitor->value(w->ctx, f, v);
}

static void visit_open(const struct walk *w, const struct swap_field *f, uint32_t count)
{
	if (w->visitor && w->visitor->open)
		w->visitor->open(w->ctx, f, count);
}

static void visit_close(const struct walk *w, const struct swap_field *f)
{
	if (w->visitor && w->visitor->close)
		w->visitor->close(w->ctx, f);
}

static bool take_string(struct walk *w, const struct swap_field *f, struct swap_value *v)
{
	const uint8_t *p = w->p + w->pos;
	const uint8_t *nul = memchr(p, 0, w->len - w->pos);

	if (!nul)
		return fail_field(w, SWAP_SHORT, f);
	v->kind = SWAP_V_STR;
	v->p = p;
	v->n = (uint32_t)(nul - p);
	w->pos += v->n + 1;
	return true;
}

/* Bytes of the types of fixed size. */
static const uint8_t type_size[] = {
	[SWAP_T_U8] = 1, [SWAP_T_U16] = 2, [SWAP_T_U32] = 4, [SWAP_T_I32] = 4,
	[SWAP_T_U64] = 8, [SWAP_T_I64] = 8, [SWAP_T_F32] = 4, [SWAP_T_F64] = 8,
	[SWAP_T_ADDR] = 8, [SWAP_T_TIME] = 8, [SWAP_T_IP4] = 4, [SWAP_T_CPUS_F32] = 0,
};

static void read_fixed(enum swap_type type, const uint8_t *p, struct swap_value *v)
{
	switch (type) {
	case SWAP_T_U8:
		v->kind = SWAP_V_UINT;
		v->u = p[0];
		break;
	case SWAP_T_U16:
		v->kind = SWAP_V_UINT;
		v->u = (uint64_t)(p[0] | p[1] << 8);
		break;
	case SWAP_T_U32:
		v->kind = SWAP_V_UINT;
		v->u = swap_u32(p);
		break;
	case SWAP_T_I32:
		v->kind = SWAP_V_INT;
		v->i = (int32_t)swap_u32(p);
		break;
	case SWAP_T_U64:
		v->kind = SWAP_V_UINT;
		v->u = swap_u64(p);
		break;
	case SWAP_T_I64:
		v->kind = SWAP_V_INT;
		v->i = (int64_t)swap_u64(p);
		break;
	case SWAP_T_F32:
		v->kind = SWAP_V_FLOAT;
		v->d = (double)swap_f32(p);
		break;
	case SWAP_T_F64:
		v->kind = SWAP_V_FLOAT;
		v->d = swap_f64(p);
		break;
	case SWAP_T_ADDR:
		v->kind = SWAP_V_ADDR;
		v->u = swap_u64(p);
		break;
	case SWAP_T_TIME:
		v->kind = SWAP_V_TIME;
		v->u = swap_u32(p);
		v->n = swap_u32(p + 4);
		break;
	default:
		v->kind = SWAP_V_IP4;
		v->p = p;
		break;
	}
}

/* How to read an argument or return value by its type character. */
static const struct item_type {
	char item;
	uint8_t type;	/* enum swap_type, or 0 */
	uint8_t kind;	/* enum swap_kind that replaces the type's own, or 0 */
	uint8_t element;	/* bytes of an element, for arrays */
} item_types[] = {
	{ 'c', SWAP_T_U8, SWAP_V_CHAR, 0 },
	{ 'b', SWAP_T_U8, SWAP_V_BOOL, 0 },
	{ 'd', SWAP_T_I32, 0, 0 },
	{ 'x', SWAP_T_I64, 0, 0 },
	{ 'p', SWAP_T_ADDR, 0, 0 },
	{ 'f', SWAP_T_F32, 0, 0 },
	{ 'w', SWAP_T_F64, 0, 0 },
	{ 's', SWAP_T_STR, 0, 0 },
	{ 'n', 0, 0, 0 },
	{ 'v', 0, 0, 0 },
	{ 'D', 0, 0, 4 },
	{ 'F', 0, 0, 4 },
	{ 'W', 0, 0, 8 },
};

static const struct item_type *item_type(char item)
{
	for (size_t i = 0; i < sizeof(item_types) / sizeof(item_types[0]); i++)
		if (item_types[i].item == item)
			return &item_types[i];
	return NULL;
}

static bool walk_item(struct walk *w, const struct swap_field *f)
{
	struct swap_value v = { .kind = SWAP_V_NONE };
	const struct item_type *t;
	const uint8_t *p = take_bytes(w, f, 1);

	if (!p)
		return false;
	v.item = (char)p[0];
	t = item_type(v.item);
	if (!t) {
		w->pos--;
		return fail_field(w, SWAP_BAD_ITEM, f);
	}
	if (t->element) {
		p = take_bytes(w, f, 12);
		if (!p)
			return false;
		v.kind = SWAP_V_ARRAY;
		v.u = swap_u64(p);
		v.n = swap_u32(p + 8);
		v.p = take_bytes(w, f, (uint64_t)v.n * t->element);
		if (!v.p)
			return false;
	} else if (t->type == SWAP_T_STR) {
		if (!take_string(w, f, &v))
			return false;
	} else if (t->type) {
		p = take_bytes(w, f, type_size[t->type]);
		if (!p)
			return false;
		read_fixed(t->type, p, &v);
		if (t->kind)
			v.kind = t->kind;
	}
	visit_value(w, f, &v);
	return true;
}

static bool walk_args(struct walk *w, const struct swap_field *f)
{
	const uint8_t *p = take_bytes(w, f, 4);
	uint32_t count;
	bool ok = true;

	if (!p)
		return false;
	count = swap_u32(p);
	visit_open(w, f, count);
	while (ok && count--)
		ok = walk_item(w, f);
	visit_close(w, f);
	return ok;
}

/* Walk over an array whose number of elements is not in the message. */
static bool walk_array(struct walk *w, const struct swap_field *f, uint32_t count,
		       enum swap_type element)
{
	const uint8_t *p = take_bytes(w, f, 4ull * count);

	if (!p)
		return false;
	visit_open(w, f, count);
	for (uint32_t i = 0; i < count; i++) {
		struct swap_value v = { 0 };

		read_fixed(element, p + 4ull * i, &v);
		visit_value(w, f, &v);
	}
	visit_close(w, f);
	return true;
}

static bool walk_fields(struct walk *w, const struct swap_field *f);

static bool walk_list(struct walk *w, const struct swap_field *f)
{
	const uint8_t *p = take_bytes(w, f, 4);
	uint32_t count;
	bool ok = true;

	if (!p)
		return false;
	count = swap_u32(p);
	visit_open(w, f, count);
	while (ok && count--) {
		/* No byte left: stop, however large the announced count is. */
		if (w->pos == w->len) {
			ok = fail_field(w, SWAP_SHORT, f);
			break;
		}
		if (w->visitor && w->visitor->next)
			w->visitor->next(w->ctx, f);
		ok = walk_fields(w, f->sub);
	}
	visit_close(w, f);
	return ok;
}

static bool walk_bytes(struct walk *w, const struct swap_field *f)
{
	struct swap_value v = { .kind = SWAP_V_BYTES };

	if (f->type == SWAP_T_SIZED) {
		const uint8_t *p = take_bytes(w, f, 4);

		if (!p)
			return false;
		v.n = swap_u32(p);
	} else {
		v.n = w->len - w->pos;
		w->end.open_end = true;
	}
	v.p = take_bytes(w, f, v.n);
	if (!v.p)
		return false;
	visit_value(w, f, &v);
	return true;
}

static bool walk_field(struct walk *w, const struct swap_field *f, uint32_t *selected)
{
	struct swap_value v = { 0 };
	const uint8_t *p;

	switch (f->type) {
	case SWAP_T_STR:
		if (!take_string(w, f, &v))
			return false;
		visit_value(w, f, &v);
		return true;
	case SWAP_T_SIZED:
	case SWAP_T_REST:
		return walk_bytes(w, f);
	case SWAP_T_ARGS:
		return walk_args(w, f);
	case SWAP_T_ITEM:
		return walk_item(w, f);
	case SWAP_T_LIST:
		return walk_list(w, f);
	case SWAP_T_CPUS_F32:
		return walk_array(w, f, w->counts ? w->counts->cpus : 0, SWAP_T_F32);
	case SWAP_T_DEVICES_U32:
		return walk_array(w, f, w->counts ? w->counts->devices : 0, SWAP_T_U32);
	case SWAP_T_INCLUDE:
		return walk_fields(w, f->sub);
	default:
		p = take_bytes(w, f, type_size[f->type]);
		if (!p)
			return false;
		read_fixed(f->type, p, &v);
		if (f->selector)
			*selected = v.u < 8 ? 1u << v.u : 0;
		visit_value(w, f, &v);
		return true;
	}
}

static bool walk_fields(struct walk *w, const struct swap_field *f)
{
	uint32_t selected = 0;

	for (; f->type != SWAP_T_END; f++)
		if (!f->when || (f->when & selected))
			if (!walk_field(w, f, &selected))
				return false;
	return true;
}

struct swap_end swap_walk(const struct swap_field *layout, const uint8_t *p, uint32_t len,
			  const struct swap_counts *counts, const struct swap_visitor *visitor,
			  void *ctx)
{
	struct walk w = {
		.p = p, .len = len, .counts = counts, .visitor = visitor, .ctx = ctx,
	};

	walk_fields(&w, layout);
	w.end.used = w.pos;
	return w.end;
}

const struct swap_field *swap_choose(const struct swap_row *row, const uint8_t *p, uint32_t len,
				     const struct swap_counts *counts, struct swap_end *end)
{
	const struct swap_field *best = NULL;
	struct swap_end best_end = { 0 };

	for (size_t i = 0; i < 3 && row->layouts[i]; i++) {
		struct swap_end e = swap_walk(row->layouts[i], p, len, counts, NULL, NULL);

		if (!best || (best_end.fault != SWAP_OK && e.fault == SWAP_OK)) {
			best = row->layouts[i];
			best_end = e;
		}
		if (e.fault == SWAP_OK && e.used == len) {
			best = row->layouts[i];
			best_end = e;
			break;
		}
	}
	*end = best_end;
	return best;
}
