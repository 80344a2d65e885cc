// SPDX-License-Identifier: LGPL-2.1
/*
 * What files tell of the critical path, and what the build would take without waiting
 * for free places.  See line.h.
 */
#include "answers/line.h"
#include "base/buf.h"
#include "base/map64.h"
#include "base/xalloc.h"
#include "model/build.h"

#include <stdlib.h>
#include <string.h>

/* ---- outputs ---- */

/*
 * A log is no program's output: a file that standard output or standard error of programs
 * was appended to, or that at least 3 programs had as such.
 *
 * @until: set, when it was written
 */
static uint32_t output_of_exec(const struct timeline *t, uint32_t exec, int64_t *until)
{
	static const char text[] =
		"SELECT a.version, v.file, a.until FROM access AS a JOIN version AS v ON v.id = a.version\n"
		" WHERE a.exec = ? AND a.how = 2 AND v.made IN (1, 2)\n"
		" AND NOT EXISTS (SELECT 1 FROM version AS w JOIN access AS b ON b.version = w.id\n"
		"  WHERE w.file = v.file AND w.made = 2 AND b.how = 2 AND b.fd IN (1, 2))\n"
		" AND (SELECT count(*) FROM (SELECT DISTINCT b.exec FROM access AS b\n"
		"  WHERE b.version = v.id AND b.how = 2 AND b.fd IN (1, 2) LIMIT 3)) < 3\n"
		" ORDER BY a.until DESC";
	struct sqlite3_stmt *st = db_ask(t->db, text, "i", (int64_t)exec);
	uint32_t found = 0;

	while (!found && db_row(t->db, st)) {
		*until = db_int(st, 2);
		found = build_name(build_of(t->db), db_id(t->db, st, 0, DB_VERSIONS), db_id(t->db, st, 1, DB_FILES));
	}
	return found;
}

struct finding {
	const struct timeline *t;
	const bool *makers;	/* execs */
	uint32_t job, found;
	int64_t until;		/* when that was written */
};

static bool find_output(void *ctx, uint32_t process)
{
	struct finding *f = ctx;
	const struct line_process *p = &f->t->processes[process];

	/* what it started as a build tool itself has outputs of its own */
	for (uint32_t e = p->exec; e && p->job == f->job; e = f->t->execs[e].next) {
		int64_t until;
		uint32_t file = output_of_exec(f->t, e, &until);

		/* a result comes behind what is noted on the way, as depfiles are */
		if (!file || (f->found && f->until >= until))
			continue;
		f->found = file;
		f->until = until;
	}
	return true;
}

uint32_t timeline_output(const struct timeline *t, uint32_t process)
{
	struct finding f = { .t = t, .job = t->processes[process].job };

	/* what no build tool started stands for itself */
	if (f.job)
		timeline_below(t, process, find_output, &f);
	else
		find_output(&f, process);
	return f.found;
}

struct walk {
	const struct timeline *t;
	bool *marks;		/* of execs; all false between two questions */
};

/* ---- needs ---- */

static uint32_t needed_by_exec(const struct timeline *t, uint32_t exec, const bool *makers)
{
	static const char text[] =
		"SELECT w.exec, coalesce(r.file, v.file) FROM access AS r\n"
		" JOIN access AS w ON w.version = r.version AND w.how = 2\n"
		" JOIN version AS v ON v.id = r.version\n"
		" WHERE r.exec = ? AND r.how IN (1, 3)";
	struct sqlite3_stmt *st = db_ask(t->db, text, "i", (int64_t)exec);

	while (db_row(t->db, st))
		if (makers[db_id(t->db, st, 0, DB_EXECS)] && db_int(st, 1))
			return db_id(t->db, st, 1, DB_FILES);
	return 0;
}

static bool find_needed(void *ctx, uint32_t process)
{
	struct finding *f = ctx;

	for (uint32_t e = f->t->processes[process].exec; e && !f->found; e = f->t->execs[e].next)
		f->found = needed_by_exec(f->t, e, f->makers);
	return !f->found;
}

