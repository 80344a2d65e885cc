// SPDX-License-Identifier: LGPL-2.1
/* Descriptor tables, and open file descriptions.  See state.h. */
#include "graph/state.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct fdtab *fdtab_new(void)
{
	struct fdtab *t = xcalloc(1, sizeof(*t));

	t->refs = 1;
	return t;
}

struct fdtab *fdtab_copy(const struct fdtab *from)
{
	struct fdtab *t = fdtab_new();
	size_t n = from->cap;

	while (n && !from->fds[n - 1].d)
		n--;
	if (!n)
		return t;
	t->fds = xmemdup(from->fds, n * sizeof(*t->fds));
	t->cap = n;
	for (size_t i = 0; i < n; i++) {
		if (t->fds[i].d)
			t->fds[i].d->refs++;
		t->fds[i].lent = t->fds[i].own = t->fds[i].placed = t->fds[i].given = false;
	}
	return t;
}

struct description *description_new(struct graph *g, uint32_t object, uint32_t file)
{
	struct description *d = g->spare;

	if (d)
		g->spare = d->other;
	else
		d = xmalloc(sizeof(*d));
	*d = (struct description){ .refs = 1, .object = object, .file = file };
	files_hold(g, object);
	g->files.objects[object].opens++;
	return d;
}

/*
 * Called when @d is freed: if nothing read from it, the only program that began with it counts as
 * its reader.
 */
static void emit_heir(struct graph *g, const struct description *d)
{
	const struct graph_access a = {
		.exec = d->heir, .version = d->reads, .file = d->file, .how = GRAPH_READ,
		.class = GRAPH_DATA, .counted = true, .at = d->heir_at, .until = g->last,
	};

	if (d->heir && !d->many_heirs && !d->was_read)
		GRAPH_EMIT(g, access, &a);
}

void description_drop(struct graph *g, struct description *d)
{
	if (--d->refs)
		return;
	emit_heir(g, d);
	settled_drop(g, d);
	if (d->place)
		place_closed(g, d->place);
	if (d->other)
		d->other->other = NULL;
	/* when the last descriptor of a FIFO is closed, its unread data is gone */
	if (!--object_of(g, d)->opens) {
		object_of(g, d)->drained = object_of(g, d)->made == GRAPH_FIFO;
		if (object_of(g, d)->renewal)
			renewals_drop(g, d->object);
	}
	files_release(g, d->object);
	d->other = g->spare;
	g->spare = d;
}

void descriptions_free(struct graph *g)
{
	while (g->spare) {
		struct description *d = g->spare;

		g->spare = d->other;
		free(d);
	}
}

void fdtab_drop(struct graph *g, struct fdtab *t)
{
	if (!t || --t->refs)
		return;
	for (size_t i = 0; i < t->cap; i++)
		if (t->fds[i].d)
			description_drop(g, t->fds[i].d);
	free(t->fds);
	free(t);
}

struct fd *fd_get(const struct fdtab *t, int64_t fd)
{
	return fd >= 0 && (uint64_t)fd < t->cap && t->fds[fd].d ? &t->fds[fd] : NULL;
}

struct fd *fd_put(struct graph *g, struct fdtab *t, int64_t fd, struct description *d)
{
	struct fd *to;

	if (fd < 0 || fd >= FD_MAX) {
		description_drop(g, d);
		return NULL;
	}
	if ((size_t)fd >= t->cap) {
		size_t old = t->cap;

		t->fds = xgrow(t->fds, &t->cap, (size_t)fd + 1, sizeof(*t->fds));
		memset(t->fds + old, 0, (t->cap - old) * sizeof(*t->fds));
	}
	to = &t->fds[fd];
	if (to->d)
		description_drop(g, to->d);
	*to = (struct fd){ .d = d, .own = true };
	return to;
}

struct fd *fd_open(struct graph *g, struct process *p, int64_t number, struct description *d,
		   int64_t at, bool cloexec)
{
	struct fd *fd = fd_put(g, p->fds, number, d);

	if (fd) {
		fd->at = at;
		fd->cloexec = cloexec;
		fd->placed = true;
	}
	return fd;
}

void fd_close(struct graph *g, struct fdtab *t, int64_t fd)
{
	struct fd *from = fd_get(t, fd);

	if (!from)
		return;
	description_drop(g, from->d);
	*from = (struct fd){ 0 };
}
