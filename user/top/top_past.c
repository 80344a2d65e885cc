// SPDX-License-Identifier: LGPL-2.1
/* The time remaining.  See top_past.h. */
#include "top/top_past.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>

/* Fewer programs than that, or fewer of 3 that are known, tell nothing. */
#define KNOWN_MIN	3u
#define KNOWN_PART	3u
/* The builds' speeds are compared only when so much of the earlier one is over, in percent. */
#define SPEED_FROM	5u
/* And no more than that is believed, each way. */
#define SPEED_MAX	4u

/* Programs of one label. */
struct kind {
	uint64_t work;		/* ns, of all of them */
	uint32_t n;
	uint32_t taken;		/* that the present build has had, too */
};

struct step {
	uint32_t kind;
	uint64_t end;		/* ns; after top_past_end(): since the recording's beginning */
	uint64_t done;		/* work of this one and all before it */
};

struct top_past {
	struct map64 by_label;	/* hash of a label to its kind */
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

/* What such a program takes on average; never nothing, so that each counts. */
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

void top_past_take(struct top_past *past, struct top_progress *p, const char *label, size_t len,
		   uint64_t now)
{
	uint64_t *kind = map64_get(&past->by_label, hash_bytes(label, len));

	p->ended++;
	if (!kind || past->kinds[*kind].taken == past->kinds[*kind].n)
		return;
	past->kinds[*kind].taken++;
	p->known++;
	p->done += work_of_one(&past->kinds[*kind]);
	p->last = now;
}

/* The first step by which more than @done was done; @nsteps if there is none. */
static size_t next_step(const struct top_past *past, uint64_t done)
{
	size_t low = 0, high = past->nsteps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (past->steps[middle].done > done)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool top_past_left(const struct top_past *past, const struct top_progress *p, uint64_t begun,
		   uint64_t now, uint64_t *left, unsigned int *share)
{
	uint64_t at, next, spent, since;
	double speed = 1;
	size_t i;

	if (!past || !past->length || p->known < KNOWN_MIN || p->known * KNOWN_PART < p->ended)
		return false;
	i = next_step(past, p->done);
	at = i ? past->steps[i - 1].end : 0;
	next = i < past->nsteps ? past->steps[i].end : past->length;
	/* nothing has ended since, but the time goes on, up to where the next one ended */
	since = now > p->last ? now - p->last : 0;
	at = next > at && since < next - at ? at + since : next;
	spent = now > begun ? now - begun : 0;
	if (at > past->length / 100 * SPEED_FROM && spent)
		speed = (double)spent / (double)at;
	if (speed > SPEED_MAX)
		speed = SPEED_MAX;
	if (speed < 1.0 / SPEED_MAX)
		speed = 1.0 / SPEED_MAX;
	*left = (uint64_t)((double)(past->length - (at < past->length ? at : past->length)) * speed);
	*share = spent + *left ? (unsigned int)(100 * spent / (spent + *left)) : 0;
	return true;
}
