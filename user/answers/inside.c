// SPDX-License-Identifier: LGPL-2.1
/* What compilers say of themselves, by program.  See inside.h. */
#include "answers/inside.h"
#include "model/build.h"
#include "base/xalloc.h"
#include "build/traced.h"
#include "import/chrome/chrome.h"

#include <stdlib.h>
#include <string.h>

/* ns: what the clock by which files are dated may be behind */
#define COARSE	10000000
/* ns: no clock tells more, up to 2065; sums of two stay in 64 bits */
#define MAX_CLOCK	3000000000000000000

struct finding {
	const struct timeline *t;
	const char *below;
	void (*fn)(void *ctx, uint32_t exec, const struct inside_slice *s);
	void *ctx;
	struct inside *list;
	uint8_t *execs;		/* TRACED_* */
	bool dated;
	int64_t date;		/* CLOCK_REALTIME at 0, ns */
};

void inside_free(struct inside *list)
{
	free(list->rows);
	*list = (struct inside){ 0 };
}

static struct inside_row *add_row(struct finding *f, uint32_t exec)
{
	struct inside *l = f->list;

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n] = (struct inside_row){ .exec = exec };
	return &l->rows[l->n++];
}

/* ---- which files ---- */

static uint32_t writer_of(struct db *db, uint32_t version)
{
	size_t n;
	uint32_t *makers = build_makers(build_of(db), version, &n), exec = n ? makers[n - 1] : 0;

	free(makers);
	return exec;
}

static bool is_made(struct db *db, uint32_t version)
{
	const struct build_version *v = &build_of(db)->versions[version];

	return v->made == GRAPH_WRITTEN || v->made == GRAPH_CHANGED;
}

/* What the build left in a file, or removed.  Return: 0: it did not make it. */
static uint32_t made_in(struct db *db, uint32_t file)
{
	const struct build *b = build_of(db);
	uint32_t version = build_present(b, file);

	if (!version) {
		version = build_final(b, file);
		/* that went on under another name */
		if (version && build_name(b, version, file))
			return 0;
	}
	return is_made(db, version) ? version : 0;
}

/* Whose time trace a program writes: its own; crox that of whose profile it read. */
static uint32_t subject_of(struct db *db, uint32_t writer)
{
	static const char text[] =
		"SELECT v.exec, f.path FROM access AS a JOIN version AS v ON v.id = a.version\n"
		" JOIN file AS f ON f.id = v.file WHERE a.exec = ? AND a.how = 1 AND v.made IN (1, 2)";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)writer);
	uint32_t found = 0;

	while (db_row(db, st)) {
		size_t len;
		const char *path = db_bytes(st, 1, &len);

		if (traced_name_of(path, len) == TRACED_PROFILE)
			found = db_id(db, st, 0, DB_EXECS);
	}
	return found ? found : writer;
}

static void find_files(struct finding *f)
{
	static const char text[] = "SELECT id, path FROM file";
	struct db *db = f->t->db;
	struct sqlite3_stmt *st = db_ask(db, text, "");

	while (db_row(db, st)) {
		uint32_t file = db_id(db, st, 0, DB_FILES), version, writer;
		struct inside_row *row;
		const char *path;
		size_t len;

		path = db_bytes(st, 1, &len);
		if (traced_name_of(path, len) != TRACED_TRACE)
			continue;
		version = made_in(db, file);
		writer = version ? writer_of(db, version) : 0;
		if (!writer)
			continue;
		row = add_row(f, subject_of(db, writer));
		row->file = file;
		row->version = version;
		row->writer = writer;
	}
}

static int by_exec(const void *a, const void *b)
{
	const struct inside_row *x = a, *y = b;

	if (x->exec != y->exec)
		return x->exec < y->exec ? -1 : 1;
	return (x->version > y->version) - (x->version < y->version);
}

/* ---- who was asked ---- */

static bool asked(struct db *db, uint32_t exec, const char *program, size_t len)
{
	struct buf words = { 0 }, label = { 0 };
	size_t n;
	struct work_arg *args = answers_work_args(db, exec, &words, &n);
	bool is;

	is = traced_asked(work_of(program, len, args, n, &label), args, n);
	free(args);
	buf_free(&words);
	buf_free(&label);
	return is;
}

