// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds processes that may have waited for each other at a pipe, by the rule in timeline.h.
 * See timeline_load.h.
 *
 * A reader may wait until the last writer has closed the pipe: first for its parent, which may
 * hold the other end until it ends, then for each writer in the order of their ends. A writer may
 * wait as long as both it and the reader have the pipe open.
 */
#include "answers/timeline_load.h"
#include "base/map64.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct writer {
	uint32_t process;
	int64_t at, until;
	/* index of the first to begin, among this and later ones */
	size_t earliest;
};

struct waits {
	struct timeline *t;
	const struct build *b;
	struct writer *writers;		/* writers of one pipe, in the order of their ends */
	size_t n, cap;
	struct map64 last;		/* by process: 1 + index of its last row in @writers */
	struct map64 pairs;		/* pairs seen: process << 32 | writer */
};

/* Whether the CPU time of a process is known. */
static bool is_cpu_known(const struct timeline *t, uint32_t process)
{
	uint32_t last = t->processes[process].last;

	return last && t->execs[last].cpu >= 0;
}

static uint64_t pair_key(uint32_t process, uint32_t writer)
{
	return (uint64_t)process << 32 | writer;
}

static int by_until(const void *a, const void *b)
{
	const struct writer *x = a, *y = b;

	if (x->until != y->until)
		return x->until < y->until ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

static void find_writers(struct waits *w, uint32_t version)
{
	w->n = 0;
	map64_clear(&w->last);
	for (uint32_t i = 0; i < w->b->versions[version].writes; i++) {
		const struct build_access *a = build_use(w->b, version, i);

		w->writers = xgrow(w->writers, &w->cap, w->n + 1, sizeof(*w->writers));
		w->writers[w->n++] = (struct writer){
			w->b->execs[a->exec].process, a->at, a->until, 0
		};
	}
	qsort(w->writers, w->n, sizeof(*w->writers), by_until);
	for (size_t i = 0; i < w->n; i++)
		map64_put(&w->last, w->writers[i].process, i + 1);
	for (size_t i = w->n; i--;) {
		size_t next = i + 1 < w->n ? w->writers[i + 1].earliest : i;

		w->writers[i].earliest = w->writers[next].at < w->writers[i].at ? next : i;
	}
}

static bool is_below(const struct timeline *t, uint32_t process, uint32_t above)
{
	while (process > above)
		process = t->processes[process].parent;
	return process == above;
}

/* Add a wait of the reader for a writer, from @from on. Return: the end of the wait. */
static int64_t add_wait(struct waits *w, const struct build_access *reader,
			const struct writer *writer, int64_t from)
{
	struct timeline *t = w->t;
	uint32_t process = w->b->execs[reader->exec].process;
	int64_t to = writer->until < reader->until ? writer->until : reader->until;

	if (to <= from || writer->at >= reader->until || writer->process == process || !process)
		return from;
	map64_put(&w->pairs, pair_key(process, writer->process), 1);
	/* no wait for a descendant: such waits are known, and begin when the child starts */
	if (is_below(t, writer->process, process))
		return from;
	t->waits = xgrow(t->waits, &t->waits_cap, t->nwaits + 1, sizeof(*t->waits));
	t->waits[t->nwaits++] = (struct timeline_wait){ process, writer->process, false, from, to };
	return to;
}

/* Index of the first writer that ended after @at. */
static size_t ends_after(const struct waits *w, int64_t at)
{
	return partition_point(i, 0, w->n, w->writers[i].until <= at);
}

static void add_waits(struct waits *w, const struct build_access *reader)
{
	uint32_t process = w->b->execs[reader->exec].process;
	uint32_t parent = w->t->processes[process].parent;
	const uint64_t *held = parent ? map64_get(&w->last, parent) : NULL;
	int64_t at = reader->at;
	size_t i;

	if (held)
		at = add_wait(w, reader, &w->writers[*held - 1], at);
	for (i = ends_after(w, at); i < w->n && w->writers[i].until < reader->until; i++)
		at = add_wait(w, reader, &w->writers[i], at);
	/* one writer that ended after the reader is enough: it covers the rest of the read */
	if (i < w->n)
		add_wait(w, reader, &w->writers[w->writers[i].earliest], at);
}

/* Capacity of a pipe in bytes: a writer of more may have waited for the reader. */
#define PIPE_TAKES 65536u

enum left {
	LEFT_NOTHING,
	LEFT_END,	/* only at the end: more was read than the pipe can hold at a time */
	LEFT_MOST,
};

/* Whether bytes were left unread in a pipe; no reader waited for these. */
static enum left left_in(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];
	uint64_t in = 0, out = 0;

	for (uint32_t i = 0; v->counted && i < v->uses; i++) {
		uint64_t bytes = build_moved(b, build_use(b, version, i));

		if (i < v->writes)
			in += bytes;
		else
			out += bytes;
	}
	return in <= out ? LEFT_NOTHING : out > PIPE_TAKES ? LEFT_END : LEFT_MOST;
}

