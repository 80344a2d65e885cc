// SPDX-License-Identifier: LGPL-2.1
/* Collects the fields of a message by id.  See swap_fields.h. */
#include "format/swap/swap_fields.h"

#include <string.h>

#define NOWHERE	UINT32_MAX

struct gather {
	struct swap_fields *f;
	uint32_t depth;		/* of the fields that are wanted; NOWHERE outside of @list */
	/* For swap_each(): */
	enum swap_field_id list;
	void (*fn)(void *ctx, const struct swap_fields *e);
	void *ctx;
};

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
	memset(g->f->has, 0, sizeof(g->f->has));
}

static void gather_step(void *ctx, const struct swap_step *step)
{
	struct gather *g = ctx;
	enum swap_field_id id = step->field->id;

	if (g->fn && id == g->list)
		step_list(g, step);
	else if (step->depth != g->depth && step->kind == SWAP_VALUE && id == SWAP_F_PID)
		g->f->outer_pid = (uint32_t)step->value.u;
	if (step->depth != g->depth || step->kind > SWAP_OPEN)
		return;
	g->f->has[id] = true;
	if (step->kind == SWAP_VALUE)
		g->f->v[id] = step->value;
}

static void gather_fields(struct gather *g, const struct swap_message *m)
{
	memset(g->f->has, 0, sizeof(g->f->has));
	if (m->layout)
		swap_walk(m->layout, m->payload, m->len, &m->counts, gather_step, g);
}

void swap_collect(const struct swap_message *m, struct swap_fields *f)
{
	gather_fields(&(struct gather){ .f = f }, m);
}

void swap_each(const struct swap_message *m, enum swap_field_id list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx)
{
	struct swap_fields e = { 0 };

	gather_fields(&(struct gather){ &e, NOWHERE, list, fn, ctx }, m);
}
