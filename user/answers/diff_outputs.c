// SPDX-License-Identifier: LGPL-2.1
/* Compares the outputs of two builds.  See diff.h. */
#include "answers/diff.h"
#include "answers/attest.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Hash a file. Return: false if it has changed since the build, or cannot be read. */
static bool hash_of(struct db *db, uint32_t file, struct attest_file *of)
{
	struct attest a = { .db = db, .root = "/" };
	struct buf path = { 0 };

	answers_file_path(db, file, &path);
	buf_addc(&path, '\0');
	*of = (struct attest_file){
		.role = ATTEST_OUTPUT, .file = file, .now = file,
		.version = build_present(build_of(db), file),
		.path = path.s, .len = path.len - 1,
	};
	attest_hash_as_used(&a, of);
	buf_free(&path);
	of->path = NULL;
	return of->hashed;
}

static enum diff_left compare_outputs(struct diff *d, uint32_t first, uint32_t second)
{
	const struct match_side *a = &d->m.side[0], *b = &d->m.side[1];
	uint32_t was_left = build_present(a->b, first), is_left = build_present(b->b, second);
	const struct build_version *x = &a->versions[was_left], *y = &b->versions[is_left];
	struct attest_file was, is;
	enum build_same same;

	if (x->made == GRAPH_IS_SYMLINK || y->made == GRAPH_IS_SYMLINK)
		return a->names[x->target] == b->names[y->target] ? DIFF_LEFT_SAME : DIFF_LEFT_CONTENT;
	same = match_content(&d->m, was_left, is_left);
	if (same == BUILD_SAME)
		return DIFF_LEFT_SAME;
	if (same == BUILD_DIFFERENT) {
		diff_held_add(d, was_left, is_left, second);
		return x->identified && y->identified && x->size != y->size ? DIFF_LEFT_SIZE :
			DIFF_LEFT_CONTENT;
	}
	if (!x->identified || !y->identified)
		return DIFF_LEFT_UNKNOWN;
	if (x->size != y->size)
		return DIFF_LEFT_SIZE;
	if (!x->size)
		return DIFF_LEFT_SAME;
	if (!hash_of(a->db, first, &was) || !hash_of(b->db, second, &is))
		return DIFF_LEFT_UNKNOWN;
	return memcmp(was.hash, is.hash, ATTEST_HASH) ? DIFF_LEFT_CONTENT : DIFF_LEFT_SAME;
}

static void add_output(struct diff *d, struct diff_output o)
{
	d->left[o.how]++;
	if (o.how == DIFF_LEFT_SAME || o.how == DIFF_LEFT_UNKNOWN)
		return;
	d->outputs = xgrow(d->outputs, &d->outputs_cap, d->noutputs + 1, sizeof(*d->outputs));
	d->outputs[d->noutputs++] = o;
}

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct diff *d = ctx;
	const struct diff_output *o[2] = { x, y };
	const char *s[2];
	size_t n[2];
	int order;

	for (unsigned int i = 0; i < 2; i++)
		s[i] = build_path(d->m.side[o[i]->second ? 1 : 0].b,
				  o[i]->second ? o[i]->second : o[i]->first, &n[i]);
	order = memcmp(s[0], s[1], n[0] < n[1] ? n[0] : n[1]);
	return order ? order : (n[0] > n[1]) - (n[0] < n[1]);
}

void diff_outputs(struct diff *d)
{
	const struct match_side *a = &d->m.side[0], *b = &d->m.side[1];
	struct map64 firsts = { 0 };

	for (uint32_t i = 1; i <= a->b->nfiles; i++)
		if (build_is_output(a->b, i))
			map64_put(&firsts, a->names[i], i);
	for (uint32_t i = 1; i <= b->b->nfiles; i++) {
		const uint64_t *first = map64_get(&firsts, b->names[i]);
		struct diff_output o = { .second = i, .first = first ? (uint32_t)*first : 0 };

		if (!build_is_output(b->b, i))
			continue;
		o.how = (uint8_t)(o.first ? compare_outputs(d, o.first, i) : DIFF_LEFT_ONLY_SECOND);
		add_output(d, o);
		map64_remove(&firsts, b->names[i]);
	}
	for (uint32_t i = 1; i <= a->b->nfiles; i++) {
		const uint64_t *first = map64_get(&firsts, a->names[i]);

		if (first && *first == i)
			add_output(d, (struct diff_output){
				.first = i, .how = DIFF_LEFT_ONLY_FIRST,
			});
	}
	map64_clear(&firsts);
	if (d->noutputs)
		qsort_r(d->outputs, d->noutputs, sizeof(*d->outputs), by_name, d);
}
