// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the process "build" of a Fuchsia trace, which shows what takes the whole trace
 * to compute: lanes, numbers of running programs, the critical path, and long waits.
 * See Documentation/fxt-mapping.md.
 */
#include "format/fxt_events/etrace_fxt_event.h"
#include "base/xalloc.h"
#include "timeline/lanes.h"

#include <stdio.h>
#include <stdlib.h>

/* Koids of its threads. */
#define BUILD		ETRACE_FXT_BUILD_KOID	/* the critical path is the process's own */
#define FIRST_LANE	(BUILD + 1)
#define FIRST_WAIT	(BUILD + ETRACE_FXT_MAX_LANES + 1)
#define MAX_WAITS	ETRACE_FXT_MAX_WAITS

/* Shows programs that wait for at least 1 % of the build and over half of their own time. */
#define LONG_WAIT(wall)	((wall) / 100)
#define WAITS(slice, cpu) ((cpu) < (slice) / 2)

static struct task thread_of(uint32_t koid)
{
	return (struct task){ .koid = koid, .process = BUILD };
}

static void name_thread(struct fxt_out *f, uint32_t koid, const char *name)
{
	fxt_thread_name(f->w, BUILD, koid, fxt_str(name, strlen(name)));
}

/* The label of a program as text, for the current record. */
static struct fxt_str label_of(struct fxt_out *f, uint32_t exec)
{
	const char *s = timeline_events_label(&f->timeline, exec);

	return fxt_out_text(f, s, strlen(s));
}

static void begin_slice(struct fxt_out *f, const struct task *t, int64_t from, int64_t to,
			struct fxt_str category, struct fxt_str name)
{
	begin_event(f, FXT_EV_DURATION_COMPLETE, f->timeline.begin + (uint64_t)from, t, category,
		    name);
	f->event.value = f->timeline.begin + (uint64_t)to;
}

static void put_program(struct fxt_out *f, const struct task *t, uint32_t exec, int64_t from,
			int64_t to)
{
	struct fxt_str *class = &f->class[f->timeline.works[exec].class];
	uint32_t process = f->timeline.t.execs[exec].process;

	begin_slice(f, t, from, to, used_name(f, class), label_of(f, exec));
	if (!f->view.cuts)
		add_count(f, &f->name[N_PID], f->timeline.pids[process]);
	if (f->timeline.works[exec].failed)
		add_count(f, &f->name[N_FAILED], 1);
}

/* ---- lanes ---- */

static void put_lanes(struct fxt_out *f, const struct lanes *l)
{
	uint32_t shown = l->count < ETRACE_FXT_MAX_LANES ? l->count : ETRACE_FXT_MAX_LANES;
	char name[32];

	for (uint32_t i = 0; i < shown; i++) {
		snprintf(name, sizeof(name), "lane %u", i + 1);
		name_thread(f, FIRST_LANE + i, name);
	}
	for (size_t i = 0; i < l->n; i++) {
		const struct timeline_slice *s = &l->rows[i];
		struct task t = thread_of(FIRST_LANE + s->lane);

		if (s->lane >= shown)
			continue;
		put_program(f, &t, s->exec, s->from, s->to);
		end_event(f);
	}
}

/* ---- numbers of running programs ---- */

struct counting {
	struct fxt_out *f;
	uint32_t written[WORK_CLASSES];	/* last value of each counter */
	int64_t last, least;	/* time of the last point; minimum distance to the next; ns */
	bool begun;
};

static void put_working(void *ctx, int64_t at, const uint32_t *working)
{
	struct counting *c = ctx;
	struct fxt_out *f = c->f;
	struct task t = thread_of(BUILD);

	if (c->begun && at - c->last < c->least)
		return;
	begin_event(f, FXT_EV_COUNTER, f->timeline.begin + (uint64_t)at, &t,
		    used_name(f, &f->name[N_BUILD]), used_name(f, &f->name[N_RUNNING]));
	/* each gets its own track */
	for (unsigned int i = 0; i < WORK_CLASSES; i++)
		if (working[i] != c->written[i])
			add_number(f, &f->class[i], working[i]);
	if (f->record.nargs)
		end_event(f);
	memcpy(c->written, working, sizeof(c->written));
	c->last = at;
	c->begun = true;
}

static void put_counter(struct fxt_out *f, const struct lanes *l)
{
	uint8_t *classes = xcalloc(f->timeline.t.nexecs + 1, sizeof(*classes));
	/* a view has no more points than a screen can show */
	struct counting c = { .f = f, .least = f->view.cuts ? f->timeline.t.wall / 100000 : 0 };

	for (size_t i = 1; i <= f->timeline.t.nexecs; i++)
		classes[i] = f->timeline.works[i].class;
	lanes_steps(l, classes, put_working, &c);
	free(classes);
}

