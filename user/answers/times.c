// SPDX-License-Identifier: LGPL-2.1
/* What etrace time says.  See times.h. */
#include "answers/times.h"
#include "answers/put.h"
#include "answers/line.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "program", "output", "directory" };

bool times_by(struct times *w, const char *name)
{
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!name || !strcmp(name, keys[i])) {
			w->by = (enum times_key)i;
			return true;
		}
	return false;
}

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

/* ---- the slowest ---- */

static void add_slow(struct times_list *l, uint32_t file, uint32_t exec, int64_t at, int64_t until,
		     int64_t cpu)
{
	const uint64_t *there = map64_get(&l->by_file, file);
	int64_t took = until - at;
	struct times_row *s;

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	if (!there) {
		map64_put(&l->by_file, file, l->n);
		l->rows[l->n] = (struct times_row){ .file = file, .longest = -1 };
		s = &l->rows[l->n++];
	} else {
		s = &l->rows[*there];
	}
	s->n++;
	s->took += took;
	s->cpu += cpu > 0 ? cpu : 0;
	if (took <= s->longest)
		return;
	s->longest = took;
	s->exec = exec;
	s->at = at;
	s->until = until;
}

static uint32_t cwd_of(struct db *db, uint32_t exec)
{
	return (uint32_t)db_one(db, "SELECT cwd FROM exec WHERE id = ?", "i", (int64_t)exec);
}

struct cpu {
	const struct timeline *t;
	int64_t sum;
};

static bool add_cpu(void *ctx, uint32_t process)
{
	struct cpu *c = ctx;

	for (uint32_t e = c->t->processes[process].exec; e; e = c->t->execs[e].next)
		c->sum += c->t->execs[e].cpu > 0 ? c->t->execs[e].cpu : 0;
	return true;
}

/* Processor time of a process and all below it. */
static int64_t cpu_below(const struct timeline *t, uint32_t process)
{
	struct cpu c = { t, 0 };

	timeline_below(t, process, add_cpu, &c);
	return c.sum;
}

/* What a build tool started, with all that it did; without one, each process by itself. */
static bool is_job(const struct timeline *t, uint32_t process)
{
	const struct line_process *p = &t->processes[process];

	return !p->schedules && (p->job ? p->job == process : p->exec != 0);
}

/* All outputs of a job take as long as that. */
static void add_outputs(struct times_list *l, const struct timeline *t, uint32_t process,
			const uint32_t *outputs)
{
	uint32_t output = outputs ? outputs[process] : timeline_output(t, process);
	const struct line_process *p = &t->processes[process];

	if (output)
		add_slow(l, output, p->exec, p->at, p->until, cpu_below(t, process));
}

static int by_time(const void *a, const void *b)
{
	const struct times_row *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->file > y->file) - (x->file < y->file);
}

void times_find(struct times_list *l, const struct timeline *t, enum times_key by,
		const uint32_t *outputs)
{
	*l = (struct times_list){ 0 };
	if (by == TIMES_OUTPUT)
		for (uint32_t p = 1; p <= t->nprocesses; p++)
			if (is_job(t, p))
				add_outputs(l, t, p, outputs);
	for (uint32_t e = 1; e <= t->nexecs && by != TIMES_OUTPUT; e++) {
		const struct line_exec *x = &t->execs[e];
		const struct line_process *p = &t->processes[x->process];

		/* what only waits for others is slow because they are */
		if (x->process && !p->nkids)
			add_slow(l, by == TIMES_PROGRAM ? x->program : cwd_of(t->db, e), e, x->at,
				 x->until, x->cpu);
	}
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_time);
	map64_clear(&l->by_file);
}

/* ---- stretches in which one alone worked ---- */

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

/* ---- text ---- */

static void text_sum(const struct timeline *t, struct out *out)
{
	out_printf(out, "%.3f s", seconds(t->wall));
	if (t->costs)
		out_printf(out, ", %.3f s of processor time", seconds(t->cpu));
	out_printf(out, "; %.2f programs worked on average\n", timeline_average(t));
}

static void text_width(const struct timeline *t, struct out *out)
{
	text_sum(t, out);
	out_puts(out, "\nPrograms at work at the same time:\n");
	for (size_t i = 0; i < t->nwidths; i++)
		if (t->width[i])
			out_printf(out, "  %6zu %12.3f s %5.1f %%\n", i, seconds(t->width[i]),
				   100.0 * (double)t->width[i] / (double)(t->wall ? t->wall : 1));
}

static void text_slow(const struct timeline *t, const struct times *w, const struct times_list *l)
{
	out_printf(w->out, "\nSlowest by %s:\n  %10s %8s %12s", keys[w->by], "total s", "runs",
		   "longest s");
	out_puts(w->out, t->costs ? "  processor s\n" : "\n");
	for (size_t i = 0; i < l->n && i < w->top; i++) {
		const struct times_row *s = &l->rows[i];

		out_printf(w->out, "  %10.3f %8" PRIu64 " %12.3f", seconds(s->took), s->n,
			   seconds(s->longest));
		if (t->costs)
			out_printf(w->out, " %12.3f", seconds(s->cpu));
		out_puts(w->out, "  ");
		put_file(w->out, t->db, s->file);
		out_puts(w->out, "\n");
	}
}

