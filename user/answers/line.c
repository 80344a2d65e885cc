// SPDX-License-Identifier: LGPL-2.1
/* A timeline from a database.  See line.h. */
#include "answers/line.h"
#include "base/xalloc.h"

static void load_processes(struct timeline *t)
{
	static const char text[] = "SELECT id, parent, at FROM process";
	struct sqlite3_stmt *st;

	t->nprocesses = db_ids(t->db, DB_PROCESSES);
	t->processes = xcalloc(t->nprocesses + 1, sizeof(*t->processes));
	st = db_ask(t->db, text, "");
	while (db_row(t->db, st)) {
		struct line_process *p = &t->processes[db_id(t->db, st, 0, DB_PROCESSES)];

		p->parent = db_earlier(t->db, st, 1, (uint32_t)(p - t->processes));
		p->at = p->until = db_int(st, 2);
	}
}

static void load_execs(struct timeline *t)
{
	static const char text[] =
		"SELECT e.id, e.process, e.program, e.at, e.until, e.utime + e.stime, f.path, e.forked\n"
		" FROM exec AS e LEFT JOIN file AS f ON f.id = e.program ORDER BY e.process, e.at, e.id";
	struct sqlite3_stmt *st;

	t->nexecs = db_ids(t->db, DB_EXECS);
	t->execs = xcalloc(t->nexecs + 1, sizeof(*t->execs));
	st = db_ask(t->db, text, "");
	while (db_row(t->db, st)) {
		uint32_t id = db_id(t->db, st, 0, DB_EXECS);
		struct line_exec *e = &t->execs[id];
		const char *path;
		size_t len;

		e->process = db_id(t->db, st, 1, DB_PROCESSES);
		e->program = db_id(t->db, st, 2, DB_FILES);
		e->at = db_int(st, 3);
		e->forked = db_int(st, 7);
		/* one that was running when the trace ended */
		e->until = db_null(st, 4) ? t->wall : db_int(st, 4);
		e->cpu = db_null(st, 5) ? -1 : db_int(st, 5);
		t->cpu += e->cpu > 0 ? e->cpu : 0;
		t->costs |= e->cpu >= 0;
		timeline_add_exec(t, id);
		path = db_bytes(st, 6, &len);
		/* before its execve it is its parent's program by name only */
		t->processes[e->process].schedules |= !e->forked && timeline_schedules(path, len);
	}
}

void timeline_load(struct timeline *t, struct db *db)
{
	*t = (struct timeline){ .db = db, .wall = db_meta(db, "end", 0) };
	load_processes(t);
	load_execs(t);
	timeline_complete(t);
}

static int64_t length(const struct line_segment *s)
{
	return s->to - s->from;
}

/* For a person, a job is one line, and so is a process. */
static bool is_one(const struct timeline *t, const struct line_segment *a,
		   const struct line_segment *b)
{
	uint32_t x = a->exec ? t->execs[a->exec].process : 0;
	uint32_t y = b->exec ? t->execs[b->exec].process : 0;

	return x && y && (x == y || (t->processes[x].job && t->processes[x].job == t->processes[y].job));
}

size_t timeline_stretch(const struct timeline *t, const struct line_path *path, size_t i,
			const struct line_segment **longest)
{
	size_t n;

	*longest = &path->rows[i];
	for (n = 1; i + n < path->n && is_one(t, &path->rows[i], &path->rows[i + n]); n++)
		if (length(&path->rows[i + n]) > length(*longest))
			*longest = &path->rows[i + n];
	return n;
}