struct marks {
	const struct timeline *t;
	bool *execs;
	bool set;
};

static bool mark_execs(void *ctx, uint32_t process)
{
	const struct marks *m = ctx;

	for (uint32_t e = m->t->processes[process].exec; e; e = m->t->execs[e].next)
		m->execs[e] = m->set;
	return true;
}

/* A file that @user or one below it read, and @maker or one below it made. */
static uint32_t needed(void *ctx, uint32_t user, uint32_t maker)
{
	struct walk *w = ctx;
	struct marks m = { w->t, w->marks, true };
	struct finding f = { .t = w->t, .makers = w->marks };

	timeline_below(w->t, maker, mark_execs, &m);
	timeline_below(w->t, user, find_needed, &f);
	m.set = false;
	timeline_below(w->t, maker, mark_execs, &m);
	return f.found;
}

/* ---- the critical path ---- */

void timeline_path(const struct timeline *t, struct line_path *path)
{
	struct walk w = { t, xcalloc(t->nexecs + 1, sizeof(*w.marks)) };

	timeline_walk(t, path, needed, &w);
	free(w.marks);
	for (size_t i = 0; i < path->n; i++) {
		uint32_t exec = path->rows[i].exec;
		uint32_t process = exec ? t->execs[exec].process : 0;

		if (process)
			path->rows[i].output = timeline_output(t, t->processes[process].job ?
							       t->processes[process].job : process);
	}
}

/* ---- endless processors ---- */

struct endless {
	const struct timeline *t;
	unsigned int places;	/* of the first build tool; 0: not known */
	unsigned int jobs;	/* that run now */
	struct {
		int64_t now;	/* its time there */
		int64_t last;	/* when something happened to it last, in the build */
		int64_t children;	/* the latest end of a child there */
		uint32_t live;	/* children */
		/* who ended last, if a place was free before: nobody waited for his */
		uint32_t waited_for;
		bool ended;
	} *p;
	/* who must have ended before a process can begin */
	struct need {
		uint32_t maker, next;
	} *needs;
	size_t nneeds, needs_cap;
	uint32_t *first;	/* of each process */
};

static unsigned int depth_of(const struct timeline *t, uint32_t p)
{
	unsigned int n = 0;

	for (; p; p = t->processes[p].parent)
		n++;
	return n;
}

/* One below the process that both come from: those whose order is to be kept. */
static bool part(const struct timeline *t, uint32_t *a, uint32_t *b)
{
	unsigned int na = depth_of(t, *a), nb = depth_of(t, *b);

	while (na > nb && t->processes[*a].parent != *b) {
		*a = t->processes[*a].parent;
		na--;
	}
	while (nb > na && t->processes[*b].parent != *a) {
		*b = t->processes[*b].parent;
		nb--;
	}
	while (*a && *b && t->processes[*a].parent != t->processes[*b].parent) {
		*a = t->processes[*a].parent;
		*b = t->processes[*b].parent;
	}
	return *a && *b && *a != *b && t->processes[*a].parent == t->processes[*b].parent;
}

static void load_needs(struct endless *e)
{
	static const char text[] =
		"SELECT DISTINCT r.exec, w.exec FROM access AS r\n"
		" JOIN access AS w ON w.version = r.version AND w.how = 2\n"
		" WHERE r.how IN (1, 3) AND r.exec <> w.exec";
	const struct timeline *t = e->t;
	struct sqlite3_stmt *st = db_ask(t->db, text, "");
	struct map64 seen = { 0 };

	e->first = xcalloc(t->nprocesses + 1, sizeof(*e->first));
	/* row 0 is none */
	e->needs = xgrow(e->needs, &e->needs_cap, 1, sizeof(*e->needs));
	while (db_row(t->db, st)) {
		uint32_t user = t->execs[db_id(t->db, st, 0, DB_EXECS)].process;
		uint32_t maker = t->execs[db_id(t->db, st, 1, DB_EXECS)].process;
		uint64_t key;

		if (user == maker || !part(t, &user, &maker))
			continue;
		key = (uint64_t)user << 32 | maker;
		if (map64_get(&seen, key))
			continue;
		map64_put(&seen, key, 1);
		e->needs = xgrow(e->needs, &e->needs_cap, e->nneeds + 2, sizeof(*e->needs));
		e->needs[++e->nneeds] = (struct need){ maker, e->first[user] };
		e->first[user] = (uint32_t)e->nneeds;
	}
	map64_clear(&seen);
}