static void find_asked(struct finding *f)
{
	static const char any[] =
		"SELECT 1 FROM string WHERE instr(s, CAST('time-trace' AS BLOB))\n"
		" OR instr(s, CAST('self-profile' AS BLOB)) LIMIT 1";
	static const char text[] =
		"SELECT e.id, p.path, ifnull(e.status, 0) <> 0 OR ifnull(e.signal, 0) <> 0 FROM exec AS e\n"
		" LEFT JOIN file AS p ON p.id = e.program WHERE e.args IS NOT NULL";
	struct db *db = f->t->db;
	struct sqlite3_stmt *st;

	if (!db_one(db, any, ""))
		return;
	st = db_ask(db, text, "");
	while (db_row(db, st)) {
		uint32_t exec = db_id(db, st, 0, DB_EXECS);
		const char *program;
		size_t len;

		program = db_bytes(st, 1, &len);
		f->execs[exec] |= db_int(st, 2) ? TRACED_FAILED : 0;
		f->execs[exec] |= asked(db, exec, program, len) ? TRACED_ASKED : 0;
	}
}

/* ---- slices ---- */

static void tell(struct finding *f, const struct chrome_trace *t, uint32_t exec)
{
	uint32_t *below = xcalloc(t->nthreads + 1, sizeof(*below));

	for (size_t i = 1; i < t->nthreads; i++)
		below[i] = below[i - 1] + t->threads[i - 1].depth;
	for (size_t i = 0; i < t->n; i++) {
		const struct chrome_slice *s = &t->slices[i];
		struct inside_slice told = {
			chrome_text(t, s->name), chrome_text(t, s->detail), s->from, s->to,
			below[s->thread] + s->depth,
		};

		f->fn(f->ctx, exec, &told);
	}
	free(below);
}

static struct chrome_was was_of(struct finding *f, const struct inside_row *row)
{
	static const char text[] =
		"SELECT size, mtime FROM version WHERE id = ? AND size IS NOT NULL AND mtime IS NOT NULL";
	const struct line_exec *e = &f->t->execs[row->writer];
	struct sqlite3_stmt *st = db_ask(f->t->db, text, "i", (int64_t)row->version);
	struct chrome_was was = { 0 };

	if (db_row(f->t->db, st)) {
		was.known = true;
		was.size = db_int(st, 0);
		was.mtime = db_int(st, 1);
	} else if (f->dated) {
		was.from = f->date + e->at - COARSE;
		was.to = f->date + e->until + COARSE;
	}
	return was;
}

/* Return: whether there is anything to say of it. */
static bool read_row(struct finding *f, struct inside_row *row)
{
	const struct line_exec *e = &f->t->execs[row->exec];
	struct chrome_was was = was_of(f, row);
	struct chrome_trace t = { 0 };
	enum chrome_fault fault;
	struct buf path = { 0 };
	int64_t begin;
	bool says;

	answers_file_path(f->t->db, row->file, &path);
	buf_addc(&path, '\0');
	fault = chrome_read(&t, f->below, path.s, &was);
	if (fault == CHROME_OK) {
		begin = t.begin && f->dated ? t.begin - f->date : e->at;
		chrome_place(&t, e->at, e->until, &begin);
		tell(f, &t, row->exec);
	}
	chrome_free(&t);
	row->fault = fault == CHROME_OK ? NULL : chrome_faults[fault];
	says = fault == CHROME_OK || fault == CHROME_DAMAGED ||
	       (fault != CHROME_FOREIGN && (f->execs[row->exec] & TRACED_ASKED ||
					    traced_is_certain(path.s, path.len - 1)));
	if (says)
		f->execs[row->exec] |= TRACED_TOLD;
	buf_free(&path);
	return says;
}

static void on_missing(void *ctx, uint32_t exec)
{
	add_row(ctx, exec)->fault = "was told to write a time trace, and left none";
}

void inside_find(const struct timeline *t, const char *below,
		 void (*fn)(void *ctx, uint32_t exec, const struct inside_slice *s), void *ctx,
		 struct inside *list)
{
	struct finding f = { .t = t, .below = below, .fn = fn, .ctx = ctx, .list = list };
	size_t n = 0;

	*list = (struct inside){ 0 };
	f.execs = xcalloc(t->nexecs + 1, 1);
	f.dated = answers_realtime(t->db, &f.date) && f.date > 0 && f.date < MAX_CLOCK;
	find_asked(&f);
	find_files(&f);
	if (list->n)
		qsort(list->rows, list->n, sizeof(*list->rows), by_exec);
	for (size_t i = 0; i < list->n; i++) {
		struct inside_row row = list->rows[i];

		if (read_row(&f, &row))
			list->rows[n++] = row;
	}
	list->n = n;
	traced_missing(t, f.execs, on_missing, &f);
	free(f.execs);
}
