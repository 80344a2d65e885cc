// SPDX-License-Identifier: LGPL-2.1
/* Writes the processes and programs of a page, and their times.  See page_parts.h. */
#include "answers/failures.h"
#include "show/page_parts.h"
#include "answers/times.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "timeline/lanes.h"
#include "timeline/work.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define SLOWEST 200u	/* maximum number of rows of each list */

/* How a program ended. */
enum end {
	END_UNKNOWN, END_STATUS, END_SIGNAL, END_EXEC
};

struct program {
	int64_t rss;		/* largest resident size in KiB, -1 if unknown */
	int32_t value;		/* exit status or signal, depending on @end */
	uint32_t label, parent;
	uint8_t end;		/* enum end */
	uint8_t failure;	/* enum failure_kind */
};

#define PAGE_COUNTS	7

struct page_times {
	struct program *programs;	/* by exec */
	uint8_t *classes;		/* by exec */
	struct buf labels;		/* each label once, ended by a NUL */
	size_t *label_at;		/* by number: offset in @labels */
	size_t nlabels, label_cap;
	struct map64 label;		/* by hash of a label: its number */
	struct lanes lanes;
	struct critical_path path;
	size_t nsteps;
	struct times_list slowest[3];	/* by enum times_key */
	struct page_count {
		const char *name;
		uint64_t n;
	} counts[PAGE_COUNTS];		/* kept for the section meta, which is written last */
};

/* ---- loading ---- */

static uint32_t label_of(struct page_times *pt, const struct buf *label)
{
	uint64_t hash = hash_bytes(label->s, label->len), *there = map64_get(&pt->label, hash);

	if (there)
		return (uint32_t)*there;
	map64_put(&pt->label, hash, pt->nlabels);
	pt->label_at = xgrow(pt->label_at, &pt->label_cap, pt->nlabels + 1, sizeof(*pt->label_at));
	pt->label_at[pt->nlabels] = pt->labels.len;
	buf_add(&pt->labels, label->s, label->len);
	buf_addc(&pt->labels, 0);
	return (uint32_t)pt->nlabels++;
}

/* Memory to make labels, reused for each program. */
struct worker {
	struct buf args, label;
	struct work_arg *list;
	size_t *at;		/* offset of each argument in @args; then the end */
	size_t n, list_cap, at_cap;
};

static void take_args(const struct args *a, struct worker *w, uint32_t exec)
{
	size_t len;

	w->n = 0;
	w->args.len = 0;
	for (uint32_t i = 0; i < args_of(a, exec) && db_args_fit(a->db, w->args.len); i++) {
		const char *s = args_text(a, args_string(a, exec, i), &len);

		w->at = xgrow(w->at, &w->at_cap, w->n + 1, sizeof(*w->at));
		w->at[w->n++] = w->args.len;
		buf_add(&w->args, s, len);
		buf_addc(&w->args, 0);
	}
	w->list = xgrow(w->list, &w->list_cap, w->n + 1, sizeof(*w->list));
	for (size_t i = 0; i < w->n; i++) {
		size_t to = i + 1 < w->n ? w->at[i + 1] : w->args.len;

		w->list[i] = (struct work_arg){ w->args.s + w->at[i], to - w->at[i] - 1 };
	}
}

static uint8_t end_of(const struct build_exec *e, int32_t *value)
{
	*value = 0;
	if (e->ended == GRAPH_ENDED_EXEC)
		return END_EXEC;
	if (e->ended != GRAPH_ENDED_EXIT || (e->status < 0 && e->signal < 0))
		return END_UNKNOWN;
	*value = e->signal > 0 ? e->signal : e->status;
	return e->signal > 0 ? END_SIGNAL : END_STATUS;
}

static void load_program(struct page *p, const struct build *b, uint32_t exec, struct worker *w)
{
	const struct build_exec *e = &b->execs[exec];
	struct program *x = &p->times->programs[exec];
	size_t len;
	const char *path = build_path(b, e->program, &len);

	x->end = end_of(e, &x->value);
	/* a program that executed another one in its process counts as its parent */
	x->parent = e->before && !b->execs[e->before].forked ? e->before : e->parent;
	page_graph_want(&p->g, e->program);
	page_graph_want(&p->g, e->cwd);
	w->label.len = 0;
	p->times->classes[exec] = (uint8_t)work_of(path, len, w->list, w->n, &w->label);
	x->label = label_of(p->times, &w->label);
}

