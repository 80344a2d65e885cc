// SPDX-License-Identifier: LGPL-2.1
/* Finds and prints where the time of a build went (etrace time).  See times.h. */
#include "answers/times.h"
#include "answers/faster.h"
#include "answers/print_names.h"
#include "answers/timeline_load.h"
#include "base/clock.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "program", "output", "directory" };

/* ---- the slowest ---- */

/* Add a run of @file to a list; only exec, longest, at and until of @one are used. */
static void add_slow(struct times_list *l, uint32_t file, int64_t cpu, const struct times_row *one)
{
	const uint64_t *there = map64_get(&l->by_file, file);
	struct times_row *s;

	if (!there || !l->rows) {
		map64_put(&l->by_file, file, l->n);
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n] = (struct times_row){ .file = file, .longest = -1 };
	}
	s = l->rows + (there ? *there : l->n++);
	s->n++;
	s->took += one->longest;
	s->cpu += cpu > 0 ? cpu : 0;
	if (one->longest <= s->longest)
		return;
	s->longest = one->longest;
	s->exec = one->exec;
	s->at = one->at;
	s->until = one->until;
}

/* By process: CPU time of the process and all its descendants, ns. */
static int64_t *cpu_below(const struct timeline *t)
{
	int64_t *cpu = xcalloc(t->nprocesses + 1, sizeof(*cpu));

	for (uint32_t e = 1; e <= t->nexecs; e++)
		cpu[t->execs[e].process] += t->execs[e].cpu > 0 ? t->execs[e].cpu : 0;
	/* parents have lower numbers */
	for (uint32_t p = (uint32_t)t->nprocesses; p; p--)
		cpu[t->processes[p].parent] += cpu[p];
	return cpu;
}

/* Whether a process begins a job: a build tool started it; without one, each process is a job. */
static bool is_job(const struct timeline *t, uint32_t process)
{
	const struct timeline_process *p = &t->processes[process];

	return !p->schedules && (p->job ? p->job == process : p->exec != 0);
}

/* Each output of a job takes as long as the job. */
static void add_outputs(struct times_list *l, const struct timeline *t)
{
	int64_t *cpu = cpu_below(t);

	for (uint32_t i = 1; i <= t->nprocesses; i++) {
		const struct timeline_process *p = &t->processes[i];
		struct times_row one = {
			.exec = p->exec, .longest = p->until - p->at, .at = p->at, .until = p->until,
		};

		if (is_job(t, i) && t->outputs[i])
			add_slow(l, t->outputs[i], cpu[i], &one);
	}
	free(cpu);
}

/* Add each exec with its own working time. */
static void add_execs(struct times_list *l, const struct timeline *t, enum times_key by)
{
	const struct build *b = build_of(t->db);

	for (uint32_t e = 1; e <= t->nexecs; e++) {
		const struct timeline_exec *x = &t->execs[e];
		struct times_row one = {
			.exec = e, .longest = x->worked, .at = x->at, .until = x->until,
		};

		/* a forked child's work before its execve counts for the program that it runs */
		if (x->process && (!x->forked || !x->next || x->worked))
			add_slow(l, by == TIMES_PROGRAM ? x->program : b->execs[e].cwd, x->cpu, &one);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct times_row *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->file > y->file) - (x->file < y->file);
}

void times_find(struct times_list *l, const struct timeline *t, enum times_key by)
{
	*l = (struct times_list){ 0 };
	if (by == TIMES_OUTPUT)
		add_outputs(l, t);
	else
		add_execs(l, t, by);
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_time);
	map64_clear(&l->by_file);
}

/* The sum of the rows that a list leaves out. */
static struct times_row rest_of(const struct times_list *l, uint64_t top)
{
	struct times_row rest = { 0 };

	for (size_t i = top < l->n ? (size_t)top : l->n; i < l->n; i++) {
		rest.n += l->rows[i].n;
		rest.took += l->rows[i].took;
		rest.cpu += l->rows[i].cpu;
		rest.longest = l->rows[i].longest > rest.longest ? l->rows[i].longest : rest.longest;
	}
	return rest;
}

