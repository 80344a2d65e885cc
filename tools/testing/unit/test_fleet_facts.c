// SPDX-License-Identifier: GPL-2.0
/*
 * The facts about a build that etrace pushes to a fleet: user/fleet/facts.h.
 *
 * The build is a database written here: make compiles a.c and b.c, which both include c.h,
 * links a.o and b.o, and runs a script that uses what its own cat wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "db/write.h"
#include "fleet/facts.h"
#include "graph/graph.h"

static const char build[] =
	"INSERT INTO meta VALUES ('begin', 1000), ('end', 900), ('events', 50), ('complete', 1);\n"
	"INSERT INTO string SELECT column1, CAST(column2 AS BLOB) FROM (VALUES (1, 'make'), (2, '-j4'), (3, 'cc'), (4, '-c'), (5, '@R@/a.c'),\n"
	" (6, 'b.c'), (7, 'ld'), (8, 'sh'), (9, 'gen.sh'), (10, 'cat'));\n"
	"INSERT INTO file SELECT column1, CAST(column2 AS BLOB) FROM (VALUES (1, '@R@'), (2, '/usr/bin/make'), (3, '/usr/bin/cc'), (4, '@R@/a.c'),\n"
	" (5, '@R@/b.c'), (6, '@R@/c.h'), (7, '@R@/a.o'), (8, '@R@/b.o'), (9, '/usr/bin/ld'),\n"
	" (10, '@R@/prog'), (11, '/usr/bin/dash'), (12, '/usr/bin/cat'), (13, '@R@/tmp'),\n"
	" (14, '@R@/out'), (15, '/dev/null'), (16, '/dev/random'), (17, '@R@/Makefile'),\n"
	" (18, '/etc/ld.so.cache'), (19, '@R@/log'));\n"
	"INSERT INTO version (id, file, made, exec, base, at, size, mtime) VALUES\n"
	" (1, 2, 0, NULL, NULL, 0, 100, 1), (2, 3, 0, NULL, NULL, 0, 200, 2),\n"
	" (3, 4, 0, NULL, NULL, 20, 10, 3), (4, 5, 0, NULL, NULL, 30, 11, 4),\n"
	" (5, 6, 0, NULL, NULL, 25, 12, 5), (6, 7, 1, 2, NULL, 28, 300, 6),\n"
	" (7, 8, 1, 3, NULL, 38, 301, 7), (8, 9, 0, NULL, NULL, 0, 202, 8),\n"
	" (9, 10, 1, 4, NULL, 55, 400, 9), (10, 11, 0, NULL, NULL, 0, 203, 10),\n"
	" (11, 12, 0, NULL, NULL, 0, 204, 11), (12, 13, 1, 6, NULL, 72, 1, 12),\n"
	" (13, 14, 1, 5, NULL, 75, 2, 13), (14, 15, 6, NULL, NULL, 21, NULL, NULL),\n"
	" (15, 16, 6, NULL, NULL, 21, NULL, NULL), (16, 17, 0, NULL, NULL, 5, 40, 14),\n"
	" (17, 18, 0, NULL, NULL, 5, NULL, NULL), (18, 19, 0, NULL, NULL, 5, 7, 15),\n"
	" (19, 19, 2, 4, 18, 56, 8, 16);\n"
	"INSERT INTO process VALUES (1, NULL, 11, 11, 0), (2, 1, 12, 12, 20), (3, 1, 13, 13, 30),\n"
	" (4, 1, 14, 14, 50), (5, 1, 15, 15, 70), (6, 5, 16, 16, 71);\n"
	"INSERT INTO exec (id, process, parent, forked, begun, program, cwd, args, at, until, ended,\n"
	" status, utime, stime, maxrss) VALUES\n"
	" (1, 1, NULL, 0, 1, 2, 1, '[1,2]', 0, 900, 0, 0, 1, 1, 1000),\n"
	" (2, 2, 1, 0, 1, 3, 1, '[3,4,5]', 20, 29, 0, 0, 5, 1, 2000),\n"
	" (3, 3, 1, 0, 1, 3, 1, '[3,4,6]', 30, 40, 0, 1, 6, 1, 3000),\n"
	" (4, 4, 1, 0, 1, 9, 1, '[7]', 50, 60, 0, 0, 7, 1, 4000),\n"
	" (5, 5, 1, 0, 1, 11, 1, '[8,9]', 70, 80, 0, 0, 8, 1, 5000),\n"
	" (6, 6, 5, 0, 1, 12, 1, '[10]', 71, 74, 0, 0, 9, 1, 6000);\n"
	"INSERT INTO access (exec, version, file, how, class, bytes, at, until) VALUES\n"
	" (1, 1, 2, 3, 2, NULL, 0, 0), (1, 16, 17, 1, 0, 40, 5, 6),\n"
	" (2, 2, 3, 3, 2, NULL, 20, 20), (2, 17, 18, 1, 3, 5, 20, 21), (2, 14, 15, 1, 0, 0, 21, 22),\n"
	" (2, 3, 4, 1, 0, 6, 22, 23), (2, 3, 4, 1, 0, 4, 23, 24), (2, 5, 6, 1, 0, 12, 25, 26),\n"
	" (2, 6, 7, 2, 0, 300, 28, 29),\n"
	" (3, 2, 3, 3, 2, NULL, 30, 30), (3, 4, 5, 1, 0, 11, 31, 32), (3, 5, 6, 1, 0, 12, 35, 36),\n"
	" (3, 7, 8, 2, 0, 301, 38, 39),\n"
	" (4, 8, 9, 3, 2, NULL, 50, 50), (4, 6, 7, 1, 0, 300, 51, 52), (4, 7, 8, 1, 0, 301, 52, 53),\n"
	" (4, 9, 10, 2, 0, 400, 55, 58),\n"
	" (5, 10, 11, 3, 2, NULL, 70, 70), (6, 11, 12, 3, 2, NULL, 71, 71), (6, 12, 13, 2, 0, 1, 72, 73),\n"
	" (5, 12, 13, 1, 0, 1, 74, 75), (5, 13, 14, 2, 0, 2, 75, 76);\n";

struct results {
	struct db *db;
	struct facts f;
	size_t n;
	struct facts_access rows[64];
};

static void take(void *ctx, const struct facts_access *a)
{
	struct results *t = ctx;

	assert_in_range(t->n, 0, 63);
	t->rows[t->n++] = *a;
}

/* "@R@" in the statements is the directory of the build. */
static void run(struct db *db, const char *sql, const char *root)
{
	struct buf b = { 0 };
	char *error = NULL;

	for (const char *at; (at = strstr(sql, "@R@")); sql = at + 3) {
		buf_add(&b, sql, (size_t)(at - sql));
		buf_adds(&b, root);
	}
	buf_adds(&b, sql);
	buf_addc(&b, '\0');
	sqlite3_exec(db->sql, b.s, NULL, NULL, &error);
	if (error)
		fail_msg("%s", error);
	buf_free(&b);
}

