// SPDX-License-Identifier: LGPL-2.1
/* Collects the fields of a message by name.  See swap_fields.h. */
#include "format/swap/swap_fields.h"

#include <string.h>

#define NOWHERE	UINT32_MAX

struct gather {
	struct swap_fields *f;
	uint32_t depth;		/* of the fields that are wanted; NOWHERE outside of @list */
	/* For swap_each(): */
	const char *list;
	void (*fn)(void *ctx, const struct swap_fields *e);
	void *ctx;
};

void swap_keep(struct swap_fields *f, const struct swap_field *field, const struct swap_value *v)
{
	if (f->n == SWAP_FIELDS_MAX)
		return;
	f->at[f->n].field = field;
	f->at[f->n++].value = *v;
}

const struct swap_value *swap_get(const struct swap_fields *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].field->name, name))
			return &f->at[i].value;
	return NULL;
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

/* At the beginning or end of @list, or at an element of it. */
static void step_list(struct gather *g, const struct swap_step *step)
{
	/* The element before has ended. */
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
		swap_keep(g->f, step->field, &step->value);
	else if (step->depth == g->depth && step->kind == SWAP_OPEN)
		swap_keep(g->f, step->field, &none);
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