/*
 * Find a pipe's only reader, its accesses joined into one.  Return: false if there are several
 * readers, or its CPU time is unknown.
 */
static bool find_reader(const struct waits *w, uint32_t version, struct build_access *reader)
{
	const struct build_version *v = &w->b->versions[version];
	uint32_t last = 0;

	for (uint32_t k = v->writes; k < v->uses; k++) {
		const struct build_access *a = build_use(w->b, version, k);
		uint32_t process = w->b->execs[a->exec].process;

		if (a->how != GRAPH_READ)
			continue;
		if (last && last != process)
			return false;
		if (!last || a->at < reader->at)
			reader->at = a->at;
		if (!last || a->until > reader->until)
			reader->until = a->until;
		last = process;
		reader->exec = a->exec;
	}
	return last && is_cpu_known(w->t, last);
}

/* Whether a process used CPU time for less than half of its running time. */
static bool is_idle(const struct timeline *t, uint32_t process)
{
	const struct timeline_process *p = &t->processes[process];

	return is_cpu_known(t, process) && t->execs[p->last].cpu < (p->until - p->at) / 2;
}

/*
 * Add waits of idle writers for the reader of a full pipe, but only if the reader has the higher
 * number, because timeline_work() has then computed the reader's waits already.
 */
static void add_full(struct waits *w, uint32_t version)
{
	const struct build_version *v = &w->b->versions[version];
	struct timeline *t = w->t;
	struct build_access r = { 0 };
	uint32_t reader;

	if (!v->counted || !find_reader(w, version, &r))
		return;
	reader = w->b->execs[r.exec].process;
	for (uint32_t k = 0; k < v->writes; k++) {
		const struct build_access *a = build_use(w->b, version, k);
		uint32_t process = w->b->execs[a->exec].process;
		int64_t from = a->at > r.at ? a->at : r.at, to = a->until < r.until ? a->until : r.until;

		if (!process || process >= reader || to <= from || !is_idle(t, process) ||
		    build_moved(w->b, a) <= PIPE_TAKES)
			continue;
		t->waits = xgrow(t->waits, &t->waits_cap, t->nwaits + 1, sizeof(*t->waits));
		t->waits[t->nwaits++] = (struct timeline_wait){ process, reader, true, from, to };
	}
}

/*
 * If two processes wait for each other, one for requests and one for replies, only their CPU times
 * tell which of them worked: drop such waits without CPU times.
 */
static void drop_unclear(struct waits *w)
{
	struct timeline *t = w->t;
	size_t n = 0;

	for (size_t i = 0; i < t->nwaits; i++) {
		const struct timeline_wait wait = t->waits[i];

		if (is_cpu_known(t, wait.process) ||
		    !map64_get(&w->pairs, pair_key(wait.other, wait.process)))
			t->waits[n++] = wait;
	}
	t->nwaits = n;
}

void timeline_add_waits(struct timeline *t)
{
	struct waits w = { .t = t, .b = build_of(t->db) };

	for (uint32_t i = 1; i <= w.b->nversions; i++) {
		const struct build_version *v = &w.b->versions[i];
		enum left left;

		if (!build_is_queue(v) || v->token || !v->writes || v->uses == v->writes)
			continue;
		add_full(&w, i);
		left = left_in(w.b, i);
		if (left == LEFT_MOST)
			continue;
		find_writers(&w, i);
		for (uint32_t k = v->writes; k < v->uses; k++) {
			const struct build_access *a = build_use(w.b, i, k);

			if (a->how == GRAPH_READ &&
			    (left == LEFT_NOTHING || is_cpu_known(t, w.b->execs[a->exec].process)))
				add_waits(&w, a);
		}
	}
	drop_unclear(&w);
	free(w.writers);
	map64_clear(&w.last);
	map64_clear(&w.pairs);
}