/* Run statements that change access, which is a view, as if it were a table. */
static void change_accesses(struct db *db, const char *sql, const char *root)
{
	run(db, "CREATE TEMP TABLE access AS SELECT * FROM main.access", root);
	run(db, sql, root);
	run(db, "DELETE FROM access_list; INSERT INTO access_list SELECT exec, 0,\n"
	    " json_group_array(json_array(ifnull(version, 0), ifnull(file, 0), how, class, at,\n"
	    " ifnull(until, 0) - at, ifnull(fd, -1), ifnull(bytes, -1)))\n"
	    " FROM (SELECT * FROM temp.access ORDER BY exec, rowid) GROUP BY exec;\n"
	    "DROP TABLE temp.access", root);
}

/* Collect the facts of the build below @root, changed by @change. */
static void compute(struct results *t, const char *root, const char *change)
{
	struct diag *diag = diag_new(stderr, "test");

	t->n = 0;
	t->db = db_create(NULL, diag);
	assert_non_null(t->db);
	change_accesses(t->db, build, root);
	change_accesses(t->db, change, root);
	t->db->complete = db_meta(t->db, "complete", 0) == 1;
	facts_load(&t->f, t->db, NULL);
	facts_accesses(&t->f, take, t);
	assert_false(t->db->failed);
}

static void done(struct results *t)
{
	struct diag *diag = t->db->diag;

	facts_free(&t->f);
	db_close(t->db);
	diag_free(diag);
	memset(t, 0, sizeof(*t));
}

/* Steps, named by their first unit. */
enum { MAKE = 1, A, B, LINK, SCRIPT, CAT };

