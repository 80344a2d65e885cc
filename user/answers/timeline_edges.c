// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds dependencies in a timeline by files: which job made which file, and which job needs
 * another job's output.  See timeline_load.h.
 */
#include "answers/timeline_load.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* The job of a process; itself if no build tool started it. */
static uint32_t job_of(const struct timeline *t, uint32_t process)
{
	return t->processes[process].job ? t->processes[process].job : process;
}

/* ---- outputs ---- */

/* A file is a log if at least this many programs had it as standard output or error. */
#define LOGGERS 3u

static bool is_shared(const struct build *b, uint32_t version)
{
	uint32_t last = 0, n = 0;

	/* writes are sorted by exec */
	for (uint32_t i = 0; i < b->versions[version].writes && n < LOGGERS; i++) {
		const struct build_access *a = build_use(b, version, i);

		n += a->standard && a->exec != last;
		last = a->standard ? a->exec : last;
	}
	return n == LOGGERS;
}

/* By file: whether programs appended their standard output or error to it. */
static bool *find_appended(const struct build *b)
{
	bool *appended = xcalloc(b->nfiles + 1ul, sizeof(*appended));

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how == GRAPH_WRITE && a->standard && v->made == GRAPH_CHANGED)
			appended[v->file] = true;
	}
	return appended;
}

/* Whether a file only describes a result: a depfile, or kbuild's ".x.o.cmd". */
static bool is_note(const struct build *b, uint32_t file)
{
	static const char *const ends[] = { ".d", ".cmd", ".dep", ".Po", ".Plo", ".Tpo" };
	size_t len;
	const char *path = build_path(b, file, &len), *slash = memrchr(path, '/', len);

	if (slash && slash + 1 < path + len && slash[1] == '.')
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t n = strlen(ends[i]);

		if (len > n && !memcmp(path + len - n, ends[i], n))
			return true;
	}
	return false;
}

/* The output of a job found so far. */
struct output {
	int64_t until;
	bool note;
};

/*
 * The output of a job is the last file that it wrote, but a note (is_note()) only if there is no
 * other.
 */
void timeline_set_outputs(struct timeline *t)
{
	const struct build *b = build_of(t->db);
	bool *log = find_appended(b);
	struct output *known = xcalloc(t->nprocesses + 1, sizeof(*known));

	t->outputs = xcalloc(t->nprocesses + 1, sizeof(*t->outputs));
	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];
		uint32_t file = build_is_written(v) && v->writes ? build_name(b, i, v->file) : 0;
		bool note;

		if (!file || log[v->file] || is_shared(b, i))
			continue;
		note = is_note(b, file);
		for (uint32_t k = 0; k < v->writes; k++) {
			const struct build_access *a = build_use(b, i, k);
			uint32_t job = job_of(t, t->execs[a->exec].process);

			if (t->outputs[job] &&
			    (note == known[job].note ? a->until <= known[job].until : note))
				continue;
			t->outputs[job] = file;
			known[job] = (struct output){ a->until, note };
		}
	}
	for (uint32_t p = 1; p <= t->nprocesses; p++)
		t->outputs[p] = t->outputs[job_of(t, p)];
	free(log);
	free(known);
}

/* ---- which job needs a file of another job ---- */

struct needs {
	const struct timeline *t;
	const struct build *b;
	uint32_t *asked;	/* by version: last @question whose maker wrote it, 0 if none */
	uint32_t question;	/* number of the current pair of maker and user */
	bool any;		/* the maker wrote at least one file */
	uint32_t found;
};

static bool each_access(struct needs *n, uint32_t process,
			void (*fn)(struct needs *n, const struct build_access *a))
{
	for (uint32_t e = n->t->processes[process].exec; e; e = n->t->execs[e].next)
		for (uint32_t i = 0; i < n->b->execs[e].uses && !n->found; i++)
			fn(n, &n->b->accesses[n->b->execs[e].first + i]);
	return !n->found;
}

static void mark_access(struct needs *n, const struct build_access *a)
{
	if (a->how != GRAPH_WRITE || !a->file)
		return;
	n->asked[a->version] = n->question;
	n->any = true;
}

static bool mark_made(void *ctx, uint32_t process)
{
	return each_access(ctx, process, mark_access);
}