static void text_alone(const struct times *w, const struct alone *list, size_t n)
{
	if (!n)
		return;
	out_puts(w->out, "\nAt most one program at work, longest first:\n");
	for (size_t i = 0; i < n && i < w->top; i++)
		out_printf(w->out, "  %10.3f s  from %.3f s on\n", seconds(list[i].to - list[i].from),
			   seconds(list[i].from));
}

static void text_path(const struct timeline *t, const struct times *w,
		      const struct line_path *path)
{
	static const char *const texts[] = {
		[LINE_BEGIN] = "the build begins", [LINE_STARTED] = "as it was started",
		[LINE_ENDED] = "when that ended", [LINE_NEEDED] = "it needed ",
		[LINE_PLACE] = "when that ended: no other place, or its turn",
	};

	out_puts(w->out, "\nCritical path: what decided how long it took\n");
	for (size_t i = 0, n; i < path->n; i += n) {
		const struct line_segment *s = &path->rows[i], *longest;

		n = timeline_stretch(t, path, i, &longest);
		out_printf(w->out, "  %10.3f s  at %10.3f s  ", seconds(s[n - 1].to - s->from),
			   seconds(s->from));
		if (!put_name(w->out, t->db, longest->exec ? t->execs[longest->exec].program : 0))
			out_puts(w->out, "nobody in the trace");
		if (s->output) {
			out_puts(w->out, " ");
			put_file(w->out, t->db, s->output);
		}
		out_printf(w->out, "  (%s", texts[s->why]);
		if (s->why == LINE_NEEDED)
			put_file(w->out, t->db, s->file);
		out_puts(w->out, ")\n");
	}
}

/* ---- JSON ---- */

static void json_number(struct json *j, const char *name, int64_t v)
{
	json_key(j, name);
	json_i64(j, v);
}

static void json_slow(const struct timeline *t, const struct times *w, struct json *j,
		      const struct times_list *l)
{
	json_key(j, "slowest");
	json_begin(j, '[');
	for (size_t i = 0; i < l->n && i < w->top; i++) {
		const struct times_row *s = &l->rows[i];

		json_begin(j, '{');
		json_file(j, keys[w->by], t->db, s->file);
		json_number(j, "runs", (int64_t)s->n);
		json_number(j, "total_ns", s->took);
		if (t->costs)
			json_number(j, "cpu_ns", s->cpu);
		json_number(j, "longest_ns", s->longest);
		json_number(j, "from_ns", s->at);
		json_number(j, "to_ns", s->until);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_critical(const struct timeline *t, struct json *j, const struct line_path *path)
{
	json_key(j, "critical");
	json_begin(j, '[');
	for (size_t i = 0; i < path->n; i++) {
		const struct line_segment *s = &path->rows[i];

		json_begin(j, '{');
		json_number(j, "from_ns", s->from);
		json_number(j, "to_ns", s->to);
		if (s->exec) {
			json_number(j, "exec", s->exec);
			json_file(j, "program", t->db, t->execs[s->exec].program);
		}
		json_file(j, "output", t->db, s->output);
		json_key(j, "why");
		json_cstr(j, line_whys[s->why]);
		if (s->why == LINE_NEEDED)
			json_file(j, "file", t->db, s->file);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_json(const struct timeline *t, const struct times *w, const struct times_list *l,
		     const struct alone *alone, size_t nalone, const struct line_path *path,
		     int64_t endless)
{
	struct json j = { .out = w->out };

	json_begin(&j, '{');
	json_number(&j, "wall_ns", t->wall);
	if (t->costs)
		json_number(&j, "cpu_ns", t->cpu);
	json_number(&j, "endless_ns", endless);
	json_key(&j, "working");
	json_f64(&j, timeline_average(t));
	json_key(&j, "width_ns");
	json_begin(&j, '[');
	for (size_t i = 0, last = t->nwidths; i < last; i++)
		json_i64(&j, t->width[i]);
	json_end(&j, ']');
	json_slow(t, w, &j, l);
	json_key(&j, "alone");
	json_begin(&j, '[');
	for (size_t i = 0; i < nalone && i < w->top; i++) {
		json_begin(&j, '{');
		json_number(&j, "from_ns", alone[i].from);
		json_number(&j, "to_ns", alone[i].to);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_critical(t, &j, path);
	json_end(&j, '}');
	json_line(&j);
}

void times_put(struct db *db, const struct times *w)
{
	struct line_path path = { 0 };
	struct times_list l;
	struct alone *alone;
	struct timeline t;
	int64_t endless;
	size_t n;

	timeline_load(&t, db);
	timeline_path(&t, &path);
	endless = timeline_endless(&t);
	times_find(&l, &t, w->by, NULL);
	n = find_alone(&t, &alone);
	if (w->json) {
		put_json(&t, w, &l, alone, n, &path, endless);
	} else {
		text_width(&t, w->out);
		out_printf(w->out, "\nWith endless processors it would take %.3f s\n", seconds(endless));
		text_slow(&t, w, &l);
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
		times_find(&l, t, one.by, NULL);
		if (l.n)
			text_slow(t, &one, &l);
		free(l.rows);
	}
}
