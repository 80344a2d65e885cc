// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of sockets, and ends of connections that wait at a name for the other end.  See state.h.
 */
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>

/* ---- places ---- */

/* The hash of an absolute path. */
static uint64_t path_hash(struct graph *g, const char *path, size_t len)
{
	const char *full = roots_path(g, path, &len);

	return hash_bytes(full, len);
}

uint64_t place_hash(struct graph *g, const struct process *p, const char *name, size_t len)
{
	const char *cwd = p->cwd ? p->cwd : p->exec.cmd ? p->exec.cmd->cwd : "";

	if (!len)
		return 0;
	if (*name == '@')
		return hash_bytes(name, len);
	if (*name != '/' && *cwd != '/')
		return 0;
	g->path.len = 0;
	if (*name != '/') {
		buf_adds(&g->path, cwd);
		buf_addc(&g->path, '/');
	}
	buf_add(&g->path, name, len);
	path_clean(&g->path);
	return path_hash(g, g->path.s, g->path.len);
}

uint32_t place_of(struct graph *g, uint64_t name)
{
	const uint64_t *place = name ? map64_get(&g->place_names, name) : NULL;

	return place ? (uint32_t)*place : 0;
}

uint32_t place_new(struct graph *g, uint64_t name)
{
	/* row 0 is none */
	g->places = xgrow(g->places, &g->places_cap, g->nplaces + 2, sizeof(*g->places));
	g->places[++g->nplaces] = (struct place){ .name = name };
	map64_put(&g->place_names, name, g->nplaces);
	return (uint32_t)g->nplaces;
}

void place_moved(struct graph *g, const char *from, size_t from_len, const char *to,
		 size_t to_len)
{
	uint64_t name = g->place_names.n ? path_hash(g, from, from_len) : 0;
	uint32_t place = place_of(g, name);

	if (!place)
		return;
	map64_remove(&g->place_names, name);
	g->places[place].name = to ? path_hash(g, to, to_len) : 0;
	if (to)
		map64_put(&g->place_names, g->places[place].name, place);
}

/* ---- ends that wait ---- */

uint32_t meeting_new(struct graph *g, uint32_t there, uint32_t back, uint32_t place, uint64_t ino)
{
	uint32_t row = g->spare_meeting;
	struct meeting *m;

	if (row) {
		g->spare_meeting = g->meetings[row].next;
	} else {
		/* row 0 is none */
		g->meetings = xgrow(g->meetings, &g->meetings_cap, g->nmeetings + 2,
				    sizeof(*g->meetings));
		g->nmeetings++;
		row = (uint32_t)g->nmeetings;
	}
	m = &g->meetings[row];
	*m = (struct meeting){ .there = there, .back = back, .place = place, .ino = ino };
	if (ino)
		map64_put(&g->meetings_by_ino, ino, row);
	if (place) {
		m->next = g->places[place].last;
		g->places[place].last = row;
	}
	return row;
}

void meeting_end(struct graph *g, uint32_t row)
{
	struct meeting *m = &g->meetings[row];
	uint32_t *at;

	if (m->place) {
		for (at = &g->places[m->place].last; *at != row; at = &g->meetings[*at].next)
			;
		*at = m->next;
	}
	if (m->ino)
		map64_remove(&g->meetings_by_ino, m->ino);
	files_release(g, m->there);
	files_release(g, m->back);
	m->next = g->spare_meeting;
	g->spare_meeting = row;
}

/* Whether an end of unknown inode number may be the other end of @m.  @accepts: it accepts */
static bool may_belong(const struct graph *g, const struct meeting *m, bool accepts)
{
	if (!accepts)
		return !m->ino;
	/* if the connecting end were still open, the accepting one would have its inode number */
	return m->n > 0 && (!m->ino || !g->files.objects[m->there].opens);
}

uint32_t meeting_at(const struct graph *g, uint32_t place, bool accepts)
{
	uint32_t found = 0;

	for (uint32_t row = place ? g->places[place].last : 0; row; row = g->meetings[row].next)
		if (may_belong(g, &g->meetings[row], accepts))
			found = row;
	return found;
}

void place_closed(struct graph *g, uint32_t place)
{
	struct place *pl = &g->places[place];

	while (pl->last)
		meeting_end(g, pl->last);
	if (place_of(g, pl->name) == place)
		map64_remove(&g->place_names, pl->name);
}

void meetings_free(struct graph *g)
{
	map64_clear(&g->meetings_by_ino);
	map64_clear(&g->place_names);
	free(g->meetings);
	free(g->places);
}