static void add_access(struct needs *n, const struct build_access *a)
{
	if ((a->how == GRAPH_READ || a->how == GRAPH_RUN) && n->asked[a->version] == n->question)
		n->found = a->file;
}

static bool look_for(void *ctx, uint32_t process)
{
	return each_access(ctx, process, add_access);
}

static int by_pair(const void *a, const void *b)
{
	const struct timeline_edge *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->maker > y->maker) - (x->maker < y->maker);
}

/*
 * A file that @maker or a process below it made, and @user or a process below it read; otherwise a
 * file that a rule declares as such a dependency.
 */
static uint32_t needed_file(void *ctx, uint32_t user, uint32_t maker)
{
	struct needs *n = ctx;
	const struct timeline_edge key = { .user = user, .maker = maker }, *edge = NULL;

	n->question++;
	n->any = false;
	n->found = 0;
	timeline_below(n->t, maker, mark_made, n);
	if (n->any)
		timeline_below(n->t, user, look_for, n);
	if (!n->found && n->t->nedges)
		edge = bsearch(&key, n->t->edges, n->t->nedges, sizeof(key), by_pair);
	return edge ? edge->file : n->found;
}

void timeline_path(const struct timeline *t, struct critical_path *path)
{
	struct needs n = { .t = t, .b = build_of(t->db) };

	n.asked = xcalloc(n.b->nversions + 1ul, sizeof(*n.asked));
	timeline_walk(t, path, needed_file, &n);
	free(n.asked);
	for (size_t i = 0; i < path->n; i++)
		if (path->rows[i].exec)
			path->rows[i].output = t->outputs[t->execs[path->rows[i].exec].process];
}

/* ---- declared dependencies ---- */

struct declaring {
	struct timeline *t;
	const struct lists *l;
	uint32_t *job, *file;	/* by node: the job that made it, 0 if none; its file */
	uint32_t *seen;		/* by node: the last node for which it was visited */
	uint32_t *queue;
};

static void find_nodes(struct declaring *d)
{
	const struct build *b = build_of(d->t->db);

	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];
		uint32_t file = build_is_written(v) && v->writes ? build_name(b, i, v->file) : 0, node;
		const char *path;
		size_t len;

		path = build_path(b, file, &len);
		node = file ? lists_find(d->l, path, len) : 0;
		if (!node)
			continue;
		d->job[node] = job_of(d->t, d->t->execs[build_use(b, i, v->writes - 1)->exec].process);
		d->file[node] = file;
	}
}

static void add_edge(struct timeline *t, uint32_t user, uint32_t maker, uint32_t file)
{
	if (user == maker)
		return;
	t->edges = xgrow(t->edges, &t->edges_cap, t->nedges + 1, sizeof(*t->edges));
	t->edges[t->nedges++] = (struct timeline_edge){ user, maker, file };
}

/* Follow the rule of a file, and the rules of its inputs that nothing made (phony targets). */
static void follow_rule(struct declaring *d, uint32_t target)
{
	size_t n = 1;

	d->queue[0] = target;
	d->seen[target] = target;
	for (size_t i = 0; i < n; i++) {
		const struct lists_group *g = &d->l->groups[d->l->nodes[d->queue[i]].rule];

		for (size_t k = 0; d->l->nodes[d->queue[i]].rule && k < g->n; k++) {
			uint32_t node = g->nodes[k];

			if (d->seen[node] == target)
				continue;
			d->seen[node] = target;
			if (d->job[node])
				add_edge(d->t, d->job[target], d->job[node], d->file[node]);
			else
				d->queue[n++] = node;
		}
	}
}

void timeline_declare(struct timeline *t, const struct lists *l)
{
	struct declaring d = { .t = t, .l = l };

	d.job = xcalloc(l->n + 1, sizeof(*d.job));
	d.file = xcalloc(l->n + 1, sizeof(*d.file));
	d.seen = xcalloc(l->n + 1, sizeof(*d.seen));
	d.queue = xcalloc(l->n + 1, sizeof(*d.queue));
	find_nodes(&d);
	for (uint32_t i = 1; i <= l->n; i++)
		if (d.job[i])
			follow_rule(&d, i);
	if (t->nedges)
		qsort(t->edges, t->nedges, sizeof(*t->edges), by_pair);
	free(d.job);
	free(d.file);
	free(d.seen);
	free(d.queue);
}