static void load_programs(struct page *p)
{
	static const char text[] = "SELECT id, maxrss FROM exec ORDER BY id";
	struct page_times *pt = p->times;
	const struct failures *failures = failures_of(p->db);
	struct worker w = { 0 };
	struct sqlite3_stmt *st = db_ask(p->db, text, "");

	pt->programs = xcalloc(build_of(p->db)->nexecs + 1ul, sizeof(*pt->programs));
	pt->classes = xcalloc(build_of(p->db)->nexecs + 1ul, sizeof(*pt->classes));
	while (db_row(p->db, st)) {
		uint32_t id = db_id(p->db, st, 0, DB_EXECS);

		pt->programs[id].rss = db_null(st, 1) ? -1 : db_int(st, 1) / 1024;
		pt->programs[id].failure = (uint8_t)failures_kind(failures, id);
		take_args(build_args(build_of(p->db)), &w, id);
		load_program(p, build_of(p->db), id, &w);
	}
	buf_free(&w.args);
	buf_free(&w.label);
	free(w.list);
	free(w.at);
	/* until the overview needs them, the timeline takes most memory */
	failures_forget(p->db);
}

/* Add outputs to labels ("sh: makes version.h"), after the timeline has found them. */
static void label_outputs(struct page *p, const struct build *b)
{
	struct page_times *pt = p->times;
	struct buf label = { 0 };

	/* a damaged database may have no program at all */
	for (uint32_t i = 1; pt->nlabels && i <= p->t.nexecs; i++) {
		uint32_t output = p->t.outputs[p->t.execs[i].process];
		const char *path, *made;
		size_t len, made_len;

		if (!output || p->t.execs[i].forked)
			continue;
		path = build_path(b, b->execs[i].program, &len);
		made = build_path(b, output, &made_len);
		label.len = 0;
		buf_adds(&label, pt->labels.s + pt->label_at[pt->programs[i].label]);
		work_add_output(path, len, made, made_len, &label);
		pt->programs[i].label = label_of(pt, &label);
	}
	buf_free(&label);
	map64_clear(&pt->label);
}

void page_times_load(struct page *p)
{
	struct page_times *pt = xcalloc(1, sizeof(*pt));

	p->times = pt;
	load_programs(p);
	timeline_load(&p->t, p->db);
	label_outputs(p, build_of(p->db));
	/* first the steps that need most memory */
	timeline_path(&p->t, &pt->path);
	faster_find(&p->faster, &p->t, &pt->path);
	page_headers_load(p, pt->classes);
	for (uint32_t i = 1; i <= p->t.nprocesses; i++)
		page_graph_want(&p->g, p->t.outputs[i]);
	lanes_find(&p->t, &pt->lanes);
	for (size_t i = 0; i < pt->path.n; i++) {
		page_graph_want(&p->g, pt->path.rows[i].file);
		page_graph_want(&p->g, pt->path.rows[i].output);
	}
	for (unsigned int by = 0; by < 3; by++)
		times_find(&pt->slowest[by], &p->t, (enum times_key)by);
}

void page_times_drop(struct page *p)
{
	struct page_times *pt = p->times;
	const struct page_count counts[PAGE_COUNTS] = {
		{ "processes", p->t.nprocesses }, { "programs", p->t.nexecs },
		{ "slices", pt->lanes.n }, { "steps", pt->nsteps }, { "path", pt->path.n },
		{ "labels", pt->nlabels }, { "lanes", pt->lanes.count },
	};

	memcpy(pt->counts, counts, sizeof(counts));
	free(pt->programs);
	free(pt->classes);
	buf_free(&pt->labels);
	free(pt->label_at);
	timeline_path_free(&pt->path);
	for (unsigned int by = 0; by < 3; by++)
		free(pt->slowest[by].rows);
	p->sum = (struct page_sum){
		.wall = p->t.wall, .cpu = p->t.cpu, .costs = p->t.costs,
		.endless = p->faster.endless, .average = timeline_average(&p->t),
	};
	timeline_free(&p->t);
	p->t = (struct timeline){ 0 };
}

