// SPDX-License-Identifier: LGPL-2.1
/* Finds what to make faster first.  See faster.h. */
#include "answers/faster.h"
#include "answers/print_names.h"
#include "base/partition.h"
#include "base/text_num.h"
#include "base/xalloc.h"
#include "io/stats_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of longest steps for which the bound is computed. */
#define LOOKED_AT	16u
/* Minimum saving of a step to be shown, in percent of the build. */
#define WORTH		1
/* A child with at least this share of a process is shown instead of it, in percent. */
#define MOST_OF		60
/*
 * MOST_OF for the children of build tools; also, a step in which no program has this share of
 * the time did many small things.
 */
#define MUCH_OF		30
/* A build tool with at least this share of the build does not count as a step, in percent. */
#define ALL_OF		90

struct finding {
	const struct timeline *t;
	struct endless *endless;
	int64_t *own, *below;	/* by process: its ns on the critical path; with all descendants */
	uint32_t *largest;	/* by process: child with most of the critical path, 0 if none */
	bool *tool;		/* by process: it is a build tool, or one is below it */
	bool *gone;		/* by process: it belongs to the step in question */
	uint32_t most;		/* number of programs that can work at a time */
	int64_t *after;		/* by index of the timeline's steps: all work from then on, ns */
	struct faster_row *rows;
	size_t n, cap;
};

/* ---- work in a period ---- */

/*
 * Number of programs that can work at a time: the observed maximum, or the number of job slots if
 * higher.
 */
static uint32_t most_working(const struct timeline *t)
{
	size_t n = t->nwidths;
	uint32_t most;

	while (n && !t->width[n - 1])
		n--;
	most = n > 1 ? (uint32_t)(n - 1) : 1;
	for (uint32_t p = 1; p <= t->nprocesses; p++)
		most = t->processes[p].slots > most ? t->processes[p].slots : most;
	return most;
}

static int64_t end_of_step(const struct timeline *t, size_t i)
{
	return i + 1 < t->nsteps ? t->steps[i + 1].at : t->wall;
}

static void load_after(struct finding *f)
{
	const struct timeline *t = f->t;

	f->after = xcalloc(t->nsteps + 1, sizeof(*f->after));
	for (size_t i = t->nsteps; i--;)
		f->after[i] = f->after[i + 1] +
			(end_of_step(t, i) - t->steps[i].at) * t->steps[i].working;
}

/* Sum of the work of all programs from a time on, ns. */
static int64_t work_after(const struct finding *f, int64_t at)
{
	const struct timeline *t = f->t;
	size_t next = partition_point(i, 0, t->nsteps, t->steps[i].at <= at);

	if (!next)
		return f->after[0];
	if (at >= end_of_step(t, next - 1))
		return f->after[next];
	return f->after[next] + (end_of_step(t, next - 1) - at) * t->steps[next - 1].working;
}

/* ---- the bound ---- */

/* Working time of a process in ns; @longest: updated to its exec that worked longest. */
static int64_t work_of_process(const struct timeline *t, uint32_t process, uint32_t *longest)
{
	int64_t sum = 0;

	for (uint32_t e = t->processes[process].exec; e; e = t->execs[e].next) {
		sum += t->execs[e].worked;
		if (!*longest || t->execs[e].worked > t->execs[*longest].worked)
			*longest = e;
	}
	return sum;
}

struct asked_step {
	struct finding *f;
	struct faster_row *row;
	int64_t work;
};

static bool add_process(void *ctx, uint32_t process)
{
	struct asked_step *s = ctx;
	const struct timeline_process *p = &s->f->t->processes[process];

	s->f->gone[process] = true;
	s->work += work_of_process(s->f->t, process, &s->row->exec);
	s->row->until = p->until > s->row->until ? p->until : s->row->until;
	return s->row->kind == FASTER_STEP;
}

static void find_bound(struct finding *f, struct faster_row *r)
{
	const struct timeline *t = f->t;
	struct asked_step s = { f, r, 0 };
	int64_t chain, rest, lasted;

	memset(f->gone, 0, (t->nprocesses + 1) * sizeof(*f->gone));
	r->at = t->processes[r->process].at;
	timeline_below(t, r->process, add_process, &s);
	r->took = r->kind == FASTER_STEP ? r->until - r->at : s.work;
	lasted = r->took < s.work ? r->took : s.work;
	chain = endless_without(f->endless, f->gone, r->at);
	rest = r->at + (work_after(f, r->at) - s.work) / f->most;
	chain = rest > chain ? rest : chain;
	r->saves = t->wall - chain < lasted ? t->wall - chain : lasted;
	r->average = r->until > r->at ? (double)(work_after(f, r->at) - work_after(f, r->until)) /
		(double)(r->until - r->at) : 0;
}