/* Time in which it had no children was its own work. */
static void pass(struct endless *e, uint32_t p, int64_t at)
{
	if (!e->p[p].live)
		e->p[p].now += at - e->p[p].last;
	e->p[p].last = at;
}

/* "-j4", "-j 4", "--jobs=4" */
static unsigned int places_of(const struct timeline *t)
{
	struct buf args = { 0 };
	unsigned int places = 0;
	uint32_t p = 1;
	size_t n;
	const char *at, *end;

	while (p < t->nprocesses && !t->processes[p].schedules)
		p++;
	n = p <= t->nprocesses ? answers_args(t->db, t->processes[p].last, &args) : 0;
	at = args.s;
	end = args.s + args.len;
	for (; n--; at += strlen(at) + 1) {
		const char *number = !strncmp(at, "--jobs=", 7) ? at + 7 :
				     !strncmp(at, "-j", 2) ? at + 2 : NULL;

		if (number && !*number && number + 1 < end)
			number++;
		if (number)
			places = (unsigned int)atoi(number);
	}
	buf_free(&args);
	return places;
}

static bool is_a_job(const struct timeline *t, uint32_t p)
{
	return t->processes[p].job == p && !t->processes[p].schedules;
}

static void begins(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent, order;
	int64_t now = at;

	e->jobs += is_a_job(e->t, p);
	order = e->p[parent].waited_for;

	if (parent && !e->p[parent].ended) {
		pass(e, parent, at);
		e->p[parent].live++;
		now = e->p[parent].now;
	}
	for (uint32_t i = e->first[p]; i; i = e->needs[i].next)
		if (e->p[e->needs[i].maker].ended && e->p[e->needs[i].maker].now > now)
			now = e->p[e->needs[i].maker].now;
	if (parent && order && e->p[order].now > now)
		now = e->p[order].now;
	e->p[p].now = now;
	e->p[p].last = at;
}

static void ends(struct endless *e, uint32_t p, int64_t at)
{
	uint32_t parent = e->t->processes[p].parent;

	pass(e, p, at);
	if (e->p[p].children > e->p[p].now)
		e->p[p].now = e->p[p].children;
	e->p[p].ended = true;
	e->p[parent].waited_for = e->t->processes[parent].schedules && e->jobs < e->places ? p : 0;
	e->jobs -= is_a_job(e->t, p);
	if (!parent || e->p[parent].ended)
		return;
	pass(e, parent, at);
	e->p[parent].live--;
	if (e->p[p].now > e->p[parent].children)
		e->p[parent].children = e->p[p].now;
	/* what does not only schedule goes on when its child has ended */
	if (!e->t->processes[parent].schedules && e->p[p].now > e->p[parent].now)
		e->p[parent].now = e->p[p].now;
}

int64_t timeline_endless(const struct timeline *t)
{
	size_t n;
	struct line_moment *list = timeline_moments(t, &n);
	struct endless e = { .t = t };
	int64_t most = 0;

	load_needs(&e);
	e.places = places_of(t);
	e.p = xcalloc(t->nprocesses + 1, sizeof(*e.p));
	for (size_t i = 0; i < n; i++) {
		if (list[i].ends)
			ends(&e, list[i].process, list[i].at);
		else
			begins(&e, list[i].process, list[i].at);
	}
	for (uint32_t i = 1; i <= t->nprocesses; i++)
		most = e.p[i].now > most ? e.p[i].now : most;
	free(list);
	free(e.p);
	free(e.needs);
	free(e.first);
	return most;
}
