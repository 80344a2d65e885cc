// SPDX-License-Identifier: LGPL-2.1
/* Reads the time traces of compilers, by program.  See inside.h. */
#include "answers/inside.h"
#include "base/xalloc.h"
#include "timeline/traced.h"
#include "format/json/chrome.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

/* Maximum lag of the clock for file mtimes, ns. */
#define COARSE	10000000
/* Largest valid time in ns, in the year 2065; a sum of two fits into 64 bits. */
#define MAX_CLOCK	3000000000000000000

struct finding {
	const struct timeline *t;
	const char *below;
	void (*fn)(void *ctx, uint32_t exec, const struct inside_slice *s);
	void *ctx;
	struct inside *list;
	uint8_t *execs;		/* by exec: bits TRACED_* */
	bool dated;
	int64_t date;		/* CLOCK_REALTIME at time 0 of the build, ns */
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

/* ---- files ---- */

static uint32_t writer_of(const struct build *b, uint32_t version)
{
	size_t n;
	uint32_t *makers = build_makers(b, version, &n), exec = n ? makers[n - 1] : 0;

	free(makers);
	return exec;
}

static bool is_made(const struct build_version *v)
{
	return build_is_written(v);
}

/* The version of a file at the end, or its last one.  Return: 0 if the build did not make it. */
static uint32_t made_in(const struct build *b, uint32_t file)
{
	uint32_t version = build_present(b, file);

	if (!version) {
		version = build_final(b, file);
		/* the version was only renamed, so the file is not an output */
		if (version && build_name(b, version, file))
			return 0;
	}
	return is_made(&b->versions[version]) ? version : 0;
}

static enum traced_name name_of(const struct build *b, uint32_t file)
{
	size_t len;
	const char *path = build_path(b, file, &len);

	return traced_name_of(path, len);
}

/* The program that a time trace describes: its writer, or the program whose profile crox read. */
static uint32_t subject_of(const struct build *b, uint32_t writer)
{
	const struct build_exec *e = &b->execs[writer];
	uint32_t found = 0;

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how == GRAPH_READ && is_made(v) && name_of(b, v->file) == TRACED_PROFILE)
			found = v->exec;
	}
	return found ? found : writer;
}

static void find_files(struct finding *f, const struct build *b)
{
	for (uint32_t file = 1; file <= b->nfiles; file++) {
		uint32_t version = name_of(b, file) == TRACED_TRACE ? made_in(b, file) : 0;
		uint32_t writer = version ? writer_of(b, version) : 0;
		struct inside_row *row;

		if (!writer)
			continue;
		row = add_row(f, subject_of(b, writer));
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

/* ---- programs that were asked for a time trace ---- */

static bool asked_for_trace(const struct build *b, uint32_t exec)
{
	struct buf words = { 0 }, label = { 0 };
	size_t n, len;
	struct work_arg *args = answers_work_args(b->db, exec, &words, &n);
	const char *program = build_path(b, b->execs[exec].program, &len);
	bool is = traced_asked(work_of(program, len, args, n, &label), args, n);

	free(args);
	buf_free(&words);
	buf_free(&label);
	return is;
}

static void find_asked(struct finding *f, const struct build *b)
{
	static const char any[] =
		"SELECT 1 FROM string WHERE instr(s, CAST('time-trace' AS BLOB))\n"
		" OR instr(s, CAST('self-profile' AS BLOB)) LIMIT 1";

	if (!db_one(b->db, any, ""))
		return;
	for (uint32_t i = 1; i <= b->nexecs; i++) {
		f->execs[i] |= b->execs[i].status > 0 || b->execs[i].signal > 0 ? TRACED_FAILED : 0;
		f->execs[i] |= asked_for_trace(b, i) ? TRACED_ASKED : 0;
	}
}

/* ---- slices ---- */

static void emit_slices(struct finding *f, const struct chrome_trace *t, uint32_t exec)
{
	uint32_t *below = xcalloc(t->nthreads + 1, sizeof(*below));

	for (size_t i = 1; i < t->nthreads; i++)
		below[i] = below[i - 1] + t->threads[i - 1].depth;
	for (size_t i = 0; i < t->n; i++) {
		const struct chrome_slice *s = &t->slices[i];
		struct inside_slice slice = {
			chrome_text(t, s->name), chrome_text(t, s->detail), s->from, s->to,
			below[s->thread] + s->depth,
		};

		f->fn(f->ctx, exec, &slice);
	}
	free(below);
}

static struct chrome_was was_of(struct finding *f, const struct inside_row *row)
{
	const struct build_version *v = &build_of(f->t->db)->versions[row->version];
	const struct timeline_exec *e = &f->t->execs[row->writer];
	struct chrome_was was = { 0 };

	if (v->identified) {
		was.known = true;
		was.size = (int64_t)v->size;
		was.mtime = v->mtime;
	} else if (f->dated) {
		was.from = f->date + e->at - COARSE;
		was.to = f->date + e->until + COARSE;
	}
	return was;
}

/* Return: whether the row has anything to print. */
static bool read_row(struct finding *f, struct inside_row *row)
{
	const struct timeline_exec *e = &f->t->execs[row->exec];
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
		emit_slices(f, &t, row->exec);
	}
	chrome_free(&t);
	row->fault = fault == CHROME_OK ? NULL : chrome_faults[fault];
	says = fault == CHROME_OK || fault == CHROME_DAMAGED ||
	       (fault != CHROME_FOREIGN && (f->execs[row->exec] & TRACED_ASKED ||
					    traced_is_certain(path.s, path.len - 1)));
	if (says)
		f->execs[row->exec] |= TRACED_REPORTED;
	buf_free(&path);
	return says;
}

static void on_missing(void *ctx, uint32_t exec)
{
	add_row(ctx, exec)->fault = "should have written a time trace, but left none";
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
	find_asked(&f, build_of(t->db));
	find_files(&f, build_of(t->db));
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
