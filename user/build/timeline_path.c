// SPDX-License-Identifier: LGPL-2.1
/*
 * The critical path.  See timeline.h.
 *
 * It is found from its end: at each moment somebody works; before that he began, or
 * the last of his children ended, and that one worked.
 */
#include "build/timeline.h"
#include "base/xalloc.h"

#include <stdlib.h>

const char *const line_whys[] = { "begin", "started", "ended", "needed", "place" };

struct walk {
	const struct timeline *t;
	struct line_path *path;	/* the last segment first, at first */
	uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker);
	void *ctx;
};

/* A process worked from @from to @to: a segment for each program that it ran then. */
static void worked(struct walk *w, uint32_t process, int64_t from, int64_t to)
{
	struct line_path *l = w->path;

	while (to > from) {
		uint32_t exec = process ? timeline_exec_at(w->t, process, to - 1) : 0;
		int64_t begin = exec ? w->t->execs[exec].at : from;

		/* a process without execs, or before its first one */
		if (begin < from || begin >= to)
			begin = from;
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n++] = (struct line_segment){
			.exec = exec, .from = begin, .to = to, .why = LINE_STARTED,
		};
		to = begin;
	}
}

/* The child that ended last up to a time, of those that were started before it; 0: none. */
static uint32_t last_child(const struct timeline *t, uint32_t process, int64_t by)
{
	const struct line_process *p = &t->processes[process];
	const uint32_t *kids = t->kids + p->kids;
	uint32_t low = 0, high = p->nkids;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->processes[kids[middle]].until <= by)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && t->processes[kids[low - 1]].at >= by)
		low--;
	/* one that ended before the process began is nothing to wait for */
	return low && (!process || t->processes[kids[low - 1]].until > p->at) ? kids[low - 1] : 0;
}

#define NONE SIZE_MAX

static void walk_back(struct walk *w)
{
	const struct timeline *t = w->t;
	struct line_path *l = w->path;
	/* 0 stands for whoever started what nobody in the trace did */
	uint32_t p = 0, user = 0, child;
	int64_t to = t->wall;
	/* the segment that @user, which @p has started, begins with */
	size_t begun = NONE, n;

	while ((child = last_child(t, p, to)) || p) {
		const struct line_process *now = &t->processes[p];

		n = l->n;
		if (!child) {
			worked(w, p, now->at, to);
			begun = l->n > n ? l->n - 1 : NONE;
			to = now->at;
			user = p;
			p = now->parent;
			continue;
		}
		worked(w, p, t->processes[child].until, to);
		if (l->n > n)
			l->rows[l->n - 1].why = LINE_ENDED;
		if (begun != NONE) {
			l->rows[begun].file = w->needed ? w->needed(w->ctx, user, child) : 0;
			l->rows[begun].why = l->rows[begun].file ? LINE_NEEDED : LINE_PLACE;
		}
		begun = NONE;
		to = t->processes[child].until;
		p = child;
	}
	worked(w, 0, 0, to);
	if (l->n)
		l->rows[l->n - 1].why = LINE_BEGIN;
}

void timeline_walk(const struct timeline *t, struct line_path *path,
		   uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker), void *ctx)
{
	struct walk w = { t, path, needed, ctx };

	*path = (struct line_path){ 0 };
	walk_back(&w);
	for (size_t i = 0; i < path->n / 2; i++) {
		struct line_segment s = path->rows[i];

		path->rows[i] = path->rows[path->n - 1 - i];
		path->rows[path->n - 1 - i] = s;
	}
}

void timeline_path_free(struct line_path *path)
{
	free(path->rows);
	*path = (struct line_path){ 0 };
}