/* ---- steps to consider ---- */

/* Whether @part is at least @percent of @whole. */
static bool is_part(int64_t part, int64_t whole, int percent)
{
	return (double)part * 100 >= (double)whole * percent;
}

/*
 * Whether to show a process and its descendants as one step: a build tool started it, or
 * it did many small things. If one child takes most of its time, or it takes most of the
 * build, its descendants are more interesting.
 */
static bool is_step(const struct finding *f, uint32_t process)
{
	const struct timeline_process *p = &f->t->processes[process];
	int64_t largest = f->below[f->largest[process]];

	if (!p->parent)
		return !p->nkids;
	if (f->tool[process])
		return !is_part(f->below[process], f->t->wall, ALL_OF) &&
		       !is_part(largest, f->below[process], MUCH_OF);
	return p->job == process || !f->largest[process] ||
	       !is_part(largest, f->below[process], MOST_OF);
}

static struct faster_row *add_row(struct finding *f, enum faster_kind kind, uint32_t process,
				  int64_t took)
{
	f->rows = xgrow(f->rows, &f->cap, f->n + 1, sizeof(*f->rows));
	f->rows[f->n] = (struct faster_row){ .kind = kind, .process = process, .took = took };
	return &f->rows[f->n++];
}

/* Parents have lower numbers, so whether a process above is a step is known first. */
static void find_steps(struct finding *f)
{
	const struct timeline *t = f->t;
	bool *within = xcalloc(t->nprocesses + 1, sizeof(*within));

	for (uint32_t p = 1; p <= t->nprocesses; p++) {
		within[p] = within[t->processes[p].parent];
		if (within[p] || !f->below[p])
			continue;
		within[p] = is_step(f, p);
		if (within[p])
			add_row(f, FASTER_STEP, p, f->below[p]);
		else if (f->own[p])
			add_row(f, FASTER_ITSELF, p, f->own[p]);
	}
	free(within);
}

static void load_path(struct finding *f, const struct critical_path *path)
{
	const struct timeline *t = f->t;

	for (size_t i = 0; i < path->n; i++)
		if (path->rows[i].exec)
			f->own[t->execs[path->rows[i].exec].process] +=
				path->rows[i].to - path->rows[i].from;
	for (uint32_t p = (uint32_t)t->nprocesses; p; p--) {
		uint32_t parent = t->processes[p].parent;

		f->below[p] += f->own[p];
		f->below[parent] += f->below[p];
		if (f->below[p] > f->below[f->largest[parent]] || !f->largest[parent])
			f->largest[parent] = p;
		f->tool[p] |= t->processes[p].schedules;
		f->tool[parent] |= f->tool[p];
	}
	/* a child that is not on the path does not count */
	for (uint32_t p = 1; p <= t->nprocesses; p++)
		if (!f->below[f->largest[p]])
			f->largest[p] = 0;
	f->below[0] = 0;
}

static int by_took(const void *a, const void *b)
{
	const struct faster_row *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->process > y->process) - (x->process < y->process);
}

static int by_saves(const void *a, const void *b)
{
	const struct faster_row *x = a, *y = b;

	if (x->saves != y->saves)
		return x->saves < y->saves ? 1 : -1;
	return (x->process > y->process) - (x->process < y->process);
}

static bool waited_for_place(const struct critical_path *path)
{
	for (size_t i = 0; i < path->n; i++)
		if (path->rows[i].why == PATH_PLACE)
			return true;
	return false;
}

static void choose_step(struct finding *f, struct faster *to)
{
	if (f->n)
		qsort(f->rows, f->n, sizeof(*f->rows), by_saves);
	for (size_t i = 0; i < f->n && to->n < FASTER_ROWS; i++)
		if (f->rows[i].saves > 0 && is_part(f->rows[i].saves, f->t->wall, WORTH))
			to->rows[to->n++] = f->rows[i];
}