/* ---- periods with a single working program ---- */

struct alone {
	int64_t from, to;
};

static int by_length(const void *a, const void *b)
{
	const struct alone *x = a, *y = b;
	int64_t nx = x->to - x->from, ny = y->to - y->from;

	if (nx != ny)
		return nx < ny ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

static size_t find_alone(const struct timeline *t, struct alone **list)
{
	size_t n = 0, cap = 0;

	*list = NULL;
	for (size_t i = 0; i < t->nsteps; i++) {
		if (t->steps[i].working > 1)
			continue;
		*list = xgrow(*list, &cap, n + 1, sizeof(**list));
		(*list)[n++] = (struct alone){
			t->steps[i].at, i + 1 < t->nsteps ? t->steps[i + 1].at : t->wall
		};
	}
	if (n)
		qsort(*list, n, sizeof(**list), by_length);
	return n;
}

/* ---- the critical path ---- */

/* A row of the path: for people the segments of timeline_stretch(), otherwise one segment. */
struct part {
	size_t from, n;
	const struct path_segment *longest;
	int64_t took;
};

static int by_took(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Divide the path into parts.  Return: an array of *@n parts, freed by the caller. */
static struct part *parts_of(const struct timeline *t, const struct times *w,
			     const struct critical_path *path, size_t *n)
{
	struct part *parts = xcalloc(path->n + 1, sizeof(*parts));

	*n = 0;
	for (size_t i = 0; i < path->n; i += parts[(*n)++].n) {
		struct part *p = &parts[*n];

		p->from = i;
		p->longest = &path->rows[i];
		p->n = w->json ? 1 : timeline_stretch(t, path, i, &p->longest);
		p->took = path->rows[i + p->n - 1].to - path->rows[i].from;
	}
	if (w->longest)
		qsort(parts, *n, sizeof(*parts), by_took);
	return parts;
}

/* ---- text ---- */

static void put_seconds(struct out *out, int64_t ns, unsigned int width)
{
	out_ratio(out, ns, 1000000000, 3, width);
}

static void put_percent(struct out *out, const struct timeline *t, int64_t ns)
{
	int64_t all = t->wall ? t->wall : 1;
	bool large = ns > INT64_MAX / 100;

	out_ratio(out, large ? ns : 100 * ns, large ? all / 100 : all, 1, 5);
}

static void text_sum(const struct timeline *t, struct out *out)
{
	out_printf(out, "%.3f s", ns_seconds(t->wall));
	if (t->costs)
		out_printf(out, ", %.3f s of CPU time", ns_seconds(t->cpu));
	out_printf(out, "; %.2f programs running on average, %.3f s in total\n", timeline_average(t),
		   ns_seconds(t->worked));
}

static void text_width(const struct timeline *t, struct out *out)
{
	text_sum(t, out);
	out_puts(out, "\nPrograms running at the same time:\n");
	for (size_t i = 0; i < t->nwidths; i++)
		if (t->width[i]) {
			out_printf(out, "  %6zu ", i);
			put_seconds(out, t->width[i], 12);
			out_puts(out, " s ");
			put_percent(out, t, t->width[i]);
			out_puts(out, " %\n");
		}
}

static void text_numbers(const struct timeline *t, const struct times *w, const struct times_row *s)
{
	out_puts(w->out, "  ");
	put_seconds(w->out, s->took, 10);
	out_printf(w->out, " %8" PRIu64 " ", s->n);
	put_seconds(w->out, s->longest, 12);
	if (t->costs) {
		out_puts(w->out, " ");
		put_seconds(w->out, s->cpu, 12);
	}
	out_puts(w->out, "  ");
}

static void text_slow(const struct timeline *t, const struct times *w, const struct times_list *l)
{
	out_printf(w->out, "\nSlowest by %s:\n  %10s %8s %12s", keys[w->by], "total s", "runs",
		   "longest s");
	out_puts(w->out, t->costs ? "        CPU s\n" : "\n");
	for (size_t i = 0; i < l->n && i < w->top; i++) {
		text_numbers(t, w, &l->rows[i]);
		put_file(w->out, t->db, l->rows[i].file);
		out_puts(w->out, "\n");
	}
}

static void text_rest(const struct timeline *t, const struct times *w, const struct times_list *l)
{
	struct times_row rest = rest_of(l, w->top);

	if (l->n <= w->top)
		return;
	text_numbers(t, w, &rest);
	out_printf(w->out, "the rest: %zu more\n", l->n - (size_t)w->top);
}

/* Print what is uncertain. */
static void text_unsure(const struct timeline *t, const struct times *w)
{
	if (t->unsure)
		out_printf(w->out, "\nReaders of pipes may have run %.3f s longer: their CPU time is unknown\n",
			   ns_seconds(t->unsure));
}

static void text_alone(const struct times *w, const struct alone *list, size_t n)
{
	if (!n)
		return;
	out_puts(w->out, "\nTimes with at most one program running, longest first:\n");
	for (size_t i = 0; i < n && i < w->top; i++)
		out_printf(w->out, "  %10.3f s  starting at %.3f s\n",
			   ns_seconds(list[i].to - list[i].from), ns_seconds(list[i].from));
}

static void text_path(const struct timeline *t, const struct times *w,
		      const struct critical_path *path)
{
	static const char *const texts[PATH_WHYS] = {
		[PATH_BEGIN] = "the build began", [PATH_STARTED] = "started by the previous one",
		[PATH_ENDED] = "waited for the previous one to end", [PATH_NEEDED] = "needed ",
		[PATH_PLACE] = "waited for a free job slot",
		[PATH_ORDER] = "ran after the previous one, but used none of its files",
		[PATH_PIPE] = "waited for the previous one at a pipe",
	};
	size_t n;
	struct part *parts = parts_of(t, w, path, &n);

	out_puts(w->out, "\nCritical path: the steps that decided how long the build took\n");
	for (size_t i = 0; i < n; i++) {
		const struct path_segment *s = &path->rows[parts[i].from];
		uint32_t exec = parts[i].longest->exec;

		out_puts(w->out, "  ");
		put_seconds(w->out, parts[i].took, 10);
		out_puts(w->out, " s  at ");
		put_seconds(w->out, s->from, 10);
		out_puts(w->out, " s  ");
		put_percent(w->out, t, parts[i].took);
		out_puts(w->out, " %  ");
		if (!put_name(w->out, t->db, exec ? t->execs[exec].program : 0))
			out_puts(w->out, "no program in the trace");
		if (s->output) {
			out_puts(w->out, " ");
			put_file(w->out, t->db, s->output);
		}
		out_printf(w->out, "  (%s", texts[s->why]);
		if (s->why == PATH_NEEDED)
			put_file(w->out, t->db, s->file);
		out_puts(w->out, ")\n");
	}
	free(parts);
}

/* ---- JSON ---- */

static void json_number(struct json *j, const char *name, int64_t v)
{
	json_key(j, name);
	json_i64(j, v);
}

/* @r: a row of a list, or the rest of it */
static void json_numbers(const struct timeline *t, struct json *j, const struct times_row *r)
{
	json_number(j, "runs", (int64_t)r->n);
	json_number(j, "total_ns", r->took);
	if (t->costs)
		json_number(j, "cpu_ns", r->cpu);
	json_number(j, "longest_ns", r->longest);
}

static void json_slow(const struct timeline *t, const struct times *w, struct json *j,
		      const struct times_list *l)
{
	struct times_row rest = rest_of(l, w->top);

	json_list(j, "slowest");
	for (size_t i = 0; i < l->n && i < w->top; i++) {
		const struct times_row *s = &l->rows[i];

		json_begin(j, '{');
		json_file(j, keys[w->by], t->db, s->file);
		json_numbers(t, j, s);
		json_number(j, "from_ns", s->at);
		json_number(j, "to_ns", s->until);
		json_end(j, '}');
	}
	json_end(j, ']');
	if (l->n <= w->top)
		return;
	json_key(j, "rest");
	json_begin(j, '{');
	json_number(j, "rows", (int64_t)(l->n - (size_t)w->top));
	json_numbers(t, j, &rest);
	json_end(j, '}');
}

static void json_critical(const struct timeline *t, const struct times *w, struct json *j,
			  const struct critical_path *path)
{
	size_t n;
	struct part *parts = parts_of(t, w, path, &n);

	json_list(j, "critical");
	for (size_t i = 0; i < n; i++) {
		const struct path_segment *s = &path->rows[parts[i].from];

		json_begin(j, '{');
		json_number(j, "from_ns", s->from);
		json_number(j, "to_ns", s->to);
		if (s->exec) {
			json_number(j, "exec", s->exec);
			json_file(j, "program", t->db, t->execs[s->exec].program);
		}
		json_file(j, "output", t->db, s->output);
		json_key(j, "why");
		json_cstr(j, path_whys[s->why]);
		if (s->why == PATH_NEEDED)
			json_file(j, "file", t->db, s->file);
		json_end(j, '}');
	}
	json_end(j, ']');
	free(parts);
}

static void put_json(const struct timeline *t, const struct times *w, const struct times_list *l,
		     const struct alone *alone, size_t nalone, const struct critical_path *path,
		     const struct faster *faster)
{
	struct json j = { .out = w->out };

	json_begin(&j, '{');
	json_number(&j, "wall_ns", t->wall);
	json_number(&j, "worked_ns", t->worked);
	json_number(&j, "unsure_ns", t->unsure);
	if (t->costs)
		json_number(&j, "cpu_ns", t->cpu);
	json_number(&j, "endless_ns", faster->endless);
	json_key(&j, "working");
	json_f64(&j, timeline_average(t));
	json_list(&j, "width_ns");
	for (size_t i = 0, last = t->nwidths; i < last; i++)
		json_i64(&j, t->width[i]);
	json_end(&j, ']');
	json_slow(t, w, &j, l);
	json_list(&j, "alone");
	for (size_t i = 0; i < nalone && i < w->top; i++) {
		json_begin(&j, '{');
		json_number(&j, "from_ns", alone[i].from);
		json_number(&j, "to_ns", alone[i].to);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_critical(t, w, &j, path);
	faster_json(t, faster, &j);
	json_end(&j, '}');
	json_line(&j);
}

void times_put(struct db *db, const struct times *w)
{
	struct critical_path path = { 0 };
	struct times_list l;
	struct faster faster;
	struct alone *alone;
	struct timeline t;
	size_t n;

	timeline_load(&t, db);
	if (w->lists)
		timeline_declare(&t, w->lists);
	timeline_path(&t, &path);
	times_find(&l, &t, w->by);
	n = find_alone(&t, &alone);
	faster_find(&faster, &t, &path);
	if (w->json) {
		put_json(&t, w, &l, alone, n, &path, &faster);
	} else {
		text_width(&t, w->out);
		faster_put(&t, &faster, w->out);
		out_printf(w->out, "\nWith unlimited CPUs it would take %.3f s\n",
			   ns_seconds(faster.endless));
		text_slow(&t, w, &l);
		text_rest(&t, w, &l);
		text_unsure(&t, w);
		text_alone(w, alone, n);
		text_path(&t, w, &path);
	}
	free(alone);
	free(l.rows);
	timeline_path_free(&path);
	timeline_free(&t);
}

void times_first(const struct timeline *t, const struct times *w)
{
	static const enum times_key by[] = { TIMES_OUTPUT, TIMES_PROGRAM };

	text_sum(t, w->out);
	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		struct times one = *w;
		struct times_list l;

		one.by = by[i];
		times_find(&l, t, one.by);
		if (l.n)
			text_slow(t, &one, &l);
		free(l.rows);
	}
	text_unsure(t, w);
}