static void test_steps_of_a_build(void **state)
{
	static const struct {
		uint32_t step;
		int64_t took, cpu, maxrss, status;
		uint32_t output, outputs, inputs;
		enum facts_unknown unknown;
	} want[] = {
		[MAKE] = { 0, 900, 2, 1000, 0, 0, 0, 0, FACTS_KNOWN },
		[A] = { A, 9, 6, 2000, 0, 7, 1, 3, FACTS_KNOWN },
		[B] = { B, 10, 7, 3000, 1, 8, 1, 3, FACTS_KNOWN },
		[LINK] = { LINK, 10, 8, 4000, 0, 10, 1, 3, FACTS_KNOWN },
		/* with cat, whose file is used within the step only */
		[SCRIPT] = { SCRIPT, 10, 19, 6000, 0, 14, 2, 2, FACTS_KNOWN },
		[CAT] = { SCRIPT, 3, 10, 6000, 0, 13, 1, 0, FACTS_KNOWN },
	};
	struct results t = { 0 };

	(void)state;
	compute(&t, "/build/x", "");
	assert_int_equal(t.f.nsteps, CAT);
	for (uint32_t i = MAKE; i <= CAT; i++) {
		const struct facts_step *s = &t.f.steps[i];

		assert_int_equal(t.f.step[i], want[i].step);
		assert_int_equal(s->took, want[i].took);
		assert_true(s->cpu.known && s->maxrss.known && s->status.known);
		assert_false(s->rbytes.known || s->signal.known);
		assert_int_equal(s->cpu.v, want[i].cpu);
		assert_int_equal(s->maxrss.v, want[i].maxrss);
		assert_int_equal(s->status.v, want[i].status);
		assert_int_equal(s->output, want[i].output);
		assert_int_equal(s->outputs, want[i].outputs);
		assert_int_equal(s->inputs, want[i].inputs);
		assert_int_equal(s->unknown, want[i].unknown);
		assert_int_equal(s->inputs_hash != 0, want[i].step == i);
		assert_int_equal(s->command_hash != 0, want[i].step == i);
	}
	done(&t);
}

static void test_files_of_a_build(void **state)
{
	static const struct {
		uint32_t file, made_by, readers, rebuilds;
		int64_t took;
		bool used, existed;
		uint8_t class;
	} want[] = {
		{ 4, 0, 1, 2, 19, true, true, GRAPH_DATA },	/* a.c: cc, ld */
		{ 6, 0, 2, 3, 29, true, true, GRAPH_DATA },	/* c.h: cc, cc, ld */
		{ 7, A, 1, 1, 10, true, false, GRAPH_DATA },	/* a.o */
		{ 10, LINK, 0, 0, 0, true, false, GRAPH_DATA },	/* prog */
		{ 3, 0, 2, 3, 29, true, true, GRAPH_PROGRAM },	/* cc */
		{ 13, SCRIPT, 0, 0, 0, true, false, GRAPH_DATA },	/* tmp */
		{ 17, 0, 0, 0, 0, true, true, GRAPH_DATA },	/* Makefile: only make reads it */
		{ 18, 0, 0, 0, 0, true, true, GRAPH_LOADER },
		{ 16, 0, 0, 0, 0, false, false, GRAPH_DATA },	/* no program read it */
	};
	struct results t = { 0 };

	(void)state;
	compute(&t, "/build/x", "");
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct facts_file *f = &t.f.files[want[i].file];

		assert_int_equal(f->made_by, want[i].made_by);
		assert_int_equal(f->readers, want[i].readers);
		assert_int_equal(f->rebuilds, want[i].rebuilds);
		assert_int_equal(f->rebuild_took, want[i].took);
		assert_int_equal(f->used, want[i].used);
		assert_int_equal(f->existed, want[i].existed);
		assert_int_equal(f->class, want[i].class);
	}
	done(&t);
}

static void test_accesses_of_a_build(void **state)
{
	struct results t = { 0 };
	size_t found = 0;

	(void)state;
	/* an open by name and a listing of the directory: not reported */
	compute(&t, "/build/x", "INSERT INTO access (exec, version, file, how, class, at) VALUES\n"
		" (2, 4, 5, 4, 5, 20), (2, 4, 5, 6, 6, 20)");
	assert_int_equal(t.n, 21);
	assert_int_equal(t.f.naccesses, 21);
	for (size_t i = 0; i < t.n; i++) {
		const struct facts_access *a = &t.rows[i];

		if (a->unit != A || a->file != 4)
			continue;
		found++;
		assert_int_equal(a->how, GRAPH_READ);
		assert_true(a->bytes.known);
		assert_int_equal(a->bytes.v, 10);
		assert_int_equal(a->at, 22);
	}
	assert_int_equal(found, 1);
	done(&t);
}

/* ---- what is the same ---- */

