// SPDX-License-Identifier: GPL-2.0
/*
 * The time remaining, estimated from an earlier recording: of generated builds, and of
 * builds that were recorded twice (data/top).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/container.h"
#include "common_convert.h"
#include "show/top_past.h"

#define S		1000000000ull
#define JOBS		4
#define PROGRAMS	300
/* Maximum error of an estimate half-way through a build, in percent. */
#define OFF_MAX		15

/* A program that ran; times in ns since the build began. */
struct ran {
	uint64_t begun, ended;
	char label[64];
};

struct ran_list {
	struct ran rows[PROGRAMS];
	size_t n;
	uint64_t length;	/* of the build, ns */
};

static int by_end(const void *a, const void *b)
{
	const struct ran *p = a, *q = b;

	return (p->ended > q->ended) - (p->ended < q->ended);
}

static struct top_past *record(const struct ran_list *l)
{
	struct top_past *past = top_past_new();

	for (size_t i = 0; i < l->n; i++)
		top_past_add(past, l->rows[i].label, strlen(l->rows[i].label), S + l->rows[i].begun,
			     S + l->rows[i].ended);
	top_past_end(past, S, S + l->length);
	return past;
}

/* Check the estimate half-way through the second build. */
static void estimate(const char *name, const struct ran_list *before, const struct ran_list *l)
{
	struct top_past *past = record(before);
	struct top_progress p = { 0 };
	uint64_t half = l->length / 2, left = 0;
	unsigned int share = 0;

	for (size_t i = 0; i < l->n && l->rows[i].ended <= half; i++)
		top_past_take(past, &p, l->rows[i].label, strlen(l->rows[i].label),
			      S + l->rows[i].ended);
	assert_true(top_past_left(past, &p, S, S + half, &left, &share));
	if (left < half - half * OFF_MAX / 100 || left > half + half * OFF_MAX / 100)
		fail_msg("%s: after %.2f s, %.2f s are left", name, (double)half / 1e9,
			 (double)left / 1e9);
	assert_true(share > 40 && share < 60);
	top_past_free(past);
}

/* ---- generated builds ---- */

/* A random number from 0 to 1. */
static double chance(void)
{
	return (double)rand() / RAND_MAX;
}

/*
 * PROGRAMS programs run by JOBS jobs. The first one and the last one run alone. @order: of
 * the programs; @noise: relative variation of their run times.
 */
static void build(struct ran_list *l, const double *seconds, const unsigned int *order,
		  double factor, double noise)
{
	double free_at[JOBS] = { 0 };

	for (unsigned int i = 0; i < PROGRAMS; i++) {
		double took = seconds[order[i]] * factor * (1 + noise * (chance() - 0.5));
		bool alone = !i || i == PROGRAMS - 1;
		unsigned int job = 0;

		for (unsigned int j = 1; j < JOBS; j++)
			job = alone == (free_at[j] > free_at[job]) ? j : job;
		l->rows[i].begun = (uint64_t)(free_at[job] * 1e9);
		l->rows[i].ended = (uint64_t)((free_at[job] + took) * 1e9);
		snprintf(l->rows[i].label, sizeof(l->rows[i].label), "cc1 f%u.c", order[i]);
		free_at[job] += took;
		for (unsigned int j = 0; j < JOBS && alone; j++)
			free_at[j] = free_at[job];
	}
	l->n = PROGRAMS;
	qsort(l->rows, l->n, sizeof(l->rows[0]), by_end);
	l->length = l->rows[l->n - 1].ended;
}

static void test_estimates_of_generated_builds(void **state)
{
	static const double factors[] = { 1, 0.5, 2 };
	unsigned int order[PROGRAMS], other[PROGRAMS];
	double seconds[PROGRAMS];
	struct ran_list first, second;
	char name[64];

	(void)state;
	for (unsigned int seed = 1; seed <= 10; seed++) {
		srand(seed);
		for (unsigned int i = 0; i < PROGRAMS; i++) {
			order[i] = other[i] = i;
			/* a few take long; the first and the last take a tenth of the total */
			seconds[i] = i == 0 || i == PROGRAMS - 1 ? 8 :
				     0.05 + 2.0 * (rand() % 100 < 10) + chance();
		}
		/* the order of jobs varies a little */
		for (unsigned int i = 1; i + 6 < PROGRAMS; i++) {
			unsigned int k = i + (unsigned int)rand() % 5, was = other[i];

			other[i] = other[k];
			other[k] = was;
		}
		build(&first, seconds, order, 1, 0);
		for (size_t f = 0; f < sizeof(factors) / sizeof(*factors); f++) {
			build(&second, seconds, other, factors[f], 0.1);
			snprintf(name, sizeof(name), "seed %u, %.1f times as long", seed, factors[f]);
			estimate(name, &first, &second);
		}
	}
}

/* ---- recorded builds ---- */

/* Lines "BEGUN ENDED LABEL" in microseconds, sorted by end; the first is the build itself. */
static void load(struct ran_list *l, const char *name)
{
	struct bytes b = fixture(name);
	char *save = NULL, *line;

	l->n = 0;
	bytes_add(&b, "", 1);
	for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct ran r;
		int at;

		assert_int_equal(sscanf(line, "%lu %lu %n", &r.begun, &r.ended, &at), 2);
		r.begun *= 1000;
		r.ended *= 1000;
		snprintf(r.label, sizeof(r.label), "%s", line + at);
		if (line == b.data) {
			l->length = r.ended;
			continue;
		}
		assert_true(l->n < PROGRAMS);
		l->rows[l->n++] = r;
	}
	assert_true(l->n > 50);
	free(b.data);
}

/* Estimate each build from the other, recorded on a machine that was also doing other things. */
static void test_estimates_of_recorded_builds(void **state)
{
	static const char *const names[] = { "lua-make", "zlib-make", "json-c-ninja" };
	struct ran_list first, second;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "top/%s.1", names[i]);
		load(&first, name);
		snprintf(name, sizeof(name), "top/%s.2", names[i]);
		load(&second, name);
		estimate(names[i], &first, &second);
		estimate(names[i], &second, &first);
	}
}

/* ---- no estimate ---- */

static void test_no_estimate_without_history(void **state)
{
	struct ran_list l = { .n = 0, .length = 100 * S };
	struct top_progress p = { 0 };
	struct top_past *past;
	unsigned int share;
	uint64_t left;
	char label[32];

	(void)state;
	for (; l.n < PROGRAMS; l.n++) {
		l.rows[l.n].begun = l.n * S / 3;
		l.rows[l.n].ended = (l.n + 1) * S / 3;
		snprintf(l.rows[l.n].label, sizeof(l.rows[l.n].label), "cc1 f%zu.c", l.n);
	}
	past = record(&l);
	/* without an earlier recording, and before anything has ended */
	assert_false(top_past_left(NULL, &p, 0, S, &left, &share));
	assert_false(top_past_left(past, &p, 0, S, &left, &share));
	/* another build: few programs in common */
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(label, sizeof(label), i % 10 ? "cc1 other%u.c" : "cc1 f%u.c", i);
		top_past_take(past, &p, label, strlen(label), 2 * S);
	}
	assert_int_equal(p.known, 10);
	assert_false(top_past_left(past, &p, S, 3 * S, &left, &share));
	top_past_free(past);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_estimates_of_generated_builds),
		cmocka_unit_test(test_estimates_of_recorded_builds),
		cmocka_unit_test(test_no_estimate_without_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
