// SPDX-License-Identifier: LGPL-2.1
/* Versions that began while their file was open.  See renewals.h. */
#include "graph/renewals.h"
#include "base/xalloc.h"
#include "graph/state.h"

void renewal_note(struct graph *g, uint32_t i, uint32_t exec, bool anew)
{
	struct renewals *all = &g->files.renewals;
	struct object *o = &g->files.objects[i];
	uint32_t row = all->spare;

	if (row) {
		all->spare = all->rows[row].before;
	} else {
		row = ++all->n;
		all->rows = xgrow(all->rows, &all->cap, (size_t)row + 1, sizeof(*all->rows));
	}
	all->rows[row] = (struct renewal){ o->version, exec, o->renewal, anew, o->at };
	o->renewal = row;
}

/* Row @row, if its version is later than those of @d. */
static const struct renewal *later_row(const struct graph *g, const struct description *d,
				       uint32_t row)
{
	const struct renewal *r = row ? &g->files.renewals.rows[row] : NULL;

	return r && r->version > d->reads && r->version > d->writes ? r : NULL;
}

uint32_t renewal_last(const struct graph *g, const struct description *d)
{
	const struct renewal *r = later_row(g, d, object_of(g, d)->renewal);

	return r ? r->version : 0;
}

void renewals_report(struct graph *g, const struct fd *fd, struct graph_access *a)
{
	const struct description *d = fd->d;
	const struct renewal *r = later_row(g, d, object_of(g, d)->renewal);
	bool reads = a->how == GRAPH_READ, within = !a->counted || a->bytes;

	a->counted = a->copied = false;
	for (; r && within; r = later_row(g, d, r->before)) {
		within = r->at > fd->at;
		/* an exec's own writes are no input */
		if (reads ? r->exec == a->exec : !r->anew)
			continue;
		a->version = r->version;
		a->at = within ? r->at : fd->at;
		GRAPH_EMIT(g, access, a);
		within &= reads;
	}
}

void renewals_drop(struct graph *g, uint32_t i)
{
	struct renewals *all = &g->files.renewals;
	struct object *o = &g->files.objects[i];

	while (o->renewal) {
		struct renewal *r = &all->rows[o->renewal];
		uint32_t before = r->before;

		r->before = all->spare;
		all->spare = o->renewal;
		o->renewal = before;
	}
}
