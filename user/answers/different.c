// SPDX-License-Identifier: LGPL-2.1
/* Follows a difference back to the programs that may have caused it.  See different.h. */
#include "answers/different.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])

/* ---- the units and files on the way ---- */

#define UNIT (1ull << 32)	/* key bit of units in struct different.seen */

static void add_file(struct different *w, struct different_file f)
{
	if (map64_get(&w->seen, f.second))
		return;
	map64_put(&w->seen, f.second, 1);
	f.root = w->root;
	w->files = xgrow(w->files, &w->files_cap, w->nfiles + 1, sizeof(*w->files));
	w->files[w->nfiles++] = f;
}

static void add_unit(struct different *w, uint32_t unit)
{
	if (!unit || map64_get(&w->seen, UNIT | unit))
		return;
	map64_put(&w->seen, UNIT | unit, 1);
	w->units = xgrow(w->units, &w->units_cap, w->nunits + 1, sizeof(*w->units));
	w->units[w->nunits++] = (struct different_unit){ .unit = unit, .root = w->root };
}

static void follow_file(struct different *w, size_t i)
{
	const struct different_file f = w->files[i];
	const struct build_version *v = &B(w)->versions[f.second];
	uint32_t was = f.first ? A(w)->versions[f.first].base : 0;
	size_t n;
	const struct match_write *writes = match_writes(B(w), f.second, &n);

	/* the file was truncated, copied or renamed, but not written */
	if (!n && v->exec)
		add_unit(w, B(w)->unit_of[v->exec]);
	while (n--)
		add_unit(w, writes[n].unit);
	if (v->made == GRAPH_CHANGED && v->base &&
	    (!was || match_content(&w->d->m, was, v->base) != BUILD_SAME))
		add_file(w, (struct different_file){ was, v->base, f.file, 0 });
}

struct following {
	struct different *w;
	bool carries;
};

static void follow_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct following *f = ctx;
	enum build_same same = a && b ? match_content(&f->w->d->m, a->version, b->version) :
				BUILD_SAME_UNKNOWN;

	if (!b || !b->made || same == BUILD_SAME)
		return;
	/* without hashes, use the sizes */
	f->carries |= same == BUILD_DIFFERENT ||
		      (a && a->identified && b->identified && a->size != b->size);
	add_file(f->w, (struct different_file){ a ? a->version : 0, b->version, b->file, 0 });
}

/* Follow the pipes that a unit read, whose contents are never recorded and so may differ. */
static void follow_pipes(struct different *w, uint32_t unit)
{
	const struct match_side *s = B(w);

	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = 0; i < s->b->execs[exec].uses; i++) {
			const struct build_access *a = &s->b->accesses[s->b->execs[exec].first + i];
			const struct build_version *v = &s->versions[a->version];

			if (a->how == GRAPH_READ && build_is_queue(v) && !v->token)
				add_file(w, (struct different_file){ .second = a->version });
		}
}

static void follow_unit(struct different *w, size_t i)
{
	uint32_t unit = w->units[i].unit, pair = B(w)->units[unit].pair;
	uint32_t outer = diff_env_unit(w->d, unit);
	struct following f = { .w = w };
	struct match_inputs inputs[2] = { 0 };

	if (pair)
		match_inputs(A(w), pair, &inputs[0]);
	match_inputs(B(w), unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], follow_input, &f);
	follow_pipes(w, unit);
	free(inputs[0].rows);
	free(inputs[1].rows);
	/* its caller chose the arguments, and may have changed the environment */
	if (!pair || !match_same_call(&w->d->m, pair, unit)) {
		f.carries |= B(w)->units[unit].caller != 0;
		add_unit(w, B(w)->units[unit].caller);
	}
	if (outer)
		add_unit(w, B(w)->units[outer].caller);
	w->units[i].carries = f.carries;
}

static void follow_all(struct different *w)
{
	size_t files = 0, units = 0;

	while (files < w->nfiles || units < w->nunits) {
		if (files < w->nfiles) {
			w->root = w->files[files].root;
			follow_file(w, files++);
		} else {
			w->root = w->units[units].root;
			follow_unit(w, units++);
		}
	}
	w->root = 0;
}

/* ---- where to start ---- */

/* Whether @version is @into, or was changed into it. */
static bool is_changed_into(const struct match_side *s, uint32_t version, uint32_t into)
{
	while (into && into != version)
		into = s->versions[into].made == GRAPH_CHANGED ? s->versions[into].base : 0;
	return into;
}

static int by_at(const void *x, const void *y, void *ctx)
{
	const struct build_version *versions = ctx;
	int64_t a = versions[((const struct different_file *)x)->second].at;
	int64_t b = versions[((const struct different_file *)y)->second].at;

	return (a > b) - (a < b);
}

/*
 * Set *@all to everything that the differing outputs were made from, as far as it may differ;
 * release it with different_free(). Return: false if there are outputs, all known to be equal
 */
