// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the programs where a build stops being reproducible: they saw no difference, but made
 * different contents.  Only recorded contents count.  See diff.h.
 */
#include "answers/diff.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define A(d) (&(d)->m.side[0])
#define B(d) (&(d)->m.side[1])

void diff_held_add(struct diff *d, uint32_t first, uint32_t second, uint32_t file)
{
	d->held = xgrow(d->held, &d->held_cap, d->nheld + 1, sizeof(*d->held));
	d->held[d->nheld++] = (struct diff_held){ first, second, file };
}

static uint32_t last_writer(const struct match_side *s, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	return n ? w[n - 1].unit : 0;
}

bool diff_is_equal(const struct diff *d, uint32_t unit)
{
	return unit && B(d)->units[unit].pair && !(d->units[unit].what & ~DIFF_TIME) &&
	       !diff_env_pairs(d, unit, NULL, NULL);
}

struct seeing {
	const struct diff *d;
	uint32_t call;
	bool different;
};

static void look_before(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct seeing *s = ctx;
	const struct match_unit *call = &B(s->d)->units[s->call];

	if (diff_input_of(s->d, a, b, NULL) == DIFF_SAME)
		return;
	s->different |= b ? b->at < call->at : a->at < A(s->d)->units[call->pair].at;
}

/* Whether a unit used a file that differs before it made this call; both have pairs. */
static bool saw_before(const struct diff *d, uint32_t unit, uint32_t call)
{
	struct match_inputs inputs[2] = { 0 };
	struct seeing s = { d, call, false };

	match_inputs(A(d), B(d)->units[unit].pair, &inputs[0]);
	match_inputs(B(d), unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], look_before, &s);
	free(inputs[0].rows);
	free(inputs[1].rows);
	return s.different;
}

bool diff_stops_by_call(const struct diff *d, const struct diff_root *r)
{
	uint32_t caller = B(d)->units[r->b].caller;

	if (r->kind != DIFF_COMMAND || !caller || !B(d)->units[caller].pair)
		return false;
	return !(d->units[caller].what & (DIFF_ARGS | DIFF_CWD | DIFF_TOOL)) &&
	       !diff_env_pairs(d, caller, NULL, NULL) && !saw_before(d, caller, r->b);
}

/*
 * If both versions were made from older ones that are known to differ, replace them with those,
 * which need an explanation. Return: false if these are from before the builds.
 */
static bool find_oldest(const struct diff *d, struct diff_held *h)
{
	for (;;) {
		const struct build_version *x = &A(d)->versions[h->first];
		const struct build_version *y = &B(d)->versions[h->second];

		if (!build_is_made(x) || !build_is_made(y))
			return false;
		if (x->made != GRAPH_CHANGED || y->made != GRAPH_CHANGED || !x->base || !y->base ||
		    match_content(&d->m, x->base, y->base) != BUILD_DIFFERENT)
			return true;
		h->first = x->base;
		h->second = y->base;
	}
}

/* ---- the program to name ---- */

struct naming {
	const struct diff *d;
	const uint32_t *step;	/* by unit of the second build: match_steps() */
	const bool *alone;	/* by unit: it saw no difference, but made one */
	uint32_t *queue;	/* units whose inputs are to be checked, each once */
	size_t n, cap;
	uint32_t top;		/* the program that all these units are parts of */
	bool outside;		/* another step wrote an unknown input */
};

/* The nearest unit that is, or called, both. */
static uint32_t nearest_of(const struct match_side *s, uint32_t a, uint32_t b)
{
	/* callers have lower numbers */
	while (a != b) {
		if (a > b)
			a = s->units[a].caller;
		else
			b = s->units[b].caller;
	}
	return a;
}

/*
 * Whether a unit may have made the difference but is not part of the program to name. Everything
 * that cmake runs, even by its own ninja, is part of it, unless it makes a difference by itself.
 */
static bool is_outside(const struct naming *m, uint32_t unit)
{
	if (m->step[unit] == m->step[m->top])
		return false;
	return m->alone[unit] || nearest_of(B(m->d), m->top, unit) != m->top;
}

/*
 * Add the writers of a version that the step used, when it is unknown whether both builds had the
 * same.
 */
static void add_unknown(struct naming *m, uint32_t version)
{
	const struct match_side *s = B(m->d);
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t unit = w[i].unit;
		bool again = false;

		for (size_t k = 0; k < m->n && !again; k++)
			again = m->queue[k] == unit;
		m->outside |= is_outside(m, unit);
		if (again || m->outside)
			continue;
		m->queue = xgrow(m->queue, &m->cap, m->n + 1, sizeof(*m->queue));
		m->queue[m->n++] = unit;
		m->top = nearest_of(s, m->top, unit);
	}
}