/* ---- the critical path ---- */

static void put_flow(struct fxt_out *f, enum fxt_event_type type, const struct task *t, int64_t at,
		     uint64_t id)
{
	begin_event(f, type, f->timeline.begin + (uint64_t)at, t, used_name(f, &f->name[N_BUILD]),
		    used_name(f, &f->name[N_CRITICAL]));
	f->event.value = id;
	end_event(f);
}

static void put_path(struct fxt_out *f)
{
	struct task t = thread_of(BUILD);
	struct critical_path path = { 0 };

	timeline_walk(&f->timeline.t, &path, NULL, NULL);
	for (size_t i = 0; i < path.n; i++) {
		const struct path_segment *s = &path.rows[i];

		if (s->exec)
			put_program(f, &t, s->exec, s->from, s->to);
		else
			begin_slice(f, &t, s->from, s->to, used_name(f, &f->class[WORK_OTHER]),
				    used_name(f, &f->name[N_NOBODY]));
		add_text(f, &f->name[N_WHY], path_whys[s->why], strlen(path_whys[s->why]));
		end_event(f);
		/* a flow from each segment to the next; both its ends lie within their segments */
		if (i)
			put_flow(f, FXT_EV_FLOW_END, &t, s->from, f->flows);
		if (i + 1 < path.n)
			put_flow(f, FXT_EV_FLOW_BEGIN, &t, s->to - 1, ++f->flows);
	}
	timeline_path_free(&path);
}

/* ---- long waits ---- */

static bool process_waited(const struct fxt_out *f, uint32_t process, int64_t *cpu)
{
	const struct timeline_process *p = &f->timeline.t.processes[process];
	int64_t took = p->until - p->at;

	/* if it ran several programs, or has children, it is not known which of them waited */
	if (p->nkids || !p->last)
		return false;
	*cpu = f->timeline.t.execs[p->last].cpu;
	return *cpu >= 0 && WAITS(took, *cpu) &&
	       took - *cpu >= LONG_WAIT(f->timeline.t.wall) && took;
}

static void put_waits(struct fxt_out *f)
{
	int64_t until[MAX_WAITS], cpu;
	unsigned int n = 0;
	char name[32];

	/* processes are sorted by start time */
	for (uint32_t i = 1; i <= f->timeline.t.nprocesses; i++) {
		const struct timeline_process *p = &f->timeline.t.processes[i];
		unsigned int track = 0;
		struct task t;

		if (!process_waited(f, i, &cpu))
			continue;
		while (track < n && until[track] > p->at)
			track++;
		if (track == MAX_WAITS)
			continue;
		t = thread_of(FIRST_WAIT + track);
		if (track == n) {
			snprintf(name, sizeof(name), "long waits %u", ++n);
			name_thread(f, t.koid, name);
		}
		until[track] = p->until;
		put_program(f, &t, p->last, p->at, p->until);
		add_count(f, &f->name[N_CPU_TIME], (uint64_t)cpu);
		end_event(f);
	}
}

/* ---- the process "build" ---- */

/*
 * Makes Perfetto list the process "build" first: it sorts processes by their time on CPUs, and no
 * other process in the file has any. FXT has no other way to set the order: sort hints exist only
 * in Perfetto's other formats, and the number of slices counts less than CPU time. One nanosecond
 * is enough, so the track of CPU 0 that this creates stays practically empty.
 */
static void put_switch(struct fxt_out *f, int64_t at, bool in)
{
	struct fxt_switch s = {
		.time = f->timeline.begin + (uint64_t)at, .out_state = FXT_THREAD_BLOCKED,
	};

	if (in) {
		s.in_process = s.in_thread = BUILD;
		s.in_priority = 1;
	} else {
		s.out_process = s.out_thread = BUILD;
		s.out_priority = 1;
	}
	fxt_context_switch(f->w, &s);
}

void fxt_out_put_build(struct fxt_out *f)
{
	struct lanes lanes;

	timeline_events_complete(&f->timeline, f->build_end);
	if (!f->timeline.t.wall)
		return;
	lanes_find(&f->timeline.t, &lanes);
	fxt_process_name(f->w, BUILD, FXT_STR("build"));
	name_thread(f, BUILD, "critical path");
	put_switch(f, 0, true);
	put_switch(f, 1, false);
	put_lanes(f, &lanes);
	put_counter(f, &lanes);
	put_path(f);
	put_waits(f);
}