void faster_find(struct faster *to, const struct timeline *t, const struct critical_path *path)
{
	size_t n = t->nprocesses + 1;
	struct finding f = {
		.t = t, .endless = endless_new(t), .most = most_working(t),
		.own = xcalloc(n, sizeof(int64_t)), .below = xcalloc(n, sizeof(int64_t)),
		.largest = xcalloc(n, sizeof(uint32_t)), .tool = xcalloc(n, sizeof(bool)),
		.gone = xcalloc(n, sizeof(bool)),
	};

	*to = (struct faster){ .endless = endless_without(f.endless, NULL, 0) };
	load_after(&f);
	load_path(&f, path);
	find_steps(&f);
	if (f.n)
		qsort(f.rows, f.n, sizeof(*f.rows), by_took);
	f.n = f.n < LOOKED_AT ? f.n : LOOKED_AT;
	for (size_t i = 0; i < f.n; i++)
		find_bound(&f, &f.rows[i]);
	if (waited_for_place(path)) {
		struct faster_row *row = add_row(&f, FASTER_PLACES, 0, t->wall);

		row->until = t->wall;
		row->average = timeline_average(t);
		row->saves = t->wall - to->endless;
	}
	choose_step(&f, to);
	endless_free(f.endless);
	free(f.own);
	free(f.below);
	free(f.largest);
	free(f.tool);
	free(f.gone);
	free(f.after);
	free(f.rows);
}

/* ---- text ---- */

/* Whether a step did many small things: named after its process, not after its longest program. */
static bool is_many(const struct timeline *t, const struct faster_row *r)
{
	return r->kind == FASTER_STEP && !is_part(t->execs[r->exec].worked, r->took, MUCH_OF);
}

void faster_label(const struct timeline *t, const struct faster_row *r, struct buf *to)
{
	if (r->kind == FASTER_PLACES) {
		buf_adds(to, "more CPUs and job slots");
		return;
	}
	if (is_many(t, r))
		answers_label(t->db, t->processes[r->process].last, t->outputs[r->process], to);
	else
		answers_label(t->db, r->exec, t->outputs[r->process], to);
}

bool faster_is_serial(const struct timeline *t, const struct faster_row *r)
{
	return is_many(t, r) && r->average < 1.25;
}

void faster_text(const struct timeline *t, const struct faster_row *r, struct buf *to)
{
	char text[64];

	if (r->kind == FASTER_PLACES) {
		snprintf(text, sizeof(text), "%.1f programs ran at a time", r->average);
		buf_adds(to, text);
		buf_adds(to, " and others waited for a free job slot: more CPUs and job slots");
		return;
	}
	faster_label(t, r, to);
	if (r->kind == FASTER_ITSELF)
		buf_adds(to, " itself, without what it started,");
	snprintf(text, sizeof(text), " takes %s, %.0f %% of the build",
		 text_time((uint64_t)r->took), 100 * (double)r->took / (double)t->wall);
	buf_adds(to, text);
	if (faster_is_serial(t, r))
		buf_adds(to, ", one program at a time");
}

void faster_put(const struct timeline *t, const struct faster *f, struct out *out)
{
	struct buf text = { 0 };

	if (!f->n)
		return;
	out_puts(out, "\nWhat to make faster first, and how much that saves at most:\n");
	for (unsigned int i = 0; i < f->n; i++) {
		text.len = 0;
		faster_text(t, &f->rows[i], &text);
		out_printf(out, "  %12s  ", text_time((uint64_t)f->rows[i].saves));
		stats_put_name(out, text.s, text.len, 0);
		out_puts(out, "\n");
	}
	buf_free(&text);
}

void faster_json(const struct timeline *t, const struct faster *f, struct json *j)
{
	static const char *const kinds[FASTER_KINDS] = {
		[FASTER_STEP] = "step", [FASTER_ITSELF] = "itself", [FASTER_PLACES] = "places",
	};
	struct buf text = { 0 };

	json_list(j, "faster");
	for (unsigned int i = 0; i < f->n; i++) {
		const struct faster_row *r = &f->rows[i];

		text.len = 0;
		faster_text(t, r, &text);
		json_begin(j, '{');
		json_member(j, "kind", kinds[r->kind]);
		json_key(j, "text");
		json_str(j, text.s, text.len);
		json_key(j, "saves_ns");
		json_i64(j, r->saves);
		json_key(j, "took_ns");
		json_i64(j, r->took);
		json_key(j, "from_ns");
		json_i64(j, r->at);
		json_key(j, "to_ns");
		json_i64(j, r->until);
		if (r->process) {
			json_key(j, "exec");
			json_i64(j, r->exec);
			json_file(j, "output", t->db, t->outputs[r->process]);
		}
		json_end(j, '}');
	}
	json_end(j, ']');
	buf_free(&text);
}
