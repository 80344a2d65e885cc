// SPDX-License-Identifier: LGPL-2.1
/* Builds a timeline from events.  See timeline_events.h. */
#include "timeline/timeline_events.h"
#include "base/xalloc.h"
#include "timeline/work.h"

#include <stdlib.h>
#include <string.h>

static int64_t since_begin(struct timeline_events *l, uint64_t time)
{
	if (!l->begun)
		l->begin = time;
	l->begun = true;
	/* 0 if it arrived too late to be in order */
	return time > l->begin ? (int64_t)(time - l->begin) : 0;
}

static uint32_t process_of(const struct timeline_events *l, const struct task *t)
{
	const uint64_t *there = t ? map64_get(&l->by_koid, t->process) : NULL;

	return there ? (uint32_t)*there : 0;
}

uint32_t timeline_events_exec(const struct timeline_events *l, const struct task *t)
{
	uint32_t process = process_of(l, t);

	return process ? l->t.processes[process].last : 0;
}

static uint32_t add_process(struct timeline_events *l, const struct task *t, uint32_t parent,
			    int64_t at)
{
	uint32_t id = (uint32_t)(l->t.nprocesses += 1);

	l->t.processes = xgrow(l->t.processes, &l->processes_cap, id + 1,
			       sizeof(*l->t.processes));
	l->pids = xgrow(l->pids, &l->pids_cap, id + 1, sizeof(*l->pids));
	l->live = xgrow(l->live, &l->live_cap, id + 1, sizeof(*l->live));
	/* row 0 means none */
	if (id == 1) {
		l->t.processes[0] = (struct timeline_process){ 0 };
		l->pids[0] = l->live[0] = 0;
	}
	l->t.processes[id] = (struct timeline_process){ .parent = parent, .at = at, .until = at };
	l->pids[id] = t->pid;
	l->live[id] = 0;
	map64_put(&l->by_koid, t->process, id);
	return id;
}

/* Record that the last program of a process lived at least until @at. */
static void end_exec(struct timeline_events *l, uint32_t process, int64_t at)
{
	struct timeline_process *p = &l->t.processes[process];

	if (p->last && at > l->t.execs[p->last].until)
		l->t.execs[p->last].until = at;
	p->until = at > p->until ? at : p->until;
}

/* Label a fork as its parent.  Return: false if that is unknown. */
static bool label_fork(struct timeline_events *l, uint32_t exec, uint32_t parent)
{
	uint32_t before = parent ? l->t.processes[parent].last : 0;
	size_t len;
	char *room;

	if (!before)
		return false;
	len = strcspn(timeline_events_label(l, before), " ");
	/* buf_room() may move the labels: get the parent's after it */
	room = buf_room(&l->labels, len + 1);
	memcpy(room, timeline_events_label(l, before), len);
	room[len] = '\0';
	l->labels.len += len + 1;
	l->works[exec].class = l->works[before].class;
	return true;
}

static void label_exec(struct timeline_events *l, uint32_t exec, const struct task *t,
		       const struct et_event *ev)
{
	size_t n = t->execed && ev->kind == ET_K_EXEC ? ev->nargs : 0;
	struct work_arg few[64], *args = n > 64 ? xcalloc(n, sizeof(*args)) : few;

	work_args(args, ev, n);
	l->works[exec].class = (uint8_t)work_of(t->program, t->program_len, args, n, &l->labels);
	buf_addc(&l->labels, '\0');
	if (args != few)
		free(args);
}

static void add_exec(struct timeline_events *l, uint32_t process, const struct task *t,
		     const struct et_event *ev, int64_t at)
{
	uint32_t id = (uint32_t)(l->t.nexecs += 1), where = (uint32_t)l->labels.len;

	l->t.execs = xgrow(l->t.execs, &l->execs_cap, id + 1, sizeof(*l->t.execs));
	l->works = xgrow(l->works, &l->works_cap, id + 1, sizeof(*l->works));
	if (id == 1) {
		l->t.execs[0] = (struct timeline_exec){ 0 };
		l->works[0] = (struct timeline_work){ 0 };
	}
	l->t.execs[id] = (struct timeline_exec){ .process = process, .at = at, .until = at,
		.cpu = -1,
					     .forked = !t->execed };
	l->works[id] = (struct timeline_work){ .label = where };
	if (t->execed || !label_fork(l, id, l->t.processes[process].parent))
		label_exec(l, id, t, ev);
	timeline_add_exec(&l->t, id);
	if (t->execed && timeline_schedules(t->program, t->program_len))
		l->t.processes[process].schedules = true;
}

void timeline_events_begin(struct timeline_events *l, struct proctab *tab, const struct task *t,
			   const struct task *parent, const struct et_event *ev)
{
	int64_t at = since_begin(l, ev->time);
	/* another new process with a known koid reuses it */
	uint32_t process = t->thread || t->execed ? process_of(l, t) : 0;

	if (!process) {
		const struct task *maker = parent ? parent : proctab_find(tab, t->parent);

		process = add_process(l, t, process_of(l, maker), at);
	} else if (t->execed) {
		/* this ended its previous program */
		end_exec(l, process, at);
	} else {
		l->live[process]++;
		return;
	}
	if (!t->execed || !l->live[process])
		l->live[process]++;
	add_exec(l, process, t, ev, at);
}

/* ns, user and system; -1 if unknown or impossible */
static int64_t cpu_of(const struct et_event *ev)
{
	int64_t user = et_value(ev, ET_V_EXIT_utime, -1), system = et_value(ev, ET_V_EXIT_stime, -1);

	return user < 0 || system < 0 || user > INT64_MAX - system ? -1 : user + system;
}

void timeline_events_end(struct timeline_events *l, const struct task *t, enum task_end why,
			 uint64_t time, const struct et_event *ev)
{
	uint32_t process = process_of(l, t);
	struct timeline_process *p = &l->t.processes[process];

	if (!process || why == TASK_EXEC)
		return;
	end_exec(l, process, since_begin(l, time));
	if (why == TASK_EXIT && p->last && ev->kind == ET_K_EXIT && !t->thread) {
		l->t.execs[p->last].cpu = cpu_of(ev);
		l->t.costs |= l->t.execs[p->last].cpu >= 0;
		l->works[p->last].failed = et_value(ev, ET_V_EXIT_status, 0) ||
					   et_value(ev, ET_V_EXIT_signal, 0);
	}
	if (l->live[process] && --l->live[process])
		return;
	map64_remove(&l->by_koid, t->process);
}

void timeline_events_complete(struct timeline_events *l, uint64_t time)
{
	l->t.wall = since_begin(l, time);
	if (!l->t.processes)
		l->t.processes = xcalloc(1, sizeof(*l->t.processes));
	if (!l->t.execs)
		l->t.execs = xcalloc(1, sizeof(*l->t.execs));
	/* processes that were still alive when the trace ended */
	for (size_t i = 1; i <= l->t.nprocesses; i++)
		if (l->t.processes[i].until > l->t.wall)
			l->t.processes[i].until = l->t.wall;
	for (size_t i = 1; i <= l->t.nexecs; i++)
		if (l->t.execs[i].until > l->t.wall)
			l->t.execs[i].until = l->t.wall;
	timeline_link(&l->t);
}

void timeline_events_free(struct timeline_events *l)
{
	timeline_free(&l->t);
	free(l->works);
	free(l->pids);
	free(l->live);
	buf_free(&l->labels);
	map64_clear(&l->by_koid);
}