static bool follow_outputs(const struct different *w, struct different *all)
{
	const struct diff *d = w->d;

	*all = (struct different){ .d = w->d };
	for (size_t i = 0; i < d->noutputs; i++) {
		const struct diff_output *o = &d->outputs[i];
		uint32_t second = o->second ? build_present(B(w)->b, o->second) : 0;

		if (second)
			add_file(all, (struct different_file){
				o->first ? build_present(A(w)->b, o->first) : 0, second, o->second, 0,
			});
	}
	if (all->nfiles)
		qsort_r(all->files, all->nfiles, sizeof(*all->files), by_at,
			(void *)(uintptr_t)B(w)->versions);
	for (size_t i = 0; i < all->nfiles; i++)
		all->files[i].root = (uint32_t)i;
	follow_all(all);
	return d->noutputs || d->left[DIFF_LEFT_UNKNOWN] || !d->left[DIFF_LEFT_SAME];
}

/* The output from which the search reached a version. */
static struct different_file find_shown(const struct different *all, uint32_t version)
{
	for (size_t i = 0; i < all->nfiles; i++)
		if (all->files[i].second == version && all->files[i].root != i)
			return all->files[all->files[i].root];
	return (struct different_file){ 0 };
}

/*
 * The first file that differs although the program that wrote it saw no difference. If a
 * differing output was made from such files, only those count.
 */
static struct different_file find_first(const struct different *w, const struct different *all)
{
	struct different_file found = { 0 };
	bool leads = false;
	const struct diff_maker *best = NULL;
	size_t n;
	struct diff_maker *makers = diff_held_makers(w->d, &n);

	for (size_t i = 0; i < n; i++) {
		const struct diff_maker *m = &makers[i];
		bool this = map64_get(&all->seen, m->version);

		if (leads && !this)
			continue;
		if (!best || (this && !leads) || (m->named && !best->named) ||
		    (!m->named == !best->named &&
		     B(w)->versions[m->version].at < B(w)->versions[best->version].at))
			best = m;
		leads |= this;
	}
	if (best) {
		found = (struct different_file){ .second = best->version, .file = best->file };
		for (size_t i = 0; i < w->d->nheld; i++) {
			const struct diff_held *h = &w->d->held[i];

			if (is_changed_into(B(w), best->version, h->second))
				found = (struct different_file){ h->first, h->second, best->file, 0 };
		}
	}
	free(makers);
	return found;
}

/* The differing output @file; if 0, the differing output that was made first. */
static struct different_file find_output(const struct different *w, uint32_t file)
{
	struct different_file found = { 0 };

	for (size_t i = 0; i < w->d->noutputs; i++) {
		const struct diff_output *o = &w->d->outputs[i];
		uint32_t second = o->second ? build_present(B(w)->b, o->second) : 0;

		if (!second || (file && o->second != file) ||
		    (found.second && B(w)->versions[found.second].at <= B(w)->versions[second].at))
			continue;
		found = (struct different_file){
			o->first ? build_present(A(w)->b, o->first) : 0, second, o->second, 0,
		};
	}
	return found;
}

/* The difference of a file that the user asked for, but that is gone or not an output. */
static struct different_file find_held(const struct different *w, uint32_t file)
{
	struct different_file found = { 0 };

	for (size_t i = 0; i < w->d->nheld; i++) {
		const struct diff_held *h = &w->d->held[i];

		if (h->file == file)
			found = (struct different_file){ h->first, h->second, file, 0 };
	}
	return found;
}

bool different_find(struct different *w, uint32_t file)
{
	struct different_file found = { 0 };
	struct different all;
	bool differs = true;

	if (file) {
		found = find_output(w, file);
	} else {
		differs = follow_outputs(w, &all);
		found = find_first(w, &all);
		w->shown = find_shown(&all, found.second);
		different_free(&all);
	}
	if (!differs)
		return false;
	if (!found.second)
		found = file ? find_held(w, file) : find_output(w, 0);
	if (!found.second)
		return false;
	add_file(w, found);
	return true;
}

/* ---- the whole search ---- */

static int by_weight(const void *a, const void *b)
{
	const struct different_clue *x = a, *y = b;

	if (x->weight != y->weight)
		return y->weight - x->weight;
	return x->cause != y->cause ? x->cause - y->cause : strcmp(x->text, y->text);
}

void different_explain(struct different *w)
{
	w->start = answers_start(B(w)->db);
	follow_all(w);
	different_look_at_contents(w);
	different_look_at_units(w);
	build_forget_misses(A(w)->b);
	build_forget_misses(B(w)->b);
	if (w->nclues)
		qsort(w->clues, w->nclues, sizeof(*w->clues), by_weight);
}

void different_free(struct different *w)
{
	for (size_t i = 0; i < w->nclues; i++)
		free(w->clues[i].text);
	free(w->clues);
	free(w->units);
	map64_clear(&w->seen);
	free(w->files);
	free(w->kept_from);
	free(w->kept_to);
}