static void look_at_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct naming *m = ctx;

	if (!b || !b->made)
		return;
	if (!a || match_content(&m->d->m, a->version, b->version) == BUILD_SAME_UNKNOWN)
		add_unknown(m, b->version);
}

/* Treat pipes as unknown: their content is never recorded. */
static void look_at_pipes(struct naming *m, uint32_t unit)
{
	const struct match_side *s = B(m->d);

	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = 0; i < s->b->execs[exec].uses; i++) {
			const struct build_access *a = &s->b->accesses[s->b->execs[exec].first + i];
			const struct build_version *v = &s->versions[a->version];

			if (a->how == GRAPH_READ && build_is_queue(v) && !v->token)
				add_unknown(m, a->version);
		}
}

/* Find the program to report for a maker. Return: 0 if the inputs of its step may differ. */
static uint32_t name_of(struct naming *m, uint32_t maker, const struct diff_held *h)
{
	struct match_inputs inputs[2] = { 0 };
	const struct match_side *s = B(m->d);
	uint32_t base = s->versions[h->second].base, was = A(m->d)->versions[h->first].base;

	m->n = 0;
	m->top = maker;
	m->outside = false;
	add_unknown(m, h->second);
	if (s->versions[h->second].made == GRAPH_CHANGED && base &&
	    (!was || match_content(&m->d->m, was, base) != BUILD_SAME))
		add_unknown(m, base);
	for (size_t i = 0; i < m->n; i++) {
		uint32_t unit = m->queue[i];

		match_inputs(A(m->d), s->units[unit].pair, &inputs[0]);
		match_inputs(s, unit, &inputs[1]);
		diff_pairs(&inputs[0], &inputs[1], look_at_input, m);
		look_at_pipes(m, unit);
	}
	free(inputs[0].rows);
	free(inputs[1].rows);
	if (m->outside)
		return 0;
	return diff_is_equal(m->d, m->top) ? m->top : maker;
}

/* ---- all makers ---- */

/* Compute naming.alone; the caller frees it. */
static bool *find_alone(const struct diff *d)
{
	bool *alone = xcalloc(B(d)->nunits + 1ul, sizeof(*alone));

	for (size_t i = 0; i < d->nheld; i++) {
		uint32_t unit = last_writer(B(d), d->held[i].second);

		alone[unit] = diff_is_equal(d, unit);
	}
	return alone;
}

static int by_version(const void *a, const void *b)
{
	const struct diff_held *x = a, *y = b;

	return (x->second > y->second) - (x->second < y->second);
}

static int by_beginning(const void *a, const void *b, void *ctx)
{
	const struct match_unit *units = ctx;
	const struct diff_maker *x = a, *y = b;
	int64_t left = units[x->named].at, right = units[y->named].at;

	if (left != right)
		return (left > right) - (left < right);
	return (x->version > y->version) - (x->version < y->version);
}

struct diff_maker *diff_held_makers(const struct diff *d, size_t *n)
{
	struct diff_maker *makers = xcalloc(d->nheld + 1, sizeof(*makers));
	struct diff_held *held = xcalloc(d->nheld + 1, sizeof(*held));
	struct naming m = { .d = d };
	uint32_t *step = d->nheld ? match_steps(B(d)) : NULL, last = 0;
	bool *alone = d->nheld ? find_alone(d) : NULL;

	*n = 0;
	m.step = step;
	m.alone = alone;
	if (d->nheld) {
		memcpy(held, d->held, d->nheld * sizeof(*held));
		qsort(held, d->nheld, sizeof(*held), by_version);
	}
	for (size_t i = 0; i < d->nheld; i++) {
		struct diff_held *h = &held[i];
		bool again = h->second == last;
		uint32_t maker;

		last = h->second;
		if (again || !find_oldest(d, h))
			continue;
		maker = last_writer(B(d), h->second);
		if (!maker || last_writer(A(d), h->first) != B(d)->units[maker].pair)
			continue;
		makers[(*n)++] = (struct diff_maker){
			.unit = maker, .version = h->second, .file = h->file,
			.named = diff_is_equal(d, maker) ? name_of(&m, maker, h) : 0,
		};
	}
	if (*n)
		qsort_r(makers, *n, sizeof(*makers), by_beginning, B(d)->units);
	free(held);
	free(step);
	free(alone);
	free(m.queue);
	return makers;
}
