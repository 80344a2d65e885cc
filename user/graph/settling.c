// SPDX-License-Identifier: LGPL-2.1
/* Tracks who may still change a file, for settled.c.  See state.h. */
#include "base/xalloc.h"
#include "graph/state.h"

#include <string.h>

struct settling *settling_of(struct graph *g, uint32_t object)
{
	if (object >= g->nsettling) {
		size_t old = g->nsettling;

		g->nsettling = object + 1ul;
		g->settling = xgrow(g->settling, &g->settling_cap, g->nsettling, sizeof(*g->settling));
		memset(g->settling + old, 0, (g->nsettling - old) * sizeof(*g->settling));
	}
	return &g->settling[object];
}

void settling_sized(struct graph *g, uint32_t object)
{
	if (g->ops->settled)
		settling_of(g, object)->sized = true;
}

bool settling_is_left(const struct graph *g, uint32_t object)
{
	return g->ops->settled && object < g->nsettling && !g->settling[object].writers &&
	       g->settling[object].sized;
}

/* The file was changed by something unrecorded, or by a call whose event comes later. */
const char settling_other[] = "changed before it was used again";

void settling_unsure(struct graph *g, uint32_t object, const char *why)
{
	struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;
	const struct object *o = &g->files.objects[object];

	if (!s || !object || !o->version || o->made > GRAPH_CHANGED || s->unsure == o->version)
		return;
	s->unsure = o->version;
	s->again = 0;
	s->why = why;
	s->reported = 0;
}

bool settling_is_timed(const struct graph *g, uint32_t object)
{
	return object < g->nsettling && g->settling[object].timed == g->files.objects[object].version;
}

void settling_foreign(struct graph *g, uint32_t object)
{
	struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;

	if (!s)
		return;
	settling_unsure(g, object, settling_other);
	s->again = s->unsure;
	/* report it again, with the time of this use: its content is not older */
	if (g->files.objects[object].made == GRAPH_EXISTED)
		s->first = s->reported = 0;
}

void settling_again(struct graph *g, uint32_t object)
{
	struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;

	if (s)
		s->reported = 0;
}
