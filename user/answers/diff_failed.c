// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds failures in only one of two builds, and programs that did not run because of them.  See
 * diff.h.
 */
#include "answers/diff.h"
#include "base/xalloc.h"

/* The build (0, 1) in which a unit or its pair succeeded, if the other failed; -1 if none. */
static int worked_in(const struct diff *d, uint32_t unit)
{
	const struct match_unit *b = &d->m.side[1].units[unit];
	const struct match_unit *a = &d->m.side[0].units[b->pair];

	if (!b->pair || (a->status && b->status) || a->status == b->status)
		return -1;
	return a->status > 0 ? 1 : b->status > 0 ? 0 : -1;
}

int diff_failed_in(const struct diff *d, uint32_t unit)
{
	int side = worked_in(d, unit);

	return side < 0 ? -1 : !side;
}

void diff_failed_load(struct diff *d)
{
	for (unsigned int i = 0; i < 2; i++) {
		d->failed[i] = xcalloc(d->m.side[i].nunits + 1ul, sizeof(*d->failed[i]));
		d->after[i] = xcalloc(d->m.side[i].nunits + 1ul, sizeof(*d->after[i]));
	}
	for (uint32_t i = 1; i <= d->m.side[1].nunits; i++) {
		int side = worked_in(d, i);
		const struct match_unit *units = side < 0 ? NULL : d->m.side[side].units;
		uint32_t unit = side ? i : d->m.side[1].units[i].pair, *first;

		if (!units)
			continue;
		first = &d->failed[side][units[unit].caller];
		if (!*first || units[unit].until < units[*first].until)
			*first = unit;
	}
}

/* The unit of the second build that corresponds to a unit of @side; 0 if none. */
static uint32_t in_second(const struct diff *d, unsigned int side, uint32_t unit)
{
	return side ? unit : d->m.side[0].units[unit].pair;
}

uint32_t diff_failed_call(const struct diff *d, uint32_t unit)
{
	int side = worked_in(d, unit);
	uint32_t own = side ? unit : d->m.side[1].units[unit].pair;

	return side < 0 ? 0 : in_second(d, (unsigned int)side, d->failed[side][own]);
}

bool diff_failed_before(struct diff *d, unsigned int side, uint32_t unit)
{
	const struct match_unit *units = d->m.side[side].units;
	uint32_t caller = units[unit].caller, failed = d->failed[side][caller];
	uint32_t second = in_second(d, side, caller);

	if (units[unit].pair || !caller)
		return false;
	d->after[side][unit] = d->after[side][caller];
	/* another difference that the caller saw may be the reason for its other calls */
	if (!second || d->units[second].since != INT64_MAX)
		return d->after[side][unit];
	if (!failed && worked_in(d, second) == (int)side)
		d->after[side][unit] = second;
	else if (failed && units[failed].until <= units[unit].at)
		d->after[side][unit] = in_second(d, side, failed);
	return d->after[side][unit];
}

uint32_t diff_failed_on(const struct diff *d, unsigned int side, uint32_t file)
{
	const struct match_side *s = &d->m.side[side], *other = &d->m.side[!side];
	const struct match_unit *failed;
	const struct match_write *w;
	uint32_t unit;
	size_t n;

	w = match_writes(s, s->there[file], &n);
	unit = n ? w[n - 1].unit : 0;
	while (unit && !s->units[unit].pair)
		unit = s->units[unit].caller;
	failed = &other->units[s->units[unit].pair];
	if (!unit || failed->status <= 0 || match_schedules(s, unit) || match_is_shell(s, unit))
		return 0;
	return answers_failed_last(other->db, failed->exec);
}
