// SPDX-License-Identifier: LGPL-2.1
/* How an input of one build differs from that of another.  See diff.h. */
#include "answers/diff.h"

#include <string.h>

#define A(d) (&(d)->m.side[0])
#define B(d) (&(d)->m.side[1])

static bool ends_with(const struct build *b, uint32_t file, const char *end)
{
	size_t len, n = strlen(end);
	const char *path = build_path(b, file, &len);

	return len >= n && !memcmp(path + len - n, end, n);
}

/* Whether match_name() changes a path: files in a copied directory have other times. */
static bool is_copy(const struct match_side *s, uint32_t file)
{
	struct buf name = { 0 };
	size_t len;
	const char *path = build_path(s->b, file, &len);
	bool ret;

	match_name(s, path, len, &name);
	ret = len != name.len || (len && memcmp(path, name.s, len));
	buf_free(&name);
	return ret;
}

/* Whether a file has different times in both builds anyway, so that this means nothing. */
static bool has_own_time(const struct diff *d, const struct match_input *b)
{
	return b->made || d->sizes || is_copy(B(d), b->file) ||
	       (b->class == GRAPH_LOADER && ends_with(B(d)->b, b->file, "/ld.so.cache"));
}

static enum diff_input compare_input(const struct diff *d, const struct match_input *a,
				     const struct match_input *b, uint8_t *by)
{
	enum match_change change = match_change(&d->m, a->version, b->version, by);

	if (!(*by & MATCH_BY_CONTENT) && a->made != b->made)
		return DIFF_SAME;
	switch (change) {
	case MATCH_SIZE:
		return b->made ? DIFF_CONTENT : DIFF_SIZE;
	case MATCH_CONTENT:
		return b->made ? DIFF_MADE : DIFF_HELD;
	case MATCH_TIME:
		return has_own_time(d, b) ? DIFF_SAME : DIFF_TIME_ONLY;
	case MATCH_SAME:
	case MATCH_UNKNOWN:
	case MATCH_REPLACED:
		break;
	}
	return DIFF_SAME;
}

enum diff_input diff_input_of(const struct diff *d, const struct match_input *a,
			      const struct match_input *b, uint8_t *by)
{
	uint8_t went = 0;

	if (by)
		*by = 0;
	/* files that the build made and removed do not count: their names may be random */
	if (!a && b)
		return !b->made || B(d)->there[b->file] ? DIFF_ONLY_SECOND : DIFF_SAME;
	if (a && !b)
		return !a->made || A(d)->there[a->file] ? DIFF_ONLY_FIRST : DIFF_SAME;
	return a ? compare_input(d, a, b, by ? by : &went) : DIFF_SAME;
}

void diff_pairs(const struct match_inputs *a, const struct match_inputs *b, diff_pair_fn *fn,
		void *ctx)
{
	size_t i = 0, k = 0;

	while (i < a->n || k < b->n) {
		const struct match_input *x = i < a->n ? &a->rows[i] : NULL;
		const struct match_input *y = k < b->n ? &b->rows[k] : NULL;

		if (x && y && x->name != y->name) {
			if (x->name < y->name)
				y = NULL;
			else
				x = NULL;
		}
		i += x != NULL;
		k += y != NULL;
		fn(ctx, x, y);
	}
}
