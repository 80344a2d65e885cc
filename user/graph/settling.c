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

/* Its content is to be found out again.  A change in the trace explains another time stamp. */
void settling_foreign(struct graph *g, uint32_t object)
{
	struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;
	const struct object *o = &g->files.objects[object];

	if (s && o->made == GRAPH_EXISTED && !s->changed)
		s->first = s->reported = 0;
	/* its recorded size is not that of the file any more: there will be no hash */
	if (s && o->made != GRAPH_EXISTED && s->foreign != o->version) {
		s->foreign = o->version;
		s->reported = 0;
	}
}
