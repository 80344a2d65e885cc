// SPDX-License-Identifier: LGPL-2.1
/*
 * Computes which steps a change of a file would run again: those that read it, those that
 * read their outputs, and so on.  See facts.h.
 *
 * Files with the same readers share the result: headers that are included everywhere need
 * only one walk.
 */
#include "fleet/facts.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <string.h>

struct walk {
	struct facts *f;
	uint32_t *first;	/* by step, and one more: index of its first entry in @out */
	uint32_t *out;		/* steps that read a step's outputs */
	uint32_t *seen;		/* by step: number of the last walk that visited it */
	uint32_t *queue;
	uint32_t walks;
};

static int by_file(const void *a, const void *b)
{
	const struct facts_pair *x = a, *y = b;

	if (x->of != y->of)
		return (x->of > y->of) - (x->of < y->of);
	return (x->step > y->step) - (x->step < y->step);
}

static void load_edges(struct facts *f, struct walk *w)
{
	uint32_t *at;

	w->first = xcalloc(f->s.nunits + 2ul, sizeof(*w->first));
	for (size_t i = 0; i < f->nfollows; i++)
		w->first[f->follows[i].of + 1]++;
	for (uint32_t i = 1; i <= f->s.nunits + 1; i++)
		w->first[i] += w->first[i - 1];
	w->out = xcalloc(f->nfollows + 1, sizeof(*w->out));
	at = xmemdup(w->first, (f->s.nunits + 2ul) * sizeof(*at));
	for (size_t i = 0; i < f->nfollows; i++)
		w->out[at[f->follows[i].of]++] = f->follows[i].step;
	free(at);
}

static void visit_step(struct walk *w, uint32_t step, uint32_t *n)
{
	if (w->seen[step] == w->walks)
		return;
	w->seen[step] = w->walks;
	w->queue[(*n)++] = step;
}

static void walk_steps(struct walk *w, const struct facts_pair *readers, uint32_t nreaders,
		       struct facts_file *to)
{
	uint32_t n = 0;

	w->walks++;
	for (uint32_t i = 0; i < nreaders; i++)
		visit_step(w, readers[i].step, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t step = w->queue[i];

		to->rebuild_took += w->f->steps[step].took;
		for (uint32_t j = w->first[step]; j < w->first[step + 1]; j++)
			visit_step(w, w->out[j], &n);
	}
	to->rebuilds = n;
}

void costs_find(struct facts *f)
{
	struct walk w = {
		.f = f, .seen = xcalloc(f->s.nunits + 1ul, sizeof(*w.seen)),
		.queue = xcalloc(f->s.nunits + 1ul, sizeof(*w.queue)),
	};
	struct map64 same = { 0 };
	uint32_t n;

	if (f->nreads)
		qsort(f->reads, f->nreads, sizeof(*f->reads), by_file);
	load_edges(f, &w);
	for (size_t i = 0; i < f->nreads; i += n) {
		struct facts_file *file = &f->files[f->reads[i].of];
		uint64_t key = 0, *known;

		for (n = 0; i + n < f->nreads && f->reads[i + n].of == f->reads[i].of; n++)
			key = hash_two(key, f->reads[i + n].step);
		file->readers = n;
		known = map64_get(&same, key);
		if (known) {
			file->rebuilds = f->files[*known].rebuilds;
			file->rebuild_took = f->files[*known].rebuild_took;
			continue;
		}
		walk_steps(&w, f->reads + i, n, file);
		map64_put(&same, key, f->reads[i].of);
	}
	map64_clear(&same);
	free(w.first);
	free(w.out);
	free(w.seen);
	free(w.queue);
}
