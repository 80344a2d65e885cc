// SPDX-License-Identifier: LGPL-2.1
/* Loads a timeline from a database.  See timeline_load.h. */
#include "answers/timeline_load.h"
#include "base/buf.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- processes ---- */

static void load_processes(struct timeline *t)
{
	static const char text[] = "SELECT id, parent, at FROM process";
	struct sqlite3_stmt *st;

	t->nprocesses = db_ids(t->db, DB_PROCESSES);
	t->processes = xcalloc(t->nprocesses + 1, sizeof(*t->processes));
	st = db_ask(t->db, text, "");
	while (db_row(t->db, st)) {
		struct timeline_process *p = &t->processes[db_id(t->db, st, 0, DB_PROCESSES)];

		p->parent = db_earlier(t->db, st, 1, (uint32_t)(p - t->processes));
		p->at = p->until = db_int(st, 2);
	}
}

static void load_costs(struct timeline *t)
{
	static const char text[] =
		"SELECT id, utime + stime FROM exec WHERE utime + stime IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(t->db, text, "");

	while (db_row(t->db, st)) {
		t->execs[db_id(t->db, st, 0, DB_EXECS)].cpu = db_int(st, 1);
		t->cpu += db_int(st, 1) > 0 ? db_int(st, 1) : 0;
		t->costs |= db_int(st, 1) >= 0;
	}
}

static void load_execs(struct timeline *t)
{
	const struct build *b = build_of(t->db);

	t->nexecs = b->nexecs;
	t->execs = xcalloc(t->nexecs + 1, sizeof(*t->execs));
	for (uint32_t i = 1; i <= b->nexecs; i++) {
		const struct build_exec *e = &b->execs[i];
		size_t len;
		const char *path = build_path(b, e->program, &len);

		t->execs[i] = (struct timeline_exec){
			.process = e->process, .program = e->program, .forked = e->forked,
			.at = e->at, .until = e->until, .cpu = -1,
		};
		if (!e->process)
			continue;
		timeline_add_exec(t, i);
		/* a forked child has the name of its parent's program, but does not schedule */
		t->processes[e->process].schedules |= !e->forked && timeline_schedules(path, len);
	}
	load_costs(t);
}

/* "-j4", "-j 4", "--jobs=4"; UINT32_MAX without a number.  Return: 0 if not given. */
static uint32_t slots_of(struct db *db, uint32_t exec)
{
	struct buf args = { 0 };
	uint32_t slots = 0;
	size_t n = answers_args(db, exec, &args);

	for (const char *at = args.s; n--; at += strlen(at) + 1) {
		const char *number = !strncmp(at, "--jobs", 6) ? at + 6 + (at[6] == '=') :
				     !strncmp(at, "-j", 2) ? at + 2 : NULL;

		if (!number || (*number && !isdigit((unsigned char)*number)))
			continue;
		if (!*number && n)
			number += 1;
		slots = (uint32_t)strtoul(number, NULL, 10);
		slots = slots ? slots : UINT32_MAX;
	}
	buf_free(&args);
	return slots;
}

static void load_slots(struct timeline *t)
{
	for (uint32_t p = 1; p <= t->nprocesses; p++)
		if (t->processes[p].schedules)
			t->processes[p].slots = slots_of(t->db, t->processes[p].last);
	/* the arguments of all programs were loaded, and take more memory than the timeline */
	build_forget_args(build_of(t->db));
}

void timeline_load(struct timeline *t, struct db *db)
{
	*t = (struct timeline){ .db = db, .wall = db_meta(db, "end", 0) };
	load_processes(t);
	load_execs(t);
	load_slots(t);
	timeline_add_waits(t);
	timeline_complete(t);
	timeline_set_outputs(t);
}

/* ---- for people ---- */

static int64_t segment_length(const struct path_segment *s)
{
	return s->to - s->from;
}

/* Whether two segments share one line, because they belong to the same job or process. */
static bool is_one(const struct timeline *t, const struct path_segment *a,
		   const struct path_segment *b)
{
	uint32_t x = a->exec ? t->execs[a->exec].process : 0;
	uint32_t y = b->exec ? t->execs[b->exec].process : 0;

	return x && y && (x == y || (t->processes[x].job && t->processes[x].job == t->processes[y].job));
}

size_t timeline_stretch(const struct timeline *t, const struct critical_path *path, size_t i,
			const struct path_segment **longest)
{
	size_t n;

	*longest = &path->rows[i];
	for (n = 1; i + n < path->n && is_one(t, &path->rows[i], &path->rows[i + n]); n++)
		if (segment_length(&path->rows[i + n]) > segment_length(*longest))
			*longest = &path->rows[i + n];
	return n;
}
