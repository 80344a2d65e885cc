// SPDX-License-Identifier: GPL-2.0
/*
 * How much a step can save at most, in small builds: compared with the time that a build of the
 * same jobs takes without it, starting one job after the other (user/answers/faster.h).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answers/faster.h"

#define JOBS	12u

/* Jobs of one build tool, in the order in which it starts them: process 1, and 2 + i for job i. */
struct plan {
	unsigned int n, places;
	int64_t length[JOBS];
	bool needs[JOBS][JOBS];	/* [job][an earlier one] */
	int64_t at[JOBS], until[JOBS];
};

/*
 * Run the build: a job starts once the jobs before it have started, what it needs is there, and
 * there is a free slot; one unit after what it waited for has ended, as in a real build.
 */
static int64_t run(struct plan *p, unsigned int without)
{
	int64_t end = 0, begun = 0;

	for (unsigned int i = 0; i < p->n; i++) {
		int64_t at = begun;
		bool waits = true;

		for (unsigned int k = 0; k < i; k++)
			if (p->needs[i][k] && p->until[k] >= at)
				at = p->until[k] + 1;
		while (waits) {
			int64_t next = INT64_MAX;
			unsigned int taken = 0;

			for (unsigned int k = 0; k < i; k++) {
				if (p->until[k] < at)
					continue;
				taken++;
				next = p->until[k] < next ? p->until[k] : next;
			}
			waits = taken >= p->places;
			at = waits ? next + 1 : at;
		}
		p->at[i] = at;
		begun = at;
		p->until[i] = at + (i == without ? 0 : p->length[i]);
		end = p->until[i] > end ? p->until[i] : end;
	}
	return end;
}

/* The recording of a plan's build. */
static void make_timeline(struct timeline *t, struct plan *p)
{
	*t = (struct timeline){ .nprocesses = p->n + 1, .nexecs = p->n + 1 };
	t->processes = calloc(p->n + 2, sizeof(*t->processes));
	t->execs = calloc(p->n + 2, sizeof(*t->execs));
	t->wall = run(p, JOBS);
	t->processes[1] = (struct timeline_process){ .schedules = true, .slots = p->places };
	t->execs[1] = (struct timeline_exec){ .process = 1, .until = t->wall, .cpu = -1 };
	timeline_add_exec(t, 1);
	for (unsigned int i = 0; i < p->n; i++) {
		t->processes[i + 2] = (struct timeline_process){ .parent = 1, .at = p->at[i] };
		t->execs[i + 2] = (struct timeline_exec){
			.process = i + 2, .at = p->at[i], .until = p->until[i], .cpu = -1,
		};
		timeline_add_exec(t, i + 2);
		for (unsigned int k = 0; k < i; k++) {
			if (!p->needs[i][k])
				continue;
			t->edges = realloc(t->edges, (t->nedges + 1) * sizeof(*t->edges));
			t->edges[t->nedges++] = (struct timeline_edge){ i + 2, k + 2, 0 };
		}
	}
	timeline_complete(t);
}

static struct faster find(struct plan *p)
{
	struct critical_path path;
	struct faster found;
	struct timeline t;

	make_timeline(&t, p);
	timeline_walk(&t, &path, NULL, NULL);
	faster_find(&found, &t, &path);
	timeline_path_free(&path);
	timeline_free(&t);
	return found;
}

static unsigned int below(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

static struct plan random_plan(uint32_t *seed)
{
	struct plan p = { .n = 2 + below(seed, JOBS - 2), .places = 1 + below(seed, 4) };
	unsigned int likely = 1 + below(seed, 6);

	for (unsigned int i = 0; i < p.n; i++) {
		p.length[i] = 10 + below(seed, below(seed, 4) ? 200 : 2000);
		for (unsigned int k = 0; k < i; k++)
			p.needs[i][k] = !below(seed, likely + 1);
	}
	return p;
}

/* No step saves more than its bound, and no bound exceeds the step's length. */
static void bounds_are_never_too_low(void **state)
{
	uint32_t seed = 1;
	unsigned int exact = 0, all = 0;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		struct plan p = random_plan(&seed);
		struct faster found = find(&p);
		int64_t wall = run(&p, JOBS);

		for (unsigned int i = 0; i < found.n; i++) {
			const struct faster_row *r = &found.rows[i];
			unsigned int job = r->process - 2;
			int64_t saved;

			if (r->kind != FASTER_STEP)
				continue;
			assert_true(r->process >= 2 && job < p.n);
			saved = wall - run(&p, job);
			if (r->saves < saved || r->saves > p.length[job])
				fail_msg("round %u: job %u of %" PRId64 " saves %" PRId64
					 ", not at most %" PRId64, round, job, p.length[job],
					 saved, r->saves);
			exact += r->saves == saved;
			all++;
		}
	}
	/* bounds that are always the length would pass, too */
	print_message("%u of %u bounds are exact\n", exact, all);
	assert_true(exact > all * 2 / 3);
}

static void is_row(const struct faster_row *r, enum faster_kind kind, uint32_t process,
		   int64_t saves)
{
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->process, process);
	/* the gaps between jobs */
	assert_in_range(r->saves, saves - 3, saves + 3);
}

static void known_savings(void **state)
{
	/* in sequence: each saves its length; more slots save all but the longest */
	struct plan row = { .n = 3, .places = 1, .length = { 1000, 6000, 3000 } };
	/* two at a time: without the long one, the other two run in parallel */
	struct plan two = { .n = 3, .places = 2, .length = { 2000, 4800, 1700 } };
	/* the last one needs both: without the longer one, it waits for the other */
	struct plan join = { .n = 3, .places = 2, .length = { 5000, 8000, 1000 } };
	struct faster f;

	(void)state;
	f = find(&row);
	assert_int_equal(f.n, 4);
	is_row(&f.rows[0], FASTER_STEP, 3, 6000);
	is_row(&f.rows[1], FASTER_PLACES, 0, 4000);
	is_row(&f.rows[2], FASTER_STEP, 4, 3000);
	is_row(&f.rows[3], FASTER_STEP, 2, 1000);
	f = find(&two);
	assert_int_equal(f.n, 1);
	is_row(&f.rows[0], FASTER_STEP, 3, 2800);
	join.needs[2][0] = true;
	join.needs[2][1] = true;
	f = find(&join);
	assert_int_equal(f.n, 2);
	is_row(&f.rows[0], FASTER_STEP, 3, 3000);
	is_row(&f.rows[1], FASTER_STEP, 4, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_savings),
		cmocka_unit_test(bounds_are_never_too_low),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