void page_times_free(struct page *p)
{
	free(p->times);
}

void page_times_counts(const struct page *p, struct json *j)
{
	for (size_t i = 0; i < PAGE_COUNTS; i++) {
		json_key(j, p->times->counts[i].name);
		json_u64(j, p->times->counts[i].n);
	}
}

/* ---- sections ---- */

/* Write a value of a column as its difference from the value before. */
static void put_signed(struct out *out, int64_t *before, int64_t v)
{
	page_signed(out, v - *before);
	*before = v;
}

static uint64_t time_between(int64_t from, int64_t to)
{
	return to > from ? (uint64_t)(to - from) : 0;
}

static void put_processes(struct page *p)
{
	static const char text[] = "SELECT pid FROM process ORDER BY id";
	struct out *out = page_section(&p->sections, "processes");
	const struct timeline_process *x, *first = p->t.processes + 1,
		*end = first + p->t.nprocesses;
	struct sqlite3_stmt *st;
	int64_t before = 0;

	for (x = first; x < end; x++)
		page_number(out, x->parent);
	for (x = first; x < end; x++)
		put_signed(out, &before, x->at);
	for (x = first; x < end; x++)
		page_number(out, time_between(x->at, x->until));
	st = db_ask(p->db, text, "");
	while (db_row(p->db, st))
		page_number(out, (uint64_t)db_int(st, 0));
	out_close(out);
}

static uint32_t output_of(const struct page *p, uint32_t exec)
{
	return page_graph_file(&p->g, p->t.outputs[p->t.execs[exec].process]);
}

static void put_programs(struct page *p)
{
	const struct page_times *pt = p->times;
	const struct build *b = build_of(p->db);
	struct out *out = page_section(&p->sections, "programs");
	const struct timeline_exec *execs = p->t.execs;
	size_t n = p->t.nexecs;
	int64_t before = 0;

	for (size_t i = 1; i <= n; i++)
		page_number(out, execs[i].process ? execs[i].process - 1 : 0);
	for (size_t i = 1; i <= n; i++)
		page_number(out, page_graph_file(&p->g, execs[i].program));
	for (size_t i = 1; i <= n; i++)
		page_number(out, pt->programs[i].label);
	for (size_t i = 1; i <= n; i++)
		page_number(out, pt->classes[i]);
	for (size_t i = 1; i <= n; i++)
		put_signed(out, &before, execs[i].at);
	for (size_t i = 1; i <= n; i++)
		page_number(out, time_between(execs[i].at, execs[i].until));
	for (size_t i = 1; i <= n; i++)
		page_number(out, execs[i].cpu < 0 ? 0 : (uint64_t)execs[i].cpu / 1000 + 1);
	for (size_t i = 1; i <= n; i++)
		page_number(out, (uint64_t)(pt->programs[i].rss + 1));
	for (size_t i = 1; i <= n; i++)
		page_number(out, pt->programs[i].end);
	for (size_t i = 1; i <= n; i++)
		page_number(out, (uint64_t)pt->programs[i].value);
	for (uint32_t i = 1; i <= n; i++)
		page_number(out, output_of(p, i));
	for (size_t i = 1; i <= n; i++)
		page_number(out, pt->programs[i].parent);
	for (size_t i = 1; i <= n; i++)
		page_number(out, execs[i].forked);
	for (size_t i = 1; i <= n; i++)
		page_number(out, pt->programs[i].failure);
	for (size_t i = 1; i <= n; i++)
		page_number(out, page_graph_file(&p->g, b->execs[i].cwd));
	out_close(out);
}

static void put_labels(struct page *p)
{
	const struct buf *labels = &p->times->labels;
	struct out *out = page_section(&p->sections, "labels");

	for (size_t at = 0, len; at < labels->len; at += len + 1) {
		len = strlen(labels->s + at);
		page_text(out, labels->s + at, len);
	}
	out_close(out);
}