enum same { SAME_COMMAND = 1, SAME_INPUTS = 2, SAME = 3 };

static unsigned int compare(const struct results *a, const struct results *b, uint32_t step)
{
	const struct facts_step *x = &a->f.steps[step], *y = &b->f.steps[step];

	return (x->command_hash == y->command_hash ? SAME_COMMAND : 0) |
	       (x->inputs_hash == y->inputs_hash ? SAME_INPUTS : 0);
}

static void test_equal_steps(void **state)
{
	static const struct {
		const char *what, *root, *change;
		uint8_t same[CAT];	/* of A to SCRIPT */
	} rows[] = {
		{ "unchanged", "/build/x", "", { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
		{ "another directory", "/home/me", "",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
		{ "more jobs", "/build/x", "UPDATE string SET s = CAST('-j64' AS BLOB) WHERE id = 2",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
		{ "another time of an input", "/build/x", "UPDATE version SET mtime = 99 WHERE id = 3",
		  { [A] = SAME_COMMAND, [B] = SAME, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "another size of an input", "/build/x", "UPDATE version SET size = 99 WHERE id = 5",
		  { [A] = SAME_COMMAND, [B] = SAME_COMMAND, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "another size and time of an output", "/build/x", "UPDATE version SET size = 99, mtime = 98 WHERE id = 6",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
		{ "another argument", "/build/x", "UPDATE string SET s = CAST('B.c' AS BLOB) WHERE id = 6",
		  { [A] = SAME, [B] = SAME_INPUTS, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "another compiler", "/build/x", "UPDATE version SET mtime = 1 WHERE id = 2",
		  { [A] = SAME_COMMAND, [B] = SAME_COMMAND, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "another name of an input", "/build/x", "UPDATE file SET path = CAST('@R@/d.h' AS BLOB) WHERE id = 6",
		  { [A] = SAME_COMMAND, [B] = SAME_COMMAND, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "without the cache of libraries", "/build/x", "DELETE FROM access WHERE version = 17",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
		{ "a file that is appended to", "/build/x",
		  "INSERT INTO access (exec, version, file, how, class, at, until) VALUES (4, 19, 19, 2, 0, 56, 57)",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME_COMMAND, [SCRIPT] = SAME } },
		{ "other processes at other times", "/build/x",
		  "UPDATE process SET upid = upid + 100; UPDATE exec SET at = at + 1, until = until + 1;\n"
		  "UPDATE access SET at = at + 1, until = until + 1",
		  { [A] = SAME, [B] = SAME, [LINK] = SAME, [SCRIPT] = SAME } },
	};
	struct results first = { 0 }, t = { 0 };

	(void)state;
	compute(&first, "/build/x", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		compute(&t, rows[i].root, rows[i].change);
		for (uint32_t step = A; step <= SCRIPT; step++)
			if (compare(&first, &t, step) != rows[i].same[step])
				fail_msg("%s: step %u", rows[i].what, step);
		done(&t);
	}
	done(&first);
}

/* A chroot has another name each time: what is read in it still counts as the same. */
static void test_equal_steps_in_chroots(void **state)
{
	static const char change[] =
		"INSERT INTO file SELECT column1, CAST(column2 AS BLOB) FROM (VALUES (20, '/srv/%s'),"
		" (21, '/srv/never'));\n"
		"INSERT INTO change (exec, what, file, error, at) VALUES (1, 13, 21, 2, 1), (1, 13, 20, 0, 1);\n"
		"UPDATE file SET path = CAST('/srv/%s' || path AS BLOB) WHERE id IN (3, 9, 18)";
	static const struct {
		const char *path, *inner;
	} inner[] = {
		{ "/srv/sid-22/usr/bin/cc", "/usr/bin/cc" }, { "/srv/sid-22", "" },
		{ "/srv/sid-22x/usr", "/srv/sid-22x/usr" }, { "/srv/never/usr", "/srv/never/usr" },
		{ "mnt:[4026532281]/usr/bin/cc", "/usr/bin/cc" }, { "main[0]/cc", "main[0]/cc" },
	};
	char sql[2][512];
	struct results a = { 0 }, b = { 0 };
	struct buf name = { 0 };

	(void)state;
	snprintf(sql[0], sizeof(sql[0]), change, "trixie-1", "trixie-1");
	snprintf(sql[1], sizeof(sql[1]), change, "sid-22", "sid-22");
	compute(&a, "/build/x", sql[0]);
	compute(&b, "/home/me", sql[1]);
	for (uint32_t step = A; step <= SCRIPT; step++)
		assert_int_equal(compare(&a, &b, step), SAME);
	match_name(&b.f.s, "/srv/sid-22/usr/bin/cc", 22, &name);
	assert_int_equal(name.len, 16);
	assert_memory_equal(name.s, "root:/usr/bin/cc", 16);
	buf_free(&name);
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		size_t len = strlen(inner[i].path);
		const char *s = build_inner(b.f.s.b, inner[i].path, &len);

		assert_int_equal(len, strlen(inner[i].inner));
		assert_memory_equal(s, inner[i].inner, len);
	}
	done(&a);
	done(&b);
}

static void test_reasons_for_unknown_steps(void **state)
{
	static const struct {
		const char *change;
		uint8_t why[CAT];	/* of A to SCRIPT */
	} rows[] = {
		{ "UPDATE meta SET value = 0 WHERE key = 'complete'",
		  { [A] = FACTS_INCOMPLETE, [B] = FACTS_INCOMPLETE, [LINK] = FACTS_INCOMPLETE,
		    [SCRIPT] = FACTS_INCOMPLETE } },
		{ "UPDATE exec SET args = NULL WHERE id = 2", { [A] = FACTS_COMMAND, [LINK] = FACTS_INPUT } },
		{ "UPDATE exec SET cwd = NULL WHERE id = 2", { [A] = FACTS_COMMAND, [LINK] = FACTS_INPUT } },
		{ "INSERT INTO net VALUES (3, 'connect', 1, 2, NULL, 30)",
		  { [B] = FACTS_NETWORK, [LINK] = FACTS_INPUT } },
		/* refused */
		{ "INSERT INTO net VALUES (3, 'connect', 1, 2, 111, 30)", { 0 } },
		{ "UPDATE exec SET unseen = 2 WHERE id = 6", { [SCRIPT] = FACTS_SOCKET } },
		{ "UPDATE exec SET unseen = 4 WHERE id = 6", { [SCRIPT] = FACTS_URING } },
		{ "UPDATE exec SET unseen = 1 WHERE id = 6", { [SCRIPT] = FACTS_DESCRIPTOR } },
		/* the first of several reasons */
		{ "UPDATE exec SET unseen = 7 WHERE id = 6", { [SCRIPT] = FACTS_SOCKET } },
		/* make is not part of any step */
		{ "UPDATE exec SET unseen = 7 WHERE id = 1", { 0 } },
		/* a pipe from cat to its own script, and a pipe from make */
		{ "INSERT INTO version (id, made, exec, at) VALUES (30, 3, 5, 70);\n"
		  "INSERT INTO access (exec, version, how, class, at, until) VALUES (6, 30, 2, 1, 72, 73),\n"
		  " (5, 30, 1, 1, 72, 73)", { 0 } },
		{ "INSERT INTO version (id, made, exec, at) VALUES (30, 3, 1, 1);\n"
		  "INSERT INTO access (exec, version, how, class, at, until) VALUES (1, 30, 2, 1, 72, 73),\n"
		  " (5, 30, 1, 1, 72, 73)", { [SCRIPT] = FACTS_PIPE } },
		/* a pipe without a writer: it may come from outside */
		{ "INSERT INTO version (id, made, exec, at) VALUES (30, 3, 1, 1);\n"
		  "INSERT INTO access (exec, version, how, class, at, until) VALUES (5, 30, 1, 1, 72, 73)",
		  { [SCRIPT] = FACTS_PIPE } },
		{ "INSERT INTO version (id, made, exec, at) VALUES (30, 3, 6, 71);\n"
		  "INSERT INTO access (exec, version, how, class, at, until) VALUES (5, 30, 1, 1, 72, 73)", { 0 } },
		{ "UPDATE access SET version = 15, file = 16 WHERE version = 14",
		  { [A] = FACTS_DEVICE, [LINK] = FACTS_INPUT } },
		/* written by make */
		{ "UPDATE version SET exec = 1 WHERE id = 6; UPDATE access SET exec = 1 WHERE version = 6 AND how = 2",
		  { [LINK] = FACTS_OUTSIDE } },
		/* read before it was complete */
		{ "UPDATE exec SET until = 70 WHERE id = 3", { [LINK] = FACTS_UNFINISHED } },
		/* written by another step, too */
		{ "INSERT INTO access (exec, version, file, how, class, at, until) VALUES (3, 12, 13, 2, 0, 73, 74)",
		  { [SCRIPT] = FACTS_UNFINISHED } },
		{ "UPDATE version SET size = NULL, mtime = NULL WHERE id = 5",
		  { [A] = FACTS_UNIDENTIFIED, [B] = FACTS_UNIDENTIFIED, [LINK] = FACTS_INPUT } },
	};
	struct results t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		compute(&t, "/build/x", rows[i].change);
		for (uint32_t step = A; step <= SCRIPT; step++) {
			const struct facts_step *s = &t.f.steps[step];

			if (s->unknown != rows[i].why[step] || !s->inputs_hash != !!s->unknown)
				fail_msg("%s: step %u: %s", rows[i].change, step,
					 facts_unknown_names[s->unknown]);
		}
		done(&t);
	}
}

/* ---- what the trace does not have ---- */

static int64_t looked;

static bool look(void *ctx, uint32_t file, int64_t *size, int64_t *mtime)
{
	(void)ctx;
	*size = file;
	*mtime = looked;
	return looked;
}

/* The content of a.c, which is the same although its mtime differs. */
static bool hash(void *ctx, uint32_t file, uint32_t version, uint8_t *to)
{
	(void)ctx;
	memset(to, 7, FACTS_HASH);
	return file == 4 && version == 3;
}

static void test_files_looked_up(void **state)
{
	static const char no_cc[] = "UPDATE version SET size = NULL, mtime = NULL WHERE id = 2";
	struct results t = { 0 }, u = { 0 };

	(void)state;
	compute(&t, "/build/x", no_cc);
	assert_int_equal(t.f.steps[A].unknown, FACTS_UNIDENTIFIED);
	done(&t);
	t.f.look = look;
	u.f.look = look;
	looked = 5;
	compute(&t, "/build/x", no_cc);
	assert_int_equal(t.f.steps[A].unknown, FACTS_KNOWN);
	looked = 6;
	compute(&u, "/build/x", no_cc);
	assert_int_equal(compare(&t, &u, A), SAME_COMMAND);
	done(&u);
	u.f.look = look;
	looked = 0;
	compute(&u, "/build/x", no_cc);
	assert_int_equal(u.f.steps[A].unknown, FACTS_UNIDENTIFIED);
	done(&u);
	u.f.by_name = true;
	compute(&u, "/build/x", no_cc);
	assert_int_equal(u.f.steps[A].unknown, FACTS_KNOWN);
	assert_int_equal(compare(&t, &u, A), SAME_COMMAND);
	done(&t);
	done(&u);
	t.f.hash = hash;
	u.f.hash = hash;
	compute(&t, "/build/x", "");
	compute(&u, "/build/x", "UPDATE version SET mtime = 99 WHERE id = 3");
	assert_int_equal(compare(&t, &u, A), SAME);
	assert_int_equal(compare(&t, &u, LINK), SAME);
	done(&t);
	done(&u);
}

/* ---- a build's id ---- */

static void test_build_id(void **state)
{
	static const struct {
		const char *change;
		bool same;
	} rows[] = {
		{ "", true },
		{ "UPDATE meta SET value = 0 WHERE key = 'complete'", true },
		{ "UPDATE meta SET value = 1001 WHERE key = 'begin'", false },
		{ "UPDATE meta SET value = 901 WHERE key = 'end'", false },
		{ "INSERT INTO meta VALUES ('host', 'a')", false },
		{ "INSERT INTO meta VALUES ('realtime', 5)", false },
		{ "UPDATE process SET upid = 99 WHERE id = 6", false },
		{ "UPDATE process SET at = 99 WHERE id = 6", false },
	};
	uint8_t first[FACTS_ID], id[FACTS_ID];
	struct results t = { 0 };

	(void)state;
	compute(&t, "/build/x", "");
	facts_id(t.db, first);
	done(&t);
	assert_int_equal(first[6] >> 4, 8);
	assert_int_equal(first[8] >> 6, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		compute(&t, "/other", rows[i].change);
		facts_id(t.db, id);
		if (!memcmp(first, id, FACTS_ID) != rows[i].same)
			fail_msg("%s", rows[i].change);
		done(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_of_a_build),
		cmocka_unit_test(test_files_of_a_build),
		cmocka_unit_test(test_accesses_of_a_build),
		cmocka_unit_test(test_equal_steps), cmocka_unit_test(test_equal_steps_in_chroots),
		cmocka_unit_test(test_reasons_for_unknown_steps),
		cmocka_unit_test(test_files_looked_up),
		cmocka_unit_test(test_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
