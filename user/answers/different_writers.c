// SPDX-License-Identifier: LGPL-2.1
/* Finds programs that write to one file at the same time.  See different.h. */
#include "answers/different.h"

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])
/* Maximum number of writers of one file that are compared with each other. */
#define WRITERS_MAX 100u

/* The path from a common caller down to an exec. */
struct branch {
	uint32_t exec;
	int64_t until;
};

static void branch_climb(const struct build *b, struct branch *at)
{
	const struct build_exec *e = &b->execs[at->exec];

	at->exec = e->before ? e->before : e->parent;
	if (at->exec && b->execs[at->exec].until > at->until && b->execs[at->exec].process == e->process)
		at->until = b->execs[at->exec].until;
}

/*
 * Whether two execs, or their callers, ran at the same time, and neither started the other.
 * @caller: set to the exec that started both
 */
static bool is_beside(const struct build *b, uint32_t one, uint32_t other, uint32_t *caller)
{
	struct branch x = { one, b->execs[one].until }, y = { other, b->execs[other].until };
	struct branch top_x = x, top_y = y;

	/* execs that begin later have higher numbers */
	while (x.exec != y.exec) {
		struct branch *low = x.exec > y.exec ? &x : &y;

		*(low == &x ? &top_x : &top_y) = *low;
		branch_climb(b, low);
		if (low->until < (low == &x ? top_x : top_y).until)
			low->until = (low == &x ? top_x : top_y).until;
	}
	if (x.exec == one || x.exec == other)
		return false;
	*caller = x.exec;
	return b->execs[top_x.exec].at < top_y.until && b->execs[top_y.exec].at < top_x.until;
}

/* The execs that wrote a version, or the versions that it was appended to. */
static size_t writers_of(const struct match_side *s, uint32_t version, uint32_t *execs)
{
	size_t n = 0;

	for (; version; version = s->versions[version].made == GRAPH_CHANGED ? s->versions[version].base : 0)
		for (uint32_t i = 0; i < s->versions[version].writes && n < WRITERS_MAX; i++)
			execs[n++] = build_use(s->b, version, i)->exec;
	return n;
}

void different_look_at_writers(struct different *w, const struct different_file *f)
{
	const struct match_side *a = A(w), *b = B(w);
	uint32_t x[WRITERS_MAX], y[WRITERS_MAX];
	size_t na = writers_of(a, f->first, x), nb = writers_of(b, f->second, y), len;
	const char *path = build_path(b->b, f->file, &len);
	bool beside = false, other = false;

	for (size_t i = 0; i < nb; i++) {
		uint32_t pair = b->units[b->unit_of[y[i]]].pair, caller = 0;

		for (size_t k = 0; k < i && !beside; k++)
			beside = is_beside(b->b, y[i], y[k], &caller);
		/* make starts its rules in any order */
		other |= na == nb && pair && pair != a->unit_of[x[i]] &&
			 (beside || match_schedules(b, b->unit_of[caller]));
	}
	if (beside || other)
		different_clue(w, DIFFERENT_WRITERS, other ? 81 : w->by_order ? 82 : 46, 0,
			       "several programs write to %.*s at the same time%s", len ? (int)len : 6,
			       len ? path : "a pipe", other ? ", in a different order in the second build" : "");
}
