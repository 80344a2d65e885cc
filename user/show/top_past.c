// SPDX-License-Identifier: LGPL-2.1
/* Estimates the remaining time of a build.  See top_past.h. */
#include "show/top_past.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <math.h>
#include <stdlib.h>

/*
 * An estimate needs at least KNOWN_MIN known programs, and 1 in KNOWN_PART of all programs that
 * ended.
 */
#define KNOWN_MIN	3u
#define KNOWN_PART	3u
/* The speeds of the builds are compared only after this many parts. */
#define PARTS_MIN	6u
/* Confidence interval in standard errors of the mean: 2 for about 95 %. */
#define ERRORS		2

/* Programs with the same label. */
struct kind {
	uint64_t work;		/* sum of their times, ns */
	uint32_t n;
	uint32_t taken;		/* how many of them have ended in the present build */
};

struct step {
	uint32_t kind;
	uint64_t end;		/* when it ended, ns; after top_past_end(): since the beginning */
	uint64_t done;		/* sum of the work of this step and all earlier ones, ns */
};

struct top_past {
	struct map64 by_label;	/* by hash of a label: index of its kind */
	struct kind *kinds;
	size_t nkinds, kinds_cap;
	struct step *steps;
	size_t nsteps, steps_cap;
	uint64_t length;
};

struct top_past *top_past_new(void)
{
	return xcalloc(1, sizeof(struct top_past));
}

void top_past_free(struct top_past *past)
{
	if (!past)
		return;
	map64_clear(&past->by_label);
	free(past->kinds);
	free(past->steps);
	free(past);
}

/* Average time of a program of a kind, ns; at least 1, so that each counts. */
static uint64_t work_of_one(const struct kind *k)
{
	return k->work / k->n + 1;
}

void top_past_add(struct top_past *past, const char *label, size_t len, uint64_t begun,
		  uint64_t ended)
{
	uint64_t key = hash_bytes(label, len), *known = map64_get(&past->by_label, key);
	uint32_t kind = known ? (uint32_t)*known : (uint32_t)past->nkinds;

	if (!known) {
		past->kinds = xgrow(past->kinds, &past->kinds_cap, past->nkinds + 1,
				    sizeof(*past->kinds));
		past->kinds[past->nkinds++] = (struct kind){ 0 };
		map64_put(&past->by_label, key, kind);
	}
	past->kinds[kind].work += ended > begun ? ended - begun : 0;
	past->kinds[kind].n++;
	past->steps = xgrow(past->steps, &past->steps_cap, past->nsteps + 1, sizeof(*past->steps));
	past->steps[past->nsteps++] = (struct step){ kind, ended, 0 };
}

void top_past_end(struct top_past *past, uint64_t begun, uint64_t ended)
{
	uint64_t done = 0;

	past->length = ended > begun ? ended - begun : 0;
	for (size_t i = 0; i < past->nsteps; i++) {
		struct step *s = &past->steps[i];

		s->end = s->end > begun ? s->end - begun : 0;
		done += work_of_one(&past->kinds[s->kind]);
		s->done = done;
	}
}

/* The first step after which more than @done work was done; nsteps if none. */
static size_t next_step(const struct top_past *past, uint64_t done)
{
	return partition_point(i, 0, past->nsteps, past->steps[i].done <= done);
}

/*
 * When the earlier build had done @done work, in ns since its beginning. @next: set to when
 * the step after that ended.
 */
static uint64_t when_done(const struct top_past *past, uint64_t done, uint64_t *next)
{
	size_t i = next_step(past, done);

	*next = i < past->nsteps ? past->steps[i].end : past->length;
	return i ? past->steps[i - 1].end : 0;
}

void top_past_take(struct top_past *past, struct top_progress *p, const char *label, size_t len,
		   uint64_t now)
{
	uint64_t *kind = map64_get(&past->by_label, hash_bytes(label, len)), then, next;

	p->ended++;
	if (!kind || past->kinds[*kind].taken == past->kinds[*kind].n)
		return;
	past->kinds[*kind].taken++;
	p->known++;
	p->done += work_of_one(&past->kinds[*kind]);
	p->last = now;
	then = when_done(past, p->done, &next);
	if (p->nmarks < TOP_PAST_PARTS &&
	    then >= (p->nmarks ? p->mark[p->nmarks - 1].then : 0) + past->length / TOP_PAST_PARTS)
		p->mark[p->nmarks++] = (struct top_past_mark){ now, then };
}

/*
 * Factor by which the rest will take longer than in the earlier build: the average over the
 * finished parts, moved towards 1 by its uncertainty, which follows from their variation.
 */
static double slowdown_of(const struct top_progress *p, uint64_t begun)
{
	double n = p->nmarks, mean, off, sum = 0, error;
	struct top_past_mark last = { begun, 0 }, now;

	if (p->nmarks < PARTS_MIN)
		return 1;
	now = p->mark[p->nmarks - 1];
	mean = (double)(now.now - begun) / (double)now.then;
	for (unsigned int i = 0; i < p->nmarks; i++) {
		double then = (double)(p->mark[i].then - last.then);

		off = (double)(p->mark[i].now - last.now) / then - mean;
		sum += off * off * then / (double)now.then;
		last = p->mark[i];
	}
	error = ERRORS * sqrt(sum / (n - 1));
	if (mean - error > 1)
		return mean - error;
	return mean + error < 1 ? mean + error : 1;
}

bool top_past_left(const struct top_past *past, const struct top_progress *p, uint64_t begun,
		   uint64_t now, uint64_t *left, unsigned int *share)
{
	uint64_t at, next, spent, since;

	if (!past || !past->length || p->known < KNOWN_MIN || p->known * KNOWN_PART < p->ended)
		return false;
	at = when_done(past, p->done, &next);
	/* nothing has ended since: advance with the clock, at most to the end of the next step */
	since = now > p->last ? now - p->last : 0;
	at = next > at && since < next - at ? at + since : next;
	spent = now > begun ? now - begun : 0;
	*left = (uint64_t)((double)(past->length - (at < past->length ? at : past->length)) *
			   slowdown_of(p, begun));
	*share = spent + *left ? (unsigned int)(100 * spent / (spent + *left)) : 0;
	return true;
}
