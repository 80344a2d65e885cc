// SPDX-License-Identifier: LGPL-2.1
/* Collects the fields of a message by id.  See swap_fields.h. */
#include "format/swap/swap_fields.h"

#include <string.h>

struct gather {
	struct swap_fields *f;
	unsigned int depth;	/* nesting of lists; for swap_each(), 1 is in @list */
	enum swap_field_id list;	/* list of swap_each() */
	void (*fn)(void *ctx, const struct swap_fields *e);
	void *ctx;
	bool begun;		/* an element of @list has begun */
};

static void on_value(void *ctx, const struct swap_field *f, const struct swap_value *v)
{
	struct gather *g = ctx;

	if (g->depth == (g->fn ? 1 : 0)) {
		g->f->has[f->id] = true;
		g->f->v[f->id] = *v;
	} else if (!g->depth && f->id == SWAP_F_PID) {
		g->f->outer_pid = (uint32_t)v->u;
	}
}

static void on_open(void *ctx, const struct swap_field *f, uint32_t count)
{
	struct gather *g = ctx;

	(void)count;
	if (!g->fn && !g->depth)
		g->f->has[f->id] = true;
	if (!g->fn || f->id == g->list || g->depth)
		g->depth++;
}

static void end_element(struct gather *g)
{
	if (g->begun)
		g->fn(g->ctx, g->f);
	g->begun = false;
}

static void on_next(void *ctx, const struct swap_field *f)
{
	struct gather *g = ctx;

	if (!g->fn || f->id != g->list)
		return;
	end_element(g);
	memset(g->f->has, 0, sizeof(g->f->has));
	g->begun = true;
}

static void on_close(void *ctx, const struct swap_field *f)
{
	struct gather *g = ctx;

	if (g->fn && f->id == g->list)
		end_element(g);
	if (g->depth)
		g->depth--;
}

static void gather_fields(struct gather *g, const struct swap_message *m)
{
	static const struct swap_visitor visitor = { on_value, on_open, on_next, on_close };

	memset(g->f->has, 0, sizeof(g->f->has));
	if (m->layout)
		swap_walk(m->layout, m->payload, m->len, &m->counts, &visitor, g);
}

void swap_collect(const struct swap_message *m, struct swap_fields *f)
{
	gather_fields(&(struct gather){ .f = f }, m);
}

void swap_each(const struct swap_message *m, enum swap_field_id list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx)
{
	struct swap_fields e = { 0 };

	gather_fields(&(struct gather){ .f = &e, .list = list, .fn = fn, .ctx = ctx }, m);
}