static void put_slices(struct page *p)
{
	const struct lanes *l = &p->times->lanes;
	struct out *out = page_section(&p->sections, "slices");
	int64_t before = 0;

	for (size_t i = 0; i < l->n; i++)
		page_number(out, l->rows[i].exec - 1);
	for (size_t i = 0; i < l->n; i++)
		page_number(out, l->rows[i].lane);
	for (size_t i = 0; i < l->n; before = l->rows[i++].from)
		page_number(out, (uint64_t)(l->rows[i].from - before));
	for (size_t i = 0; i < l->n; i++)
		page_number(out, (uint64_t)(l->rows[i].to - l->rows[i].from));
	out_close(out);
}

/* A column of steps: their times, or how many programs of a class worked. */
struct column {
	struct out *out;
	unsigned int class;
	int64_t before;
	size_t n;
};

static void put_step_at(void *ctx, int64_t at, const uint32_t *working)
{
	struct column *c = ctx;

	(void)working;
	page_number(c->out, (uint64_t)(at - c->before));
	c->before = at;
	c->n++;
}

static void put_step_working(void *ctx, int64_t at, const uint32_t *working)
{
	struct column *c = ctx;

	(void)at;
	page_number(c->out, working[c->class]);
}

static void put_steps(struct page *p)
{
	struct page_times *pt = p->times;
	struct column c = { .out = page_section(&p->sections, "steps") };

	lanes_steps(&pt->lanes, pt->classes, put_step_at, &c);
	for (; c.class < WORK_CLASSES; c.class++)
		lanes_steps(&pt->lanes, pt->classes, put_step_working, &c);
	pt->nsteps = c.n;
	out_close(c.out);
}

static void put_path(struct page *p)
{
	const struct critical_path *path = &p->times->path;
	struct out *out = page_section(&p->sections, "path");

	for (size_t i = 0; i < path->n; i++)
		page_number(out, path->rows[i].exec);
	for (size_t i = 0; i < path->n; i++)
		page_number(out, path->rows[i].why);
	for (size_t i = 0; i < path->n; i++)
		page_number(out, page_graph_file(&p->g, path->rows[i].file));
	for (size_t i = 0; i < path->n; i++)
		page_number(out, page_graph_file(&p->g, path->rows[i].output));
	for (size_t i = 0; i < path->n; i++)
		page_number(out, (uint64_t)(path->rows[i].to - path->rows[i].from));
	out_close(out);
}

static void put_row(const struct page *p, struct json *j, const struct times_row *r)
{
	struct buf name = { 0 };

	answers_file_path(p->db, r->file, &name);
	json_begin(j, '[');
	json_str(j, name.s ? name.s : "", name.len);
	json_i64(j, (int64_t)page_graph_file(&p->g, r->file) - 1);
	json_u64(j, r->n);
	json_i64(j, r->took);
	json_i64(j, r->longest);
	json_i64(j, (int64_t)r->exec - 1);
	json_i64(j, p->t.costs ? r->cpu : -1);
	json_end(j, ']');
	buf_free(&name);
}

static void put_slowest(struct page *p)
{
	static const char *const names[] = {
		[TIMES_PROGRAM] = "programs", [TIMES_OUTPUT] = "outputs",
		[TIMES_DIRECTORY] = "directories",
	};
	struct out *out = page_section(&p->sections, "slowest");
	struct json j = { .out = out };

	json_begin(&j, '{');
	for (unsigned int by = 0; by < 3; by++) {
		const struct times_list *l = &p->times->slowest[by];

		json_list(&j, names[by]);
		for (size_t i = 0; i < l->n && i < SLOWEST; i++)
			put_row(p, &j, &l->rows[i]);
		json_end(&j, ']');
	}
	json_end(&j, '}');
	out_close(out);
}

void page_times_put(struct page *p)
{
	put_processes(p);
	put_programs(p);
	put_labels(p);
	put_slices(p);
	put_steps(p);
	put_path(p);
	put_slowest(p);
}
