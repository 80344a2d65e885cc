// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the critical path.  See timeline.h.
 *
 * The search begins at the end of the build: at each moment, one process on the path worked, since
 * it was started or since it stopped waiting for a child or at a pipe. Before that, the path
 * continues with its parent, that child, or the process at the other end of the pipe.
 */
#include "timeline/timeline.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>

const char *const path_whys[PATH_WHYS] = {
	"begin", "started", "ended", "needed", "place", "order", "pipe",
};

/* ---- job slots ---- */

/*
 * By process: whether it took a job slot of a build tool.  Other build tools have their own slots.
 */
static bool *find_jobs(const struct timeline *t)
{
	bool *jobs = xcalloc(t->nprocesses + 1, sizeof(*jobs));

	for (uint32_t p = 1; p <= t->nprocesses; p++)
		jobs[p] = t->processes[p].job == p;
	/* a job that only waits for another build tool takes no slot: sh -c "cd DIR && make" */
	for (uint32_t p = 1; p <= t->nprocesses; p++)
		if (t->processes[p].schedules)
			jobs[t->processes[p].job] = false;
	return jobs;
}

/* Slots that a build tool shares with those below it: number taken now, and maximum. */
struct slots {
	uint32_t used, most;
};

void timeline_find_full(struct timeline *t)
{
	bool *jobs = find_jobs(t);
	struct slots *slots = xcalloc(t->nprocesses + 1, sizeof(*slots));
	uint32_t *used = xcalloc(t->nprocesses + 1, sizeof(*used));

	for (size_t i = 0; i < t->nmoments; i++) {
		uint32_t p = t->moments[i].process;
		struct slots *s = &slots[t->processes[p].tool];

		if (!jobs[p])
			continue;
		if (t->moments[i].ends)
			used[p] = s->used--;
		else
			s->used++;
		s->most = s->used > s->most ? s->used : s->most;
	}
	t->full = xcalloc(t->nprocesses + 1, sizeof(*t->full));
	for (uint32_t p = 1; p <= t->nprocesses; p++) {
		uint32_t tool = t->processes[p].tool, all = t->processes[tool].slots;

		t->full[p] = used[p] && used[p] >= (all ? all : slots[tool].most);
	}
	free(slots);
	free(used);
	free(jobs);
}

/* ---- the walk ---- */

struct walk {
	const struct timeline *t;
	struct critical_path *path;	/* from the last segment to the first, during the walk */
	/* by process: time at which the walk reached it from a process that waited */
	int64_t *arrived;
	uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker);
	void *ctx;
};

/* When a program began: when its process began, if that had only forked before. */
static int64_t begin_of(const struct timeline *t, uint32_t exec)
{
	const struct timeline_process *p = &t->processes[t->execs[exec].process];
	const struct timeline_exec *first = &t->execs[p->exec];

	return exec == p->exec || (first->forked && first->next == exec) ? p->at : t->execs[exec].at;
}

/* A process worked from @from to @to: add a segment for each program that it ran then. */
static void add_segment(struct walk *w, uint32_t process, int64_t from, int64_t to)
{
	struct critical_path *l = w->path;

	while (to > from) {
		uint32_t exec = process ? timeline_exec_at(w->t, process, to - 1) : 0;
		int64_t begin = exec ? begin_of(w->t, exec) : from;

		if (begin < from || begin >= to)
			begin = from;
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n++] = (struct path_segment){
			.exec = exec, .from = begin, .to = to, .why = PATH_STARTED,
		};
		to = begin;
	}
}

/* The child that ended last, at @by or before, and was started before @by; 0 if none. */
static uint32_t last_child(const struct timeline *t, uint32_t process, int64_t by)
{
	const struct timeline_process *p = &t->processes[process];
	const uint32_t *kids = t->kids + p->kids;
	size_t low = partition_point(i, 0, p->nkids, t->processes[kids[i]].until <= by);

	while (low && t->processes[kids[low - 1]].at >= by)
		low--;
	/* a child that ended before its parent began was not waited for */
	return low && (!process || t->processes[kids[low - 1]].until > p->at) ? kids[low - 1] : 0;
}

/* The last wait of a process that began before @by, NULL if none. */
static const struct timeline_wait *last_wait(const struct timeline *t, uint32_t process, int64_t by)
{
	const struct timeline_process *p = &t->processes[process];
	size_t next = partition_point(i, p->waits, p->waits + p->nwaits, t->waits[i].from < by);

	return next > p->waits ? &t->waits[next - 1] : NULL;
}

/*
 * Whether a process waited for @wait->other until @to at most, longer than for its children. False
 * if the walk has already been there at that time: two processes that wait for each other would
 * make it endless.
 */
static bool is_waited_for(const struct walk *w, const struct timeline_wait *wait, uint32_t child,
			  int64_t to)
{
	int64_t until = wait && wait->to < to ? wait->to : to;

	return wait && w->arrived[wait->other] != until &&
	       (!child || w->t->processes[child].until < until);
}

#define NONE SIZE_MAX

/* Explain why @user began only when @child, which the same process had started, had ended. */
static void explain_segment(struct walk *w, size_t begun, uint32_t user, uint32_t child)
{
	struct path_segment *s = &w->path->rows[begun];

	s->file = w->needed ? w->needed(w->ctx, user, child) : 0;
	s->why = s->file ? PATH_NEEDED : w->t->full[child] || !w->needed ? PATH_PLACE : PATH_ORDER;
}

static void walk_back(struct walk *w)
{
	const struct timeline *t = w->t;
	struct critical_path *l = w->path;
	/* 0 stands for the unknown parent of processes without a parent in the trace */
	uint32_t p = 0, user = 0, child;
	int64_t to = t->wall;
	/* index of the first segment of @user, which @p started */
	size_t begun = NONE, n;

	while ((child = last_child(t, p, to)) || p) {
		const struct timeline_process *now = &t->processes[p];
		const struct timeline_wait *wait = last_wait(t, p, to);
		bool waits = is_waited_for(w, wait, child, to);
		int64_t since = waits ? wait->to : child ? t->processes[child].until : now->at;

		n = l->n;
		add_segment(w, p, since, to);
		to = since < to ? since : to;
		if (!waits && !child) {
			begun = l->n > n ? l->n - 1 : NONE;
			user = p;
			p = now->parent;
			continue;
		}
		if (l->n > n)
			l->rows[l->n - 1].why = waits ? PATH_PIPE : PATH_ENDED;
		if (begun != NONE && !waits)
			explain_segment(w, begun, user, child);
		begun = NONE;
		p = waits ? wait->other : child;
		if (waits)
			w->arrived[p] = to;
	}
	add_segment(w, 0, 0, to);
	if (l->n)
		l->rows[l->n - 1].why = PATH_BEGIN;
}

void timeline_walk(const struct timeline *t, struct critical_path *path,
		   uint32_t (*needed)(void *ctx, uint32_t user, uint32_t maker), void *ctx)
{
	struct walk w = { t, path, xcalloc(t->nprocesses + 1, sizeof(int64_t)), needed, ctx };

	*path = (struct critical_path){ 0 };
	for (size_t i = 0; i <= t->nprocesses; i++)
		w.arrived[i] = -1;
	walk_back(&w);
	for (size_t i = 0; i < path->n / 2; i++) {
		struct path_segment s = path->rows[i];

		path->rows[i] = path->rows[path->n - 1 - i];
		path->rows[path->n - 1 - i] = s;
	}
	free(w.arrived);
}

void timeline_path_free(struct critical_path *path)
{
	free(path->rows);
	*path = (struct critical_path){ 0 };
}
